#!/usr/bin/env bash
# Fails if an optimised program or shared library lacks the protection that cmake/
# CursorwireHardening.cmake asks for.
#   scripts/check-hardening.sh FILE...
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 FILE..." >&2; exit 2; }
status=0
require() { # FILE WHAT PATTERN READELF-OPTION
  local told
  told=$(readelf "$4" -W "$1")
  grep -qE "$3" <<<"$told" || { echo "$1: no $2" >&2; status=1; }
}
for file in "$@"; do
  require "$file" "position of its own for each run" 'Type: +DYN' -h
  require "$file" "read-only relocations" 'GNU_RELRO' -l
  require "$file" "immediate binding" 'BIND_NOW|Flags:.*NOW' -d
  require "$file" "stack protector" '__stack_chk_fail' -s
  require "$file" "fortified calls" '__[a-z]+_chk' -s
done
exit "$status"
