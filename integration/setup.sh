#!/usr/bin/env bash
# Installs what the tests need beside Go: a C compiler, redis-server, Python and Node from the system's packages, MCP
# clients and servers from npm and PyPI. Everything but the system's packages goes into .cache/. Running it again costs
# a second.
set -euo pipefail

node_version=22.23.3 # the conformance suite needs 22 or later

cd "$(dirname "$0")/.."
cache=$PWD/.cache
mkdir -p "$cache/bin"

has() { command -v "$1" >/dev/null 2>&1; }

updated=
# system <what for> <package...> installs packages of the system.
system() {
	local what=$1
	shift
	local apt=(apt-get)
	if ! has apt-get; then
		echo "$what is missing and there is no apt-get here: install $* yourself, then run this again" >&2
		exit 1
	fi
	if [ "$(id -u)" != 0 ]; then
		if ! has sudo; then
			echo "$what is missing: run 'apt-get install -y $*' as root, then run this again" >&2
			exit 1
		fi
		apt=(sudo -n env DEBIAN_FRONTEND=noninteractive apt-get)
	fi
	echo "installing $*"
	export DEBIAN_FRONTEND=noninteractive
	if [ -z "$updated" ]; then
		"${apt[@]}" -q -o Acquire::Retries=3 update >"$cache/apt.log" 2>&1 || true # an old list may do
		updated=1
	fi
	if ! "${apt[@]}" -q -y -o Acquire::Retries=3 install --no-install-recommends "$@" >>"$cache/apt.log" 2>&1; then
		tail -n 20 "$cache/apt.log" >&2
		echo "$what is missing and 'apt-get install $*' failed: install it yourself, then run this again" >&2
		exit 1
	fi
}

# current <stamp> <file...> says whether the files are the ones of the last successful installation.
digest() { cat "$@" | cksum; }
current() { [ -f "$1" ] && [ "$(cat "$1")" = "$(digest "${@:2}")" ]; }

has cc || has gcc || has clang || system "a C compiler, which the race detector needs," gcc libc6-dev
has redis-server || system "redis-server" redis-server

# Python: a virtual environment per generation of the SDK, which exclude each other.
python3 -c 'import ensurepip, venv, sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1 ||
	system "Python 3.10 or later with venv" python3 python3-venv
for generation in v1 v2; do
	requirements=integration/python/requirements-$generation.txt
	venv=$cache/python-$generation
	if ! current "$venv/installed" "$requirements"; then
		echo "installing $requirements"
		rm -rf "$venv"
		python3 -m venv "$venv"
		"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$requirements"
		digest "$requirements" >"$venv/installed"
	fi
done

# Node: the system's when it is new enough, else the one that npm has.
new_enough() { "$1" -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 22 ? 0 : 1)' >/dev/null 2>&1; }
has npm || { has node && system npm npm; } || system "Node with npm" nodejs npm
if has node && new_enough node; then
	ln -sfn "$(command -v node)" "$cache/bin/node"
elif ! new_enough "$cache/bin/node"; then
	echo "installing node $node_version"
	npm install --silent --no-audit --no-fund --prefix "$cache/node-$node_version" "node@$node_version"
	ln -sfn "$cache/node-$node_version/node_modules/.bin/node" "$cache/bin/node"
fi
if ! new_enough "$cache/bin/node"; then
	echo "Node 22 or later is missing and npm's node@$node_version does not run here: install it, then run this again" >&2
	exit 1
fi

packages=$cache/node
if ! current "$packages/installed" integration/node/package.json integration/node/package-lock.json; then
	echo "installing integration/node"
	mkdir -p "$packages"
	cp integration/node/package.json integration/node/package-lock.json "$packages/"
	(cd "$packages" && PATH="$cache/bin:$PATH" npm ci --silent --no-audit --no-fund)
	digest integration/node/package.json integration/node/package-lock.json >"$packages/installed"
fi
# Node looks for packages above the importing file, so the clients are run under this name.
ln -sfn ../../integration/clients "$packages/clients"
