#!/bin/sh
# Runs ./caddy on :8080 in the foreground, before the demo server or before the MCP server that UPSTREAM names.
# Ctrl-C ends both.
set -eu
cd "$(dirname "$0")/.."

demo= caddy=
stop() {
	for pid in $caddy $demo; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

if [ -n "${UPSTREAM:-}" ]; then
	case $UPSTREAM in
	http://* | https://*) ;;
	*)
		echo "UPSTREAM must look like http://host:port[/path]" >&2
		exit 2
		;;
	esac
	origin=$(printf %s "$UPSTREAM" | sed -E 's|^(https?://[^/?#]+).*|\1|')
	path=$(printf %s "$UPSTREAM" | sed -E 's|^https?://[^/?#]+||')
	export UPSTREAM_ORIGIN="$origin" UPSTREAM_PATH="${path:-/mcp}"
	config=examples/upstream/Caddyfile
else
	mkdir -p .cache/bin
	go build -o .cache/bin/demo ./examples/demo
	.cache/bin/demo -addr 127.0.0.1:3001 &
	demo=$!
	config=examples/quickstart/Caddyfile
fi
# In the background, so that a signal to this script alone ends Caddy too.
./caddy run --config "$config" &
caddy=$!
wait "$caddy"
