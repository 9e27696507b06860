#!/usr/bin/env bash
# Checks that every module which is linked into Caddy with the gateway has a licence of the list below, by the text of
# its licence file in the module cache.
set -euo pipefail
cd "$(dirname "$0")/.."

# licence <file> names the licence of a text, or nothing. The spaces are joined, because authors wrap lines as they like.
licence() {
	local text
	text=$(tr -s '[:space:]' ' ' <"$1" | head -c 20000)
	case $text in
	*"Apache License"*"Version 2.0"* | *"Licensed under the Apache License, Version 2.0"*) echo Apache-2.0 ;;
	*"Mozilla Public License"*"2.0"*) echo MPL-2.0 ;;
	*"GNU AFFERO"* | *"GNU LESSER"* | *"GNU GENERAL"* | *"GNU Affero"* | *"GNU Lesser"* | *"GNU General"*) echo GPL ;;
	*"Permission is hereby granted, free of charge, to any person obtaining a copy"*) echo MIT ;;
	*"Permission to use, copy, modify, and"*"distribute this software for any purpose with or without fee"*) echo ISC ;;
	*"Redistribution and use in source and binary forms"*) echo BSD ;;
	*"CC0 1.0 Universal"* | *"This is free and unencumbered software released into the public domain"*) echo CC0 ;;
	esac
}

bad=0 total=0
declare -A count
while IFS=$'\t' read -r module dir; do
	[ -n "$module" ] || continue
	total=$((total + 1))
	if [ -z "$dir" ]; then
		echo "$module: not in the module cache; run \"go mod download\"" >&2
		bad=1
		continue
	fi
	names=()
	for file in "$dir"/[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]* "$dir"/COPYING* "$dir"/UNLICENSE*; do
		[ -f "$file" ] || continue
		name=$(licence "$file")
		[ -z "$name" ] || names+=("$name")
	done
	case " ${names[*]:-} " in
	*" Apache-2.0 "* | *" MIT "* | *" BSD "* | *" ISC "* | *" MPL-2.0 "* | *" CC0 "*)
		count[${names[0]}]=$((${count[${names[0]}]:-0} + 1)) ;;
	*)
		echo "$module: ${names[*]:-no licence that is known here} is not on the list (Apache-2.0, MIT, BSD, ISC, MPL-2.0, CC0)" >&2
		bad=1 ;;
	esac
done < <(go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}	{{.Dir}}{{end}}{{end}}' . github.com/caddyserver/caddy/v2/modules/standard | sort -u)

[ "$total" -gt 50 ] || { echo "only $total modules were found: the check itself is broken" >&2; exit 1; }
for name in "${!count[@]}"; do echo "$name: ${count[$name]}"; done | sort
[ "$bad" = 0 ] || exit 1
echo "$total modules, all on the list"
