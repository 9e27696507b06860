#!/bin/sh
# Builds Caddy with this module: ./xcaddy.sh [output], by default ./caddy.
set -eu
caddy=v2.11.9
xcaddy=v0.4.5

root=$(cd "$(dirname "$0")" && pwd)
out=${1:-$root/caddy}
# xcaddy builds in a directory of its own, where a relative path means something else.
case $out in /*) ;; *) out=$PWD/$out ;; esac
module=$(cd "$root" && go list -m)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM

# "go run module@version" also asks the proxy for the list of all versions, which some proxies refuse. A
# requirement with a fixed version asks for that version only.
cd "$tmp"
printf 'module build\n\ngo 1.26\n\nrequire github.com/caddyserver/xcaddy %s\n' "$xcaddy" >go.mod
GOWORK=off go build -mod=mod -o xcaddy github.com/caddyserver/xcaddy/cmd/xcaddy

# Without the version before "=", xcaddy would look up the newest published version of a module that is being
# replaced by this checkout anyway, and fail where nothing has been published.
./xcaddy build "$caddy" --with "$module@v0.0.0=$root" --output "$out"
