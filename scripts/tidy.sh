#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy, and fails if it finds anything.
#   scripts/tidy.sh            all of src, include, apps, examples and bench
#   scripts/tidy.sh FILE.cc... these files, and the headers they include
# Most of the time goes into included headers. So the first form reads all files of a folder and its
# subfolders as one unit, unless the folder has several programs, whose files are read one by one. A
# unit without findings is not checked again until it changes, in any checkout on the machine: the
# results are stored in $XDG_CACHE_HOME/cursorwire/tidy, which may be removed at any time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=$PWD/build/tidy
units=$build/units
clean_units=${XDG_CACHE_HOME:-$HOME/.cache}/cursorwire/tidy
export build units clean_units

# A compile database with one entry for each file, without batches.
prepare() {
  mkdir -p "$units" "$clean_units"
  if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCURSORWIRE_UNITY=OFF &&
    cmake --build "$build" --target cursorwire_generate cursorwire_eliza_generate; } >"$build/prepare.log" 2>&1; then
    cat "$build/prepare.log" >&2
    exit 1
  fi
}

# The command that compiles a file, without its output.
command_of() { # FILE
  sed -nE "s|^ *\"command\": \"(.*) -o [^ ]+ -c $1\",?\$|\1|p" "$build/compile_commands.json" |
    head -n 1
}

# Writes a file that includes the given files, its compile command, and its entry for a compile
# database. The command is the longest of theirs, which finds the headers of all.
write_unit() { # NAME FILE...
  local unit=$units/$1 file command
  shift
  command=$(for file in "$@"; do command_of "$PWD/$file"; done |
    awk 'length($0) > length(best) { best = $0 } END { print best }')
  [ -n "$command" ] || { echo "tidy: $1 is in no target" >&2; return 1; }
  for file in "$@"; do echo "#include \"$PWD/$file\""; done >"$unit.cc"
  echo "$command" >"$unit.command"
  printf '{"directory": "%s", "file": "%s", "command": "%s -c %s"},\n' \
    "$build" "$unit.cc" "$command" "$unit.cc" >"$unit.entry"
}

# Leaves out what needs a package that install-deps.sh does not install, where that is not there.
only_compiled() {
  local file
  while read -r file; do
    case $file in
      bench/peers/grpc_peer.cc) [ -n "$(command_of "$PWD/$file")" ] || continue ;;
    esac
    echo "$file"
  done
}

write_units() { # FOLDER
  local name=${1//\//_} files programs file
  mapfile -t files < <(git ls-files -- ":(glob)$1/**/*.cc" | only_compiled)
  programs=$({ grep -lE '^int main\(' "${files[@]}" || true; } | wc -l)
  if [ "$programs" -le 1 ]; then
    write_unit "$name" "${files[@]}"
    return
  fi
  for file in "${files[@]}"; do
    write_unit "${name}_$(basename "$file" .cc)" "$file"
  done
}

# Filters out the count of suppressed warnings.
tidy() {
  clang-tidy --quiet "$@" 2> >(grep -vE '^[0-9]+ (warning|error)s?.* (generated|treated as errors?)' >&2)
}

# A hash of everything that clang-tidy would see of the unit: the checks, and the unit with its
# includes, macros and comments (there may be a NOLINT; not those within macros, which some libraries
# turn into names of files). Does not depend on the checkout's path.
fingerprint() { # UNIT
  local command
  read -ra command <"$1.command"
  {
    clang-tidy --version
    cat .clang-tidy scripts/tidy.sh
    echo "${command[*]}"
    "${command[@]}" -E -C -dD "$1.cc"
  } | sed "s|$PWD/||g" | sha256sum | cut -d' ' -f1
}

tidy_once() { # UNIT, which includes .cc files on purpose
  local clean
  clean=$clean_units/$(fingerprint "$1")
  [ ! -e "$clean" ] || return 0
  tidy -p "$units" --checks=-bugprone-suspicious-include "$1.cc"
  : >"$clean"
}
export -f command_of only_compiled write_unit write_units tidy fingerprint tidy_once

prepare
if [ $# -gt 0 ]; then
  printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'tidy -p "$build" "$1"' tidy
  exit
fi

rm -f "$units"/*
git ls-files 'src/*.cc' 'apps/*.cc' 'examples/*.cc' 'bench/*.cc' |
  sed -E 's#^((src|apps)/[^/]*|[^/]*)/.*#\1#' | sort -u |
  xargs -I{} bash -euo pipefail -c 'write_units {}'
{ echo "["; cat "$units"/*.entry | sed '$ s/,$//'; echo "]"; } >"$units/compile_commands.json"

# The largest first, so that no core has to wait for the last one.
wc -c "$units"/*.cc | grep -v ' total$' | sort -rn | awk '{sub(/\.cc$/, "", $2); print $2}' |
  xargs -n 1 -P "$(nproc)" bash -euo pipefail -c 'tidy_once "$1"' tidy
find "$clean_units" -type f -mtime +30 -delete
echo "tidy: nothing found"
