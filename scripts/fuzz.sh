#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Runs the fuzzers of the preset `fuzz`, one on each core, or one of them.
  scripts/fuzz.sh [SECONDS] [NAME]
SECONDS is the time for each (default 60). What is not built is built first: only NAME, if it is
given. New inputs stay in build/fuzz/corpus; an input that breaks an invariant is written to
build/fuzz/crashes.
Exit codes: 0 nothing found; 1 a finding, or a failure to build; 2 usage
END
}

# The dictionaries of a fuzzer, by their names in fuzz/dictionaries/*.dict.
dictionaries_of() {
  case $1 in
    available_models | common_update | proto_reader | run | selected_context | session) echo protobuf ;;
    bridge_frames) echo bridge json ;;
    connection) echo http2 json ;;
    account_usage | chat_completion | end_stream | login_tokens) echo json ;;
    documents) echo documents json ;;
    h2_session) echo http2 ;;
    jsonrpc) echo json jsonrpc ;;
    acp_params) echo acp json ;;
    mcp | mcp_http) echo json jsonrpc mcp ;;
    markdown) echo markdown ;;
    rule_file) echo rules ;;
    trace) echo json trace ;;
    value) echo json protobuf ;;
  esac
}

# Writes the dictionaries of the fuzzer $1 to the file $2; false if it has none.
write_dictionary() {
  local name
  : >"$2"
  for name in $(dictionaries_of "$1"); do cat "fuzz/dictionaries/$name.dict" >>"$2"; done
  [ -s "$2" ]
}

build() {
  [ -f build/fuzz/CMakeCache.txt ] || cmake --preset fuzz
  cmake --build --preset fuzz --target "${@/#/fuzz_}"
}

# Fuzzes $1 for $2 seconds; false if there is a finding, whose file is printed.
fuzz() {
  # Without this, libFuzzer spends far more time on counting rare features than on our larger
  # harnesses.
  local name=$1 seconds=$2 log=build/fuzz/$1.log options=(-entropic=0)
  mkdir -p build/fuzz/crashes "build/fuzz/corpus/$name"
  if write_dictionary "$name" "build/fuzz/$name.dict"; then
    options+=("-dict=build/fuzz/$name.dict")
  fi
  echo "fuzz $name for $seconds s"
  if "build/fuzz/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/crashes/$name-" "${options[@]}" \
    "build/fuzz/corpus/$name" "fuzz/corpus/$name" >"$log" 2>&1; then
    echo "fuzz $name: $(sed -nE 's/^stat::number_of_executed_units: +//p' "$log") inputs, nothing found"
    return 0
  fi
  tail -n 60 "$log" >&2
  local crash
  crash=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
  {
    echo "fuzz: FOUND by $name: ${crash:-no file was written; see $log}"
    [ -z "$crash" ] || echo "fuzz: again with: build/fuzz/fuzz/fuzz_$name $crash"
  } >&2
  return 1
}

if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  usage
  exit 0
fi
seconds=${1:-60}
only=${2:-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ || $# -gt 2 ]]; then
  usage >&2
  exit 2
fi
names=(fuzz/*_fuzzer.cc)
names=("${names[@]#fuzz/}")
names=("${names[@]%_fuzzer.cc}")
if [ -n "$only" ]; then
  if [[ " ${names[*]} " != *" $only "* ]]; then
    echo "fuzz: no fuzzer '$only'; there are: ${names[*]}" >&2
    exit 2
  fi
  names=("$only")
fi

build "${names[@]}"
export -f dictionaries_of write_dictionary fuzz
if ! printf '%s\n' "${names[@]}" |
  xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz "$1" "$2"' fuzz {} "$seconds"; then
  echo "fuzz: see what was FOUND above" >&2
  exit 1
fi
echo "fuzz: nothing found"
