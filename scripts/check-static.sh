#!/usr/bin/env bash
# Fails if a program needs shared libraries other than those of libc.
#   scripts/check-static.sh FILE...
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 FILE..." >&2; exit 2; }
status=0
for file in "$@"; do
  needed=$(readelf -d -W "$file" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p')
  others=$(grep -vE '^(libc|libm|ld-linux[-a-z0-9_]*)\.so' <<<"$needed" || true)
  [ -z "$others" ] || { echo "$file: needs" $others >&2; status=1; }
done
exit "$status"
