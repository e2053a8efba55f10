#!/usr/bin/env bash
# What cursor-chat acp is as a process: its streams, its end, its options, its files.
# Usage: cursor_chat_acp_test.sh PROGRAM LOCAL_UPSTREAM BAD_SERVER
. "$(dirname "$0")/../support.sh"
upstream=$2
bad_server=$3
server_err=$dir/server_err
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
cd "$dir" || exit 1
mkdir work

initialize='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
new='{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"'$dir'/work"}}'

# Starts the program as an editor does: sets pid. Its messages come by read_until.
start() {
  coproc EDITOR { exec "$chat" acp "$@" 2>"$err"; }
  pid=$EDITOR_PID
  : >"$out"
}
send() { printf '%s\n' "$1" >&"${EDITOR[1]}"; }
# Reads messages up to one with this text; sets line.
read_until() {
  while read -r -t 20 line <&"${EDITOR[0]}"; do
    printf '%s\n' "$line" >>"$out"
    case $line in *"$1"*) return ;; esac
  done
  fail "no message with '$1' comes"
}
leave() {
  eval "exec ${EDITOR[1]}>&-"
  wait "$pid"
  status=$?
}
# Opens a session: sets session.
open_session() {
  send "$initialize"
  read_until '"id":0'
  send "$new"
  read_until '"id":1'
  session=$(sed -n 's/.*"sessionId":"\([0-9a-f]*\)".*/\1/p' <<<"$line" | head -n 1)
}
prompt() { # ID TEXT
  send '{"jsonrpc":"2.0","id":'"$1"',"method":"session/prompt","params":{"sessionId":"'"$session"'","prompt":[{"type":"text","text":"'"$2"'"}]}}'
}
# Starts an agent that does these steps: sets server and url.
start_script() {
  printf '{"name":"agent","steps":[%s]}' "$1" >"$dir/script.json"
  rm -f "$dir/lines"
  mkfifo "$dir/lines"
  "$upstream" --plaintext --once "$dir/script.json" >"$dir/lines" 2>"$server_err" &
  server=$!
  url=
  read -r line <"$dir/lines" && url=${line#listening on }
  [ -n "$url" ] || fail "the agent does not start: $(cat "$server_err")"
}
expect_gone() { ! kill -0 "$1" 2>/dev/null || fail "process $1 is still there"; }

it 'the end of the input is the end'
"$chat" acp --local </dev/null >"$out" 2>"$err"
status=$?
expect_status 0
expect_empty "$out"
expect_empty "$err"

it 'a session: only messages on standard output, and kept in the state folder'
start --local
open_session
prompt 2 hello
read_until '"id":2'
expect_in "$out" '"stopReason":"end_turn"'
leave
expect_status 0
expect_lines "$out" '^\{.*"jsonrpc":"2.0".*\}$'
expect_empty "$err"
file=$dir/.local/state/cursorwire/acp/$session.session
[ -s "$file" ] || fail "there is no $file"
[ "$(stat -c %a "$file")" = 600 ] || fail "others may read the session"
[ "$(stat -c %a "$(dirname "$file")")" = 700 ] || fail "others may look into the folder"

it 'another process loads it'
start --local
send "$initialize"
send '{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"'"$session"'","cwd":"'"$dir"'/work","mcpServers":[]}}'
read_until '"id":3'
expect_in "$out" user_message_chunk
leave

it 'two processes do not open one session'
start --local
open_session
printf '%s\n' "$initialize" '{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"'"$session"'","cwd":"'"$dir"'/work"}}' |
  "$chat" acp --local >"$dir/second" 2>"$err"
expect_in "$dir/second" '"code":-32603'
leave
expect_status 0

it '--state names another folder'
start --local --state "$dir/other"
open_session
leave
[ -s "$dir/other/$session.session" ] || fail 'the session is not there'

it 'without a login it says what to do, and initialize works'
start
send "$initialize"
read_until '"id":0'
expect_in "$out" cursor_login
send "$new"
read_until '"id":1'
expect_in "$out" '"code":-32000'
expect_in "$out" CURSOR_ACCESS_TOKEN
leave
expect_status 0

# A turn in which a command runs until it is killed: sets command_pid.
start_command() {
  start_script '{"exec":{"shell_args":{"command":"env >seen; echo $$ >pid; exec sleep 600"}},"await":false},{"expect_cancel":{}}'
  mkfifo "$dir/work/pid" || exit 1
  export CURSOR_ACCESS_TOKEN=not-to-be-shown
  start --endpoint "$url" --allow shell
  unset CURSOR_ACCESS_TOKEN
  open_session
  prompt 2 go
  read -r command_pid <"$dir/work/pid"
}
# The agent was told that the turn is cancelled, and nothing is left.
expect_cancelled() {
  wait "$server"
  server=
  [ ! -s "$server_err" ] || fail "$(cat "$server_err")"
  expect_gone "$command_pid"
  rm -f "$dir/work/pid"
}

it 'commands of the agent see no token, and end with the editor'
start_command
leave
expect_status 0
expect_cancelled
expect_not_in "$dir/work/seen" not-to-be-shown
expect_not_in "$out" not-to-be-shown

for signal in TERM INT HUP; do
  it "SIG$signal ends a turn, its command and the program"
  start_command
  kill -s "$signal" "$pid"
  wait "$pid"
  status=$?
  expect_status $((128 + $(kill -l "$signal")))
  expect_cancelled
done

it 'an editor that does not read our standard error gets its answers'
start_script '{"error":{"code":"internal","message":"broken"}}'
mkfifo "$dir/unread"
exec 4<>"$dir/unread"
dd if=/dev/zero of="$dir/unread" oflag=nonblock bs=4096 count=1000 2>/dev/null  # until it is full
export CURSOR_ACCESS_TOKEN=not-to-be-shown
coproc EDITOR { exec "$chat" acp --endpoint "$url" 2>&4 4>&-; }
unset CURSOR_ACCESS_TOKEN
pid=$EDITOR_PID
: >"$out"
open_session
prompt 2 go
read_until '"id":2'
expect_in "$out" '"code":-32603'
leave
expect_status 0
exec 4<&-
wait "$server"
server=

# The program ends by itself, with this status. What it would wait for lasts 600 s or for ever, which is
# longer than this test may take.
expect_end() { # STATUS
  wait "$pid"
  status=$?
  expect_status "$1"
}

it 'an editor that is killed takes the program and its command with it'
start_command
exec 5<&"${EDITOR[0]}" 6>&"${EDITOR[1]}"
sleep 600 <&5 >&6 &  # it alone holds the pipes
editor=$!
exec 5<&- 6>&-
eval "exec ${EDITOR[0]}<&- ${EDITOR[1]}>&-"
kill -0 "$pid" || fail 'the program is gone before its editor'
{ kill -KILL "$editor" && wait "$editor"; } 2>/dev/null
expect_end 0
expect_cancelled

it 'so does one that closes our output and leaves the input open'
start_command
exec 6>&"${EDITOR[1]}"
eval "exec ${EDITOR[0]}<&-"
expect_end 0
expect_cancelled
exec 6>&-

it 'and one that keeps our output open, does not read it, and closes the input'
rm -f "$dir/work/pid"
mkfifo "$dir/work/pid"
text=$(head -c 100000 /dev/zero | tr '\0' x)
texts=
for _ in $(seq 60); do texts+='{"text":"'$text'"},'; done  # more than may wait for an editor
start_script '{"exec":{"shell_args":{"command":"echo $$ >pid; exec sleep 600"}},"await":false},'"$texts"'{"expect_cancel":{}}'
export CURSOR_ACCESS_TOKEN=not-to-be-shown
start --endpoint "$url" --allow shell
unset CURSOR_ACCESS_TOKEN
open_session
exec 5<&"${EDITOR[0]}"
prompt 2 go
read -r command_pid <"$dir/work/pid"
read -r -t 20 -N 1 _ <&5 || fail 'the agent says nothing'
eval "exec ${EDITOR[1]}>&-"
expect_end 0
expect_cancelled
exec 5<&-

it 'a host that hangs does not hold up the end'
start_bad_server silent
exec 5<&"${BAD[0]}" 6>&"${BAD[1]}"
eval "exec ${BAD[0]}<&- ${BAD[1]}>&-"
export CURSOR_ACCESS_TOKEN=not-to-be-shown
start --endpoint "http://127.0.0.1:$port"
unset CURSOR_ACCESS_TOKEN
send "$initialize"
send "$new"
read -r -t 20 line <&5  # it is asked for the models
[ "$line" = connected ] || fail 'the host is not asked'
eval "exec ${EDITOR[1]}>&-"
expect_end 0
exec 6>&-
wait "$bad_pid" || fail "the server ended with $?"
exec 5<&-

it 'servers of sessions that are being closed end with the program'
mkfifo "$dir/servers"  # each server holds it open
stubborn='{"name":"s","command":"/bin/sh","args":["-c","trap \"\" TERM; exec 4>'$dir'/servers; echo up >&4; exec sleep 600"]}'
new=${new%'}}'}',"mcpServers":['$stubborn']}}'
start --local
open_session
exec 3<"$dir/servers"
read -r -t 20 line <&3
send "${new/'"id":1'/'"id":5'}"
read_until '"id":5'
read -r -t 20 line <&3
send '{"jsonrpc":"2.0","id":6,"method":"session/close","params":{"sessionId":"'"$session"'"}}'
leave
expect_status 0
read -r -t 20 line <&3
[ $? = 1 ] || fail 'a server is still there'
exec 3<&-

it 'servers that ignore every signal that they can do not hold up the end'
stubborn='{"name":"s","command":"/bin/sh","args":["-c","trap \"\" TERM HUP INT; exec 4>'$dir'/servers; echo up >&4; while :; do sleep 600; done"]}'
new='{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"'$dir'/work","mcpServers":['$stubborn']}}'
start --local
open_session
exec 3<"$dir/servers"
read -r -t 20 line <&3
eval "exec ${EDITOR[1]}>&-"
expect_end 0
read -r -t 20 line <&3
[ $? = 1 ] || fail 'the server is still there'
exec 3<&-

it 'an editor that reads nothing any more is an end, too'
{
  printf '%s\n%s\n' "$initialize" "$initialize"
  while kill -0 "$BASHPID" 2>/dev/null && printf '%s\n' "$initialize" 2>/dev/null; do :; done
} | { "$chat" acp --local 2>"$err"; echo $? >"$dir/status"; } | head -n 1 >"$out"
status=$(cat "$dir/status")
expect_status 0
expect_lines "$out" '"protocolVersion":1'

it 'options that the editor says are refused'
for option in '--workspace .' '--session x' '--save' '-c' '--image x' '--attach x' '--format json' '--max-time 3'; do
  # shellcheck disable=SC2086
  run acp --local $option </dev/null
  expect_error 2 'with acp'
done
it '--state is for acp'
run --local --state x hi </dev/null
expect_error 2 '--state is for acp'
it 'a bad file of servers'
run acp --local --mcp-config none.json </dev/null
expect_error 2 none.json
it 'a bad list of permissions'
run acp --local --allow everything </dev/null
expect_error 2 --allow

finish
