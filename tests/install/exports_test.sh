#!/usr/bin/env bash
# What shared libraries show: what the public headers mark CURSORWIRE_EXPORT, the classes and
# functions that internal headers mark for another library of ours, and nothing else.
# Usage: exports_test.sh INCLUDE_DIR SOURCE_DIR VERSION LIBRARY...
set -euo pipefail

include=$1
sources=$2
version=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
  echo "exports: $1" >&2
  exit 1
}

# The marked names. One that is not on the line of its mark is not found here, and fails below.
mapfile -t headers < <(find "$include" -name '*.h' ! -name export.h)
mapfile -t internal_headers < <(find "$sources" -name '*.h')
marked_classes() {
  cat "$@" | grep -oE '^(class|struct) (\[\[nodiscard\]\] )?CURSORWIRE_EXPORT [A-Za-z]+' |
    awk '{print $NF}' | sort -u
}
marked_classes "${headers[@]}" >"$scratch/classes"
marked_functions() {
  cat "$@" | grep -oE '^CURSORWIRE_EXPORT [^(]* [A-Za-z]+\(' | grep -oE '[A-Za-z]+\($' | tr -d '(' |
    sort -u
}
{
  marked_classes "${internal_headers[@]}"
  marked_functions "${internal_headers[@]}"
} >"$scratch/seams"
marked_functions "${headers[@]}" >"$scratch/functions"
[ "$(wc -l <"$scratch/classes")" -ge 15 ] || fail "the classes of the headers are not found"
[ "$(wc -l <"$scratch/functions")" -ge 15 ] || fail "the functions of the headers are not found"

names=$(cat "$scratch/classes" "$scratch/functions" | paste -sd '|')
seams=$(paste -sd '|' "$scratch/seams")
shown="(((collab|connect|context|documents|jsonrpc|mcp)::)?($names)|connect::internal::($seams))"
allowed="^((typeinfo|typeinfo name|vtable) for )?cursorwire::$shown(\[abi:cxx11\])?(::|\(|\$)"
: >"$scratch/all"
for library in "$@"; do
  nm -DC --defined-only "$library" | cut -d' ' -f3- >"$scratch/shown"
  [ -s "$scratch/shown" ] || fail "$library shows nothing"
  if grep -vE "$allowed" "$scratch/shown" >&2; then
    fail "$library shows the names above, which no public header marks"
  fi
  if grep -E '::(Impl|State|Queue|Turn)::' "$scratch/shown" >&2; then
    fail "$library shows the insides of a class"
  fi
  if grep -Fxf "$scratch/all" "$scratch/shown" | grep -vE '^(typeinfo|vtable)' | sort -u >&2; then
    fail "$library shows the names above, as does another library"
  fi
  sort -u "$scratch/shown" >>"$scratch/all"
  readelf -dW "$library" >"$scratch/dynamic"
  grep -qE "SONAME.*\[$(basename "$library")\.$version\]" "$scratch/dynamic" ||
    fail "$library has another soname than $(basename "$library").$version"
done

while read -r name; do
  grep -qE "^cursorwire::((collab|connect|context|documents|jsonrpc|mcp)::)?$name(\[abi:cxx11\])?\(" "$scratch/all" ||
    fail "no library shows the function $name of the public headers"
done <"$scratch/functions"
echo "$(sort -u "$scratch/all" | wc -l) names are shown, each of them marked"
