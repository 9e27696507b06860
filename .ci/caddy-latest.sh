#!/usr/bin/env bash
# Builds the module, and runs the tests of the handler and the directive, against the newest release of Caddy that can
# be reached, in a copy of go.mod. Says so when that is the one that go.mod has anyway.
set -euo pipefail
cd "$(dirname "$0")/.."
caddy=github.com/caddyserver/caddy/v2
pinned=$(go list -m -f '{{.Version}}' $caddy)
if ! newest=$(go list -m -f '{{.Version}}' "$caddy@latest" 2>/dev/null); then
	echo "NOT CHECKED against the newest Caddy: the list of its releases is out of reach" >&2
	[ "${CADDY_LATEST:-}" != strict ] || exit 2
	exit 0
fi
if [ "$newest" = "$pinned" ]; then
	echo "the newest Caddy is $pinned, which go.mod has and all tests run with"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cp go.mod "$tmp/go.mod"
cp go.sum "$tmp/go.sum"
echo "go.mod has Caddy $pinned, the newest is $newest"
if go get -modfile="$tmp/go.mod" "$caddy@$newest" && go build -modfile="$tmp/go.mod" ./... &&
	go test -modfile="$tmp/go.mod" ./caddymodule ./caddyfile; then
	echo "builds with Caddy $newest, and the tests of caddymodule and caddyfile pass"
else
	echo "BREAKS with Caddy $newest" >&2
	exit 1
fi
