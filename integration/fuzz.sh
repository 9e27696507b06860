#!/usr/bin/env bash
# Runs every fuzz target of the module for a time: integration/fuzz.sh [time], by default 1m.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-1m}

found=0
# Only packages with a target in their source are built; linking Caddy to find none would take minutes.
while read -r dir; do
	targets=$(go test -list '^Fuzz' "./$dir" | grep '^Fuzz' || true)
	for target in $targets; do
		found=$((found + 1))
		echo "--> $dir $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$dir"
	done
done < <(git ls-files '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u)

if [ "$found" = 0 ]; then
	echo "no fuzz target was found" >&2
	exit 1
fi
echo "$found fuzz targets, $time each"
