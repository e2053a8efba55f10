#!/usr/bin/env bash
# Where no thread can be started, from each one on: an error that says so, and no crash.
# Usage: cursor_chat_threads_test.sh CURSOR_CHAT FEW_THREADS_LIBRARY
. "$(dirname "$0")/../support.sh"
library=$2

# The command has worked all the same, or says what is missing.
check() {
  case $1 in
    0) ;;
    4) grep -q 'starts no more threads' "$err" || fail 'no word about threads' ;;
    *) fail "exit code $1" ;;
  esac
}

refused=0
for first in 1 2 3 4 5 6 7 8; do
  it "a question, from thread $first on"
  FEW_THREADS=$first LD_PRELOAD=$library "$chat" --local hi </dev/null >"$out" 2>"$err"
  code=$?
  check "$code"
  [ "$code" -eq 0 ] || refused=$((refused + 1))
done
[ "$refused" -ge 2 ] || fail 'threads were not refused at all'

initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}'
open='{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}'
answered=0
mkfifo "$dir/in"
for first in 1 2 3 4 5 6 7 8 9 10; do
  it "an editor, from thread $first on"
  : >"$out"
  FEW_THREADS=$first LD_PRELOAD=$library "$chat" acp --local --state "$dir/state" \
    <"$dir/in" >"$out" 2>"$err" &
  pid=$!
  exec 7<>"$dir/in"
  printf '%s\n%s\n' "$initialize" "$open" >&7
  until grep -q '"id":2' "$out" || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
  exec 7>&-
  wait "$pid"
  check $?
  if grep '"id":2' "$out" | grep -q 'starts no more threads'; then answered=$((answered + 1)); fi
done
[ "$answered" -ge 1 ] || fail 'session/new was never answered with the error'

finish
