#!/usr/bin/env bash
# Measures the CPU seconds of a build from scratch: in total, by target, and for the slowest files.
#   scripts/build-cost.sh [PRESET [TARGET...]]
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/build-cost.sh [PRESET [TARGET...]]

Builds TARGETs of PRESET from nothing into build/cost, without ccache, and prints
the CPU seconds (user and system) of the whole, of each target and of the twenty
dearest files. Without arguments: cursor-chat of the preset release.

CPU seconds move less than wall time on a busy machine, but they do grow there by
up to a third (the load before the build is printed): compare figures of one run.
END
}

# Used as the launcher of each command of the build: runs the command, and records its CPU seconds.
# CMake leaves out target and output if a command has none. Such short lines are not interleaved.
timed() { # LOG [TARGET [OUTPUT]] -- COMMAND...
  local log=$1 labels=() told status=0
  shift
  while [ "$1" != -- ]; do
    labels+=("$1")
    shift
  done
  shift
  local TIMEFORMAT='%U %S'
  # The command keeps its own output; the output of `time` goes to the variable.
  exec 3>&1 4>&2
  told=$({ time "$@" 1>&3 2>&4; } 2>&1) || status=$?
  printf '%s %s %s\n' "$told" "${labels[0]:-other}" "${labels[1]:-other}" >>"$log"
  return "$status"
}

case "${1:-}" in
  --timed) timed "${@:2}"; exit ;;
  -h | --help) usage; exit ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=${1:-release}
targets=("${@:2}")
if [ $# -eq 0 ]; then targets=(cursor-chat); fi
build=$PWD/build/cost
log=$build/cost.log
rm -rf "$build"
mkdir -p "$build"
: >"$log"

load=$(cut -d' ' -f1 /proc/loadavg)
cat >"$build/launch.cmake" <<END
set(launcher "$PWD/scripts/build-cost.sh --timed $log")
set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE "\${launcher} <TARGET_NAME> <OBJECT> --")
set_property(GLOBAL PROPERTY RULE_LAUNCH_LINK "\${launcher} <TARGET_NAME> <TARGET> --")
set_property(GLOBAL PROPERTY RULE_LAUNCH_CUSTOM "\${launcher} generate --")
END
start=$SECONDS
cmake --preset "$preset" -B "$build" -DCURSORWIRE_CCACHE=OFF \
  -DCMAKE_PROJECT_cursorwire_INCLUDE="$build/launch.cmake" >"$build/configure.log"
CCACHE_DISABLE=1 cmake --build "$build" ${targets[@]+--target "${targets[@]}"}
seconds=$((SECONDS - start))

echo
echo "preset $preset, ${targets[*]:-all targets}: $(nproc) cores, load before the build $load"
awk -v wall="$seconds" '{ cpu += $1 + $2 } END {
  printf "%8.1f CPU s in all, %d commands, %d s of wall time\n", cpu, NR, wall }' "$log"
echo
echo "CPU seconds by target"
awk '{ cpu[$3] += $1 + $2; files[$3]++ } END {
  for (t in cpu) printf "%8.1f  %s (%d)\n", cpu[t], t, files[t] }' "$log" | sort -rn
echo
echo "the twenty dearest files"
awk '{ printf "%8.1f  %s\n", $1 + $2, $4 }' "$log" | sed "s|$build/||; s|CMakeFiles/||; s|\.dir/Unity/unity_|, batch |; s|_cxx\.cxx\.o\$||" |
  sort -rn | head -20
