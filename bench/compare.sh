#!/usr/bin/env bash
# Compares what a message costs our clients and those of others, against the server of stream-bench, and
# prints tables in Markdown:
#   bench/compare.sh [BUILD_FOLDER [stream-bench's options, such as --shape frame --repetitions 21]]
# BUILD_FOLDER (build/release) must have stream-bench, and curl-peer and grpc-peer where libcurl and gRPC
# C++ are found; the packages of npm stay there too. A client that is not there is named and left out,
# and so is the table of instructions without valgrind. Clients take turns in each repetition; a figure
# is a median, in parentheses the median of the ratios to raw in the same repetition.
#   COMPARE_INSTRUCTIONS="10000 20000"  the numbers of messages whose difference is counted; 0: none is
#   COMPARE_STARTS=11                   how often each program is started
#   COMPARE_IDLE=10000                  the calls that wait at the same time
set -euo pipefail
root=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
build=$(realpath "${1:-$root/build/release}")
shift || true
bin=$build/bin
read -ra instructions <<<"${COMPARE_INSTRUCTIONS:-10000 20000}"
starts=${COMPARE_STARTS:-11}
idle=${COMPARE_IDLE:-10000}
ours=(raw arena observer stream chat)

if [ ! -x "$bin/stream-bench" ]; then
  echo "compare: no $bin/stream-bench; build it: cmake --preset release -DCURSORWIRE_BUILD_BENCH=ON &&" \
    "cmake --build build/release --target stream-bench" >&2
  exit 2
fi

# shellcheck source=bench/server.sh
source "$root/bench/server.sh"

names=()    # of the peers
commands=() # without port and file of the authority
missing=()
add_peer() { # NAME COMMAND
  names+=("$1")
  commands+=("$2")
}
add_program() { # NAME PROGRAM WHAT_IT_NEEDS
  if [ -x "$bin/$2" ]; then add_peer "$1" "'$bin/$2'"; else missing+=("$1: no $bin/$2, which needs $3"); fi
}

# What sources tests/npm/npm.sh, which ends its shell where something is missing.
in_node() ( # COMMAND ARGUMENT...
  # shellcheck disable=SC2034 # for npm.sh
  test_name=compare
  # shellcheck source=tests/npm/npm.sh
  source "$root/tests/npm/npm.sh"
  "$@" 2>&1
)
leave_out() { # NAMES WHY, as npm.sh says it
  missing+=("$1: ${2#compare: SKIPPED, nothing was tested: }")
}

add_node_peers() {
  local why folder=$build/bench-peers
  if ! why=$(in_node need_node); then
    leave_out 'node-http2, connect-node' "$why"
    return
  fi
  add_peer node-http2 "node '$root/bench/peers/node_http2.mjs'"
  if ! command -v protoc >/dev/null; then
    leave_out connect-node 'protoc is not installed'
  elif ! why=$(in_node install_packages "$folder" "$root/bench/peers"); then
    leave_out connect-node "$why"
  else
    cp "$root"/bench/peers/*.mjs "$folder/"
    protoc -I"$root/proto" -I"$root/bench/peers" --include_imports \
      --descriptor_set_out="$folder/agent_service.desc" agent_service.proto
    add_peer connect-node "env DESCRIPTORS='$folder/agent_service.desc' node '$folder/connect_node.mjs'"
  fi
}

describe() {
  echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores," \
    "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release), Linux $(uname -r); $(date +%F);" \
    "load at the start $(cut -d' ' -f1 /proc/loadavg)"
  local what
  for what in "${missing[@]}"; do echo "Left out: $what"; done
}

messages() { # stream-bench's options
  local arguments=() i
  for i in "${ours[@]}"; do arguments+=(--client "$i"); done
  for i in "${!names[@]}"; do arguments+=(--peer "${names[$i]}=${commands[$i]}"); done
  "${bench[@]}" --format markdown "${arguments[@]}" "$@"
}

# Makes one call in a new process; empty: the client cannot make it.
#   call NAME SHAPE MESSAGES [COMMAND_BEFORE...]
call() {
  local name=$1 shape=$2 count=$3 i
  shift 3
  for i in "${!names[@]}"; do
    [ "${names[$i]}" = "$name" ] || continue
    echo "$shape $count 64" | sh -c "exec $* ${commands[$i]} $port '$ca_file'"
    return
  done
  "$@" "${bench[@]}" --client "$name" --shape "$shape" --messages "$count" --warm-up 0 --repetitions 1
}

# Not of JavaScript: its compiler would be counted with it.
instruction_table() {
  [ "${instructions[0]}" != 0 ] || return 0
  if ! command -v valgrind >/dev/null; then
    echo "Left out: instructions a message (valgrind is not installed)"
    return
  fi
  local name shape few many row base=() now cell column
  echo "| instructions a message | frame | record |"
  echo "| --- | --- | --- |"
  for name in "${ours[@]}" "${names[@]}"; do
    case $name in *node*) continue ;; esac
    row="| $name |"
    column=0
    for shape in frame record; do
      few=$(instructions_of call "$name" "$shape" "${instructions[0]}" "${counter[@]}")
      many=$(instructions_of call "$name" "$shape" "${instructions[1]}" "${counter[@]}")
      now=$(((many - few) / (instructions[1] - instructions[0])))
      [ "$name" != raw ] || base[column]=$now
      cell=$(awk -v now="$now" -v base="${base[$column]}" 'BEGIN { printf "%d (%.2f)", now, now / base }')
      row+=" $cell |"
      column=$((column + 1))
    done
    echo "$row"
  done
}

# Clients take turns here too.
start_table() {
  local name round before after
  for ((round = 0; round < starts; ++round)); do
    for name in "${ours[@]}" "${names[@]}"; do
      before=$(date +%s%N)
      call "$name" frame 1 >/dev/null
      after=$(date +%s%N)
      echo "$((after - before))" >>"$scratch/start-$name"
    done
  done
  echo "| a program with a call of one message, from its start to its end | ms |"
  echo "| --- | --- |"
  for name in "${ours[@]}" "${names[@]}"; do
    sort -n "$scratch/start-$name" | awk -v name="$name" '
      { values[NR] = $1 }
      END { printf "| %s | %.1f |\n", name, values[int((NR + 1) / 2)] / 1e6 }'
  done
}

add_program libcurl curl-peer "libcurl's headers"
add_program 'gRPC-C++' grpc-peer "gRPC C++ (libgrpc++-dev)"
add_node_peers
start_server
describe
echo
messages "$@"
echo
instruction_table
echo
start_table
echo
"${bench[@]}" --idle "$idle" --format markdown
stop_server
