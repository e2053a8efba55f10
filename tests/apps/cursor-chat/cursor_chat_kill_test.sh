#!/usr/bin/env bash
# Programs that are killed, and servers of tools that are: nothing is left behind. The moments are as
# many bytes of what is said.
# Usage: cursor_chat_kill_test.sh PROGRAM FAKE_SERVER
. "$(dirname "$0")/../support.sh"
fake=$(realpath "$2")
chat=$(realpath "$chat")
rounds=$(rounds 25 5)
cd "$dir" || exit 1
mkdir work
printf '{"mcpServers":{"tools":{"command":"%s"}}}' "$fake" >"$dir/servers.json"

# The numbers of the programs and servers of this test that run.
running() {
  local process
  for process in /proc/[0-9]*; do
    [ "$process/exe" -ef "$chat" ] || [ "$process/exe" -ef "$fake" ] || continue
    ! grep -qzxF "HOME=$dir" "$process/environ" 2>/dev/null || echo "${process#/proc/}"
  done
}
servers() {
  local process
  for process in $(running); do
    [ ! "/proc/$process/exe" -ef "$fake" ] || echo "$process"
  done
}
expect_nothing_left() {
  local i
  for ((i = 0; i < 1000; ++i)); do # ten seconds
    [ -n "$(running)" ] || return
    sleep 0.01
  done
  fail "a process is left: $(for i in $(running); do tr '\0' ' ' <"/proc/$i/cmdline"; done)"
}

# Starts the program, with its output at descriptor 8 and its input at 9.
start() {
  rm -f "$dir/input" "$dir/output"
  mkfifo "$dir/input" "$dir/output"
  "$chat" "$@" <"$dir/input" >"$dir/output" 2>"$err" &
  pid=$!
  exec 9>"$dir/input" 8<"$dir/output"
}
send() { printf '%s\n' "$1" >&9; }
# So many bytes at most, as far as they come.
read_bytes() { IFS= read -r -t 5 -N "$1" -u 8 part || :; }
stop() {
  kill -9 "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  exec 8<&- 9>&-
}

it 'leaves no server behind where it is killed'
for ((round = 0; round < rounds; ++round)); do
  start --local --format stream-json --mcp-config "$dir/servers.json" 'Say something.'
  read_bytes "$(moment "$round" "$rounds" 1500)"
  stop
  expect_nothing_left
done

it 'leaves nothing behind where an editor and its agent are killed'
for ((round = 0; round < 2 * rounds; ++round)); do
  start acp --local --mcp-config "$dir/servers.json"
  send '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
  send '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"'"$dir"'/work"}}'
  if [ $((round % 2)) -eq 0 ]; then
    read_bytes "$(moment "$round" $((2 * rounds)) 2000)"
  else
    session=
    while [ -z "$session" ] && read -r -t 20 -u 8 line; do
      case $line in *'"id":1'*) session=$(sed -n 's/.*"sessionId":"\([0-9a-f]*\)".*/\1/p' <<<"$line") ;; esac
    done
    [ -n "$session" ] || fail 'no session is opened'
    send '{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"'"$session"'","prompt":[{"type":"text","text":"Say something."}]}}'
    read_bytes "$(moment "$round" $((2 * rounds)) 2000)"
  fi
  if [ "$(moment $((round / 2 % 2)) 2 2)" -eq 0 ]; then
    stop
  else # the editor alone: both its ends of the pipes are closed at once
    exec 8<&- 9>&-
    wait "$pid"
  fi
  expect_nothing_left
done

it 'answers without a server that is killed'
for ((round = 0; round < rounds; ++round)); do
  start --local --format stream-json --mcp-config "$dir/servers.json" 'Say something.'
  read_bytes "$(moment "$round" "$rounds" 1500)"
  # shellcheck disable=SC2046
  kill -9 $(servers) 2>/dev/null
  cat <&8 >"$out"
  wait "$pid" || fail "exit code $?"
  expect_in "$out" turn_ended
  exec 8<&- 9>&-
  expect_nothing_left
done

finish
