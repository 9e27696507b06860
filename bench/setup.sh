#!/usr/bin/env bash
# Installs what the benchmark needs beside Go: nginx and redis-server, from the system's packages.
set -euo pipefail
missing=()
command -v nginx >/dev/null 2>&1 || [ -x /usr/sbin/nginx ] || missing+=(nginx)
command -v redis-server >/dev/null 2>&1 || missing+=(redis-server)
[ ${#missing[@]} -gt 0 ] || exit 0
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -q -o Acquire::Retries=3 update >/dev/null || true # an old list may do
if ! "${as_root[@]}" apt-get -q -y -o Acquire::Retries=3 install --no-install-recommends "${missing[@]}" >/dev/null; then
	echo "'apt-get install ${missing[*]}' failed: install them yourself, then run this again" >&2
	exit 1
fi
