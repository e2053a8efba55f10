#!/usr/bin/env bash
# Shows whether costs grow where they should stay the same, as tables in Markdown:
#   bench/growth.sh [BUILD_FOLDER]
# a message with 1 to 1,000 calls at the same time (in instructions, so it needs valgrind); a byte in
# messages of 64 bytes to 16 MiB; a turn of a conversation of 500; a tool of a request with 500 (it
# needs core_bench, which needs Google Benchmark). What is missing is named and left out.
#   GROWTH_SCALE=1  divides the numbers of messages, turns and repetitions, to try it quickly
set -euo pipefail
root=$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")
bin=$(realpath "${1:-$root/build/release}")/bin
scale=${GROWTH_SCALE:-1}
for program in stream-bench conversation-bench; do
  [ -x "$bin/$program" ] || { echo "growth: no $bin/$program; build it first" >&2; exit 2; }
done

# shellcheck source=bench/server.sh
source "$root/bench/server.sh"
start_server

instructions() { # CLIENT STREAMS MESSAGES_OF_EACH
  instructions_of "${counter[@]}" "${bench[@]}" --client "$1" --shape frame --streams "$2" --messages "$3" \
    --warm-up 0 --repetitions 1
}

streams_table() {
  if ! command -v valgrind >/dev/null; then
    echo "Left out: messages over many calls (valgrind is not installed)"
    return
  fi
  local client streams row few many messages=$((10000 / scale))
  echo "| instructions a message, with calls at the same time | 1 | 10 | 100 | 1,000 |"
  echo "| --- | --- | --- | --- | --- |"
  for client in raw observer stream chat; do
    row="| $client |"
    for streams in 1 10 100 1000; do
      # As many messages in all, whatever the number of calls; at least one of each.
      few=$(((messages + streams - 1) / streams))
      many=$(instructions "$client" "$streams" $((2 * few)))
      row+=" $(((many - $(instructions "$client" "$streams" "$few")) / (few * streams))) |"
    done
    echo "$row"
  done
}

bytes_table() {
  local size messages clients=(raw observer stream chat) client
  local least=$((16 / scale > 0 ? 16 / scale : 1)) # the first of them makes the buffers large
  echo "| CPU ns a byte | ${clients[*]} |" | sed 's/ \(observer\|stream\|chat\)/ | \1/g'
  echo "| --- | --- | --- | --- | --- |"
  for size in 64 1024 16384 65536 1048576 16777216; do
    messages=$((64 * 1024 * 1024 / size / scale))
    [ "$messages" -le 100000 ] || messages=100000
    [ "$messages" -ge "$least" ] || messages=$least
    local arguments=()
    for client in "${clients[@]}"; do arguments+=(--client "$client"); done
    "${bench[@]}" "${arguments[@]}" --shape 64k --bytes "$size" --messages "$messages" --warm-up 2 \
      --repetitions $((5 / scale > 0 ? 5 / scale : 1)) --format json |
      sed -n 's/.*"cpu_us": \([0-9.e+-]*\).*/\1/p' |
      awk -v size="$size" 'BEGIN { printf "| messages of %d bytes |", size }
        { printf " %.2f |", $1 * 1000 / size } END { print "" }'
  done
}

streams_table
echo
bytes_table
echo
echo '```'
"$bin/conversation-bench" $((500 / scale))
echo '```'
echo
if [ -x "$bin/core_bench" ]; then
  echo '```'
  "$bin/core_bench" --benchmark_filter=StartWithTools 2>/dev/null
  echo '```'
else
  echo "Left out: tools (no $bin/core_bench, which needs Google Benchmark)"
fi
stop_server
