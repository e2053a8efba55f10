#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy, and fails if it finds anything.
#   scripts/tidy.sh            all of src, include, examples and bench
#   scripts/tidy.sh FILE.cc... these files, and the headers they include
# Most of the work is what the files include. So in the first form the files of a folder are read as
# one unit; those whose local names clash with others of the folder make a unit of their own.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$PWD/build/tidy
units=$build/units
export build units

# A compile database with an entry for each file, and without batches of the build.
prepare() {
  mkdir -p "$units"
  if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCURSORWIRE_UNITY=OFF &&
    cmake --build "$build" --target cursorwire_generate cursorwire_eliza_generate; } >"$build/prepare.log" 2>&1; then
    cat "$build/prepare.log" >&2
    exit 1
  fi
}

# How a file is compiled, without what the compiler would write.
command_of() {
  sed -nE "s|^ *\"command\": \"(.*) -o [^ ]+ -c $1\",?\$|\1|p" "$build/compile_commands.json" |
    head -n 1
}

write_unit() { # NAME FILE...
  local name=$1 file
  shift
  for file in "$@"; do echo "#include \"$file\""; done >"$units/$name.cc"
}

# The files that the compiler complains of when it reads the unit.
clashing() { # NAME COMMAND
  local command
  read -ra command <<<"$2"
  { "${command[@]}" -w -ferror-limit=0 -fsyntax-only "$units/$1.cc" 2>&1 || true; } |
    sed -nE 's/^([^:]+\.cc):[0-9]+:[0-9]+: (fatal )?error: .*/\1/p' | sort -u
}

# Makes units of the files of one folder, and prints an entry of a compile database for each. A unit
# keeps its first file in any case: if that does not compile alone, clang-tidy says so.
make_units() { # FOLDER
  local folder=$1 round=1 name command files later clashes kept file
  mapfile -t files < <(git ls-files -- ":(glob)$folder/*.cc" | sed "s|^|$PWD/|")
  command=$(command_of "${files[0]}")
  [ -n "$command" ] || { echo "tidy: ${files[0]} is in no target" >&2; return 1; }
  while [ ${#files[@]} -gt 0 ]; do
    name=${folder//\//_}_$round
    later=()
    while write_unit "$name" "${files[@]}" && [ ${#files[@]} -gt 1 ]; do
      clashes=$(clashing "$name" "$command")
      [ -n "$clashes" ] || break
      kept=("${files[0]}")
      for file in "${files[@]:1}"; do
        if grep -qxF -- "$file" <<<"$clashes"; then later+=("$file"); else kept+=("$file"); fi
      done
      [ ${#kept[@]} -lt ${#files[@]} ] || break
      files=("${kept[@]}")
    done
    printf '{"directory": "%s", "file": "%s", "command": "%s -c %s"},\n' \
      "$build" "$units/$name.cc" "$command" "$units/$name.cc" >"$units/$name.entry"
    files=("${later[@]}")
    round=$((round + 1))
  done
}

# Without the count of warnings that are not shown.
tidy() {
  clang-tidy --quiet "$@" 2> >(grep -vE '^[0-9]+ (warning|error)s?.* (generated|treated as errors?)' >&2)
}
export -f command_of write_unit clashing make_units tidy

prepare
if [ $# -gt 0 ]; then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy -p "$build" "$1"' tidy
  exit
fi

rm -f "$units"/*
git ls-files 'src/*.cc' 'examples/*.cc' 'bench/*.cc' | sed 's|/[^/]*$||' | sort -u |
  xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'make_units {}'
{ echo "["; cat "$units"/*.entry | sed '$ s/,$//'; echo "]"; } >"$units/compile_commands.json"

# The longest first, so that no core waits for the last. A unit includes .cc files on purpose.
wc -c "$units"/*.cc | grep -v ' total$' | sort -rn | awk '{print $2}' |
  xargs -n 1 -P "$(nproc)" \
    bash -c 'tidy -p "$units" --checks=-bugprone-suspicious-include "$1"' tidy
echo "tidy: nothing found"
