#!/usr/bin/env bash
# What cursor-chat does with servers of the Model Context Protocol. local-upstream plays the agent,
# and checks the answers.
# Usage: cursor_chat_mcp_test.sh PROGRAM LOCAL_UPSTREAM FAKE_SERVER
. "$(dirname "$0")/../support.sh"
upstream=$2
fake=$3
server_err=$dir/server_err
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
cd "$dir" || exit 1

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
stop_agent() {
  [ "$status" -eq 0 ] || kill -TERM "$server" 2>/dev/null
  wait "$server"
  server=
  [ ! -s "$server_err" ] || [ "$status" -gt 128 ] || fail "$(cat "$server_err")"
}
# The steps of an agent that then says that it is done, and the arguments of the program.
plays() {
  start_script "$1,{\"text\":\"Done.\"},{\"turn_ended\":{}}"
  shift
  CURSOR_ACCESS_TOKEN=not-to-be-shown run "$@" --endpoint "$url" hi </dev/null
  stop_agent
  expect_status 0
  expect_in "$out" Done.
}
# The step of a call, and what its answer must match.
call() { printf '{"call_tool":{"name":"%s","arguments":%s},"expect":{"mcp_result":%s}}' "$@"; }
# The answer of a tool that is this text alone; with an error or without.
text() { printf '{"success":{"is_error":%s,"content":[{"text":{"text":%s}}]}}' "$@"; }
rejected() { printf '{"rejected":{"reason":{"$contains":"%s"}}}' "$1"; }
# A file with one server, and the words that it is started with.
config() {
  local file=$1 word words=
  shift
  for word in "$@"; do words="$words${words:+,}\"$word\""; done
  printf '{"mcpServers":{"my fake":{"command":"%s","args":[%s],"env":{"SEEN":"${SEEN:-no}"}}}}' \
    "$fake" "$words" >"$file"
}
# The number of a process: it ends, or has ended and is not waited for yet.
expect_end() {
  [ -n "$1" ] || { fail "$2 has not started"; return; }
  for ((i = 0; i < 6000; ++i)); do # a minute
    case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | [ZX]*) return ;; esac
    sleep 0.01
  done
  fail "$2 still runs"
}

config good.json
config stays.json stays pid pid child child

it 'tools are offered as those of their server'
plays "$(printf '{"expect_request":{"mcp_tools":{"mcp_tools":{"$contains":%s}}}}' \
  '{"name":"my-fake_echo","provider_identifier":"my-fake","tool_name":"echo","description":"Does echo"}')" \
  --mcp-config good.json
expect_empty "$err"

it 'a tool works, however it is called'
plays "$(call my-fake_echo '{"a":1}' "$(text false '"echo {\"a\":1}"')"),$(
  call mcp_my-fake_echo '{}' "$(text false '"echo {}"')"),$(
  printf '{"exec":{"mcp_args":{"name":"mcp_my-fake_echo","provider_identifier":"my-fake","tool_name":"echo","tool_call_id":"c"}},"expect":{"mcp_result":%s}}' \
    "$(text false '"echo {}"')")" --mcp-config good.json

it 'results of each kind'
plays "$(call my-fake_image '{}' '{"success":{"content":[{"image":{"mime_type":"image/png"}}]}}'),$(
  call my-fake_structured '{}' '{"success":{"structured_content":{"n":7}}}'),$(
  call my-fake_fail '{}' "$(text true '"it did not work"')"),$(
  call my-fake_refuse '{}' "$(text true '"my fake: bad arguments (error -32602)"')")" \
  --mcp-config good.json

it 'a server gets no token, and what its file names'
plays "$(call my-fake_env '{}' "$(text false '{"$contains":"SEEN=no"}')")" --mcp-config good.json
expect_not_in "$out" not-to-be-shown

it 'a server starts in the folder of its file, and is told the workspace'
mkdir -p own foreign
config own/servers.json '${workspaceFolder}'
sed -i 's/"SEEN":"[^"]*"/"SEEN":"${workspaceFolder}"/' own/servers.json
plays "$(call my-fake_folder '{}' "$(text false "\"$dir/own\"")"),$(
  call my-fake_env '{}' "$(text false "{\"\$contains\":\"SEEN=$dir/foreign\"}")")" \
  --mcp-config own/servers.json --workspace foreign
plays "$(call my-fake_folder '{}' "$(text false "\"$HOME\"")")" --mcp-config <(cat own/servers.json)
mkdir -p own/sub
ln -s own/sub into_own
plays "$(call my-fake_folder '{}' "$(text false "\"$dir/own\"")")" --mcp-config into_own/../servers.json

it 'what a server takes to start is part of --max-time'
printf '{"mcpServers":{"silent":{"command":"sleep","args":["600"]}}}' >silent.json
run --local --mcp-config silent.json --max-time 0.2 hi </dev/null
expect_status 5
expect_in "$err" 'this took longer than --max-time'
expect_empty "$out"

it 'a folder does not decide what a launcher runs'
command -v python3 >/dev/null && {
  mkdir -p planted own/lib
  echo "open('$dir/ran', 'w').close()" | tee planted/json.py planted/uvx >/dev/null
  chmod +x planted/uvx
  echo 'import json' >own/lib/honest_server.py
  printf '{"mcpServers":{"m":{"command":"python3","args":["-m","honest_server"],"env":{"PYTHONPATH":"%s"}},"p":{"command":"uvx","env":{"PATH":"/none::/usr/bin:/bin"}}}}' \
    "$dir/own/lib" >own/launchers.json
  run --local --mcp-config own/launchers.json --workspace planted --allow none hi </dev/null
  expect_status 0
  [ ! -e ran ] || fail 'it ran what lies in the folder'
}

# The steps of an agent that looks at resources, and what the reading is answered with.
resources() {
  printf '{"exec":{"list_mcp_resources_exec_args":{}},"expect":{"list_mcp_resources_exec_result":%s}},' \
    '{"success":{"resources":[{"uri":"fake://notes","name":"notes","server":"my-fake"},{"uri":"fake://logo"}]}}'
  printf '{"exec":{"read_mcp_resource_exec_args":{"server":"my-fake","uri":"fake://notes"}},"expect":{"read_mcp_resource_exec_result":%s}}' \
    "$1"
}
it 'resources, without a workspace and beside one, and the state of servers'
for workspace in '' '--workspace .'; do
  # shellcheck disable=SC2086
  plays "$(resources '{"success":{"uri":"fake://notes","mime_type":"text/plain","text":"Buy milk."}}'),$(
    printf '{"exec":{"mcp_state_exec_args":{}},"expect":{"mcp_state_exec_result":{"success":{"servers":[%s]}}}}' \
      '{"server_name":"my fake","server_identifier":"my-fake","status":"ready","instructions":[{"instructions":"Echo first."}]}')" \
    --mcp-config good.json $workspace
done
it 'a reading is refused as a call is'
plays "$(resources "$(rejected 'in plan mode')")" --mcp-config good.json --mode plan
plays "$(resources "$(rejected 'does not allow')")" --mcp-config good.json --allow none
it 'no resources are no success'
config without.json no-resources
plays '{"exec":{"list_mcp_resources_exec_args":{}},"expect":{"list_mcp_resources_exec_result":{"rejected":{}}}}' \
  --mcp-config without.json

it 'a server that ends in a call is started again'
plays "$(call my-fake_exit '{}' "$(text true '{"$contains":"it has ended with exit code 4: fake: going down"}')"),$(
  call my-fake_echo '{}' "$(text false '"echo {}"')")" --mcp-config good.json

it 'an answer over the bound is an error at once, and the server is started again'
plays "$(call my-fake_echo '{"mib":33}' "$(text true '{"$contains":"my fake: what it sends is over a bound"}')"),$(
  call my-fake_echo '{}' "$(text false '"echo {}"')")" --mcp-config good.json --max-time 60

it 'tools beside those of --tools'
printf '[{"name": "my-fake_echo", "command": ["cat"]}]' >tools.json
plays "$(call my-fake_echo '{"own":1}' "$(text false '{"$json":{"own":1}}')"),$(
  call mcp_my-fake_echo '{}' "$(text false '"echo {}"')")" --mcp-config good.json --tools tools.json

for mode in plan ask; do
  it "no tool of a server is called in $mode mode"
  plays "$(call my-fake_echo '{}' "$(rejected "in $mode mode")")" --mcp-config good.json --mode $mode
done
it 'none is called with --allow none'
plays "$(call my-fake_echo '{}' "$(rejected 'does not allow')")" --mcp-config good.json --allow none
it 'each call is a question with --allow ask, which needs a terminal'
start_script "$(call my-fake_echo '{}' "$(rejected 'no terminal')"),{\"text\":\"Done.\"},{\"turn_ended\":{}}"
CURSOR_ACCESS_TOKEN=t setsid -w "$chat" --mcp-config good.json --allow ask --endpoint "$url" hi \
  </dev/null >"$out" 2>"$err"
status=$?
stop_agent
expect_status 0
expect_in "$out" Done.
it 'with mcp beside it, it is not'
plays "$(call my-fake_echo '{}' "$(text false '"echo {}"')")" --mcp-config good.json --allow ask,mcp

if has_terminals; then
  it 'the user answers the question'
  start_script "$(call my-fake_echo '{"a":"\u001b[31m"}' "$(rejected 'said no')"),{\"text\":\"Done.\"},{\"turn_ended\":{}}"
  (
    for ((i = 0; i < 600; ++i)); do # half a minute
      ! grep -q 'y or n' "$out" 2>/dev/null || break
      sleep 0.05
    done
    sleep 0.6 # quicker answers are not counted
    echo n
  ) | CURSOR_ACCESS_TOKEN=t script -qfec \
    "'$chat' --mcp-config good.json --allow ask --endpoint '$url' hi" /dev/null >"$out" 2>"$err"
  status=$?
  stop_agent
  expect_in "$out" 'may the agent call this tool of a server?'
  expect_in "$out" 'server    | my fake'
  expect_in "$out" 'tool      | echo'
  expect_in "$out" 'arguments | {"a":"'
fi

it 'a bad server costs a line, and the turn goes on'
printf '{"mcpServers":{"a":{"command":"%s","args":["no-start"]},"b":{"command":"no-such"},
  "c":{"command":"x","env":{"T":"${CURSOR_ACCESS_TOKEN}"}},"good":{"command":"%s"}}}' \
  "$fake" "$fake" >mixed.json
plays "$(call good_echo '{}' "$(text false '"echo {}"')")" --mcp-config mixed.json
expect_lines "$err" '^cursor-chat: notice: server [abc]: .'
expect_in "$err" 'server a: it has ended with exit code 3: fake: the key is missing'
expect_in "$err" 'server b: there is no program no-such in PATH'
expect_in "$err" 'server c: its "env": ${CURSOR_ACCESS_TOKEN} is a token'
expect_not_in "$err" not-to-be-shown

it 'a file that is none starts nothing'
for file in '{' '[]' '{"mcpServers":{"a":{}}}' '{"mcpServers":{"a":{"command":"x","url":"http://h"}}}'; do
  printf '%s' "$file" >bad.json
  CURSOR_ACCESS_TOKEN=t run --mcp-config bad.json hi
  expect_error 2 bad.json
done
CURSOR_ACCESS_TOKEN=t run --mcp-config missing.json hi
expect_error 2 missing.json
CURSOR_ACCESS_TOKEN=t run --mcp-config '' hi
expect_error 2 '--mcp-config must not be empty'

it 'the end of a turn ends a stubborn server, and what it has started'
plays "$(call my-fake_echo '{}' "$(text false '"echo {}"')")" --mcp-config stays.json
expect_end "$(cat pid)" 'the server'
expect_end "$(cat child)" 'its child'

set -m # so that a program in the background does not ignore SIGINT
# Sends a signal once a file is there, that the server writes.
expect_end_by() {
  local signal=$1 file=$2
  rm -f pid child waits
  start_script '{"call_tool":{"name":"my-fake_wait","arguments":{}}}'
  CURSOR_ACCESS_TOKEN=t "$chat" --mcp-config stays.json --endpoint "$url" hi </dev/null \
    >"$out" 2>"$err" &
  pid=$!
  until [ -s "$file" ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
  kill "-$signal" "$pid"
  wait "$pid"
  status=$?
  stop_agent
  expect_status $((128 + $(kill -l "$signal")))
  expect_end "$(cat pid)" 'the server'
  expect_end "$(cat child)" 'its child'
}
config stays.json stays pid pid child child waits waits
for signal in INT TERM; do
  it "SIG$signal ends a call and the servers"
  expect_end_by "$signal" waits
  it "SIG$signal ends servers that have just started"
  for _ in 1 2 3; do expect_end_by "$signal" pid; done
done
it 'a signal while servers are being stopped kills them'
rm -f pid child
echo 'no session' >bad-session
chmod 600 bad-session
CURSOR_ACCESS_TOKEN=t "$chat" --mcp-config stays.json --session bad-session --endpoint http://127.0.0.1:9 hi \
  </dev/null >"$out" 2>"$err" &
pid=$!
until [ -s pid ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
kill -TERM "$pid"
wait "$pid"
status=$?
expect_status 143
expect_end "$(cat pid)" 'the server'
expect_end "$(cat child)" 'its child'
it 'kill -9 ends the input of the servers'
config pid.json pid pid
rm -f pid
start_script '{"call_tool":{"name":"my-fake_wait","arguments":{}}}'
CURSOR_ACCESS_TOKEN=t "$chat" --mcp-config pid.json --endpoint "$url" hi </dev/null >"$out" 2>"$err" &
pid=$!
until [ -s pid ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
kill -KILL "$pid"
wait "$pid" 2>/dev/null
status=137
stop_agent
expect_end "$(cat pid)" 'the server'
set +m

it 'mcp list shows what servers offer'
run mcp list mixed.json
expect_status 1
expect_in "$out" 'ok    good '
expect_in "$out" '11 tools and resources; fake 1.0, protocol 2025-11-25'
expect_in "$out" 'Does echo'
expect_in "$out" 'the key is missing'
expect_in "$err" '3 of 4 servers cannot be used'
config odd.json bad-tools noise
run mcp list odd.json
expect_status 0
expect_empty "$err"
expect_in "$out" 'Odd name, with ä (offered as Odd_name__with__'
expect_in "$out" "note: tool 'bad' is left out: its schema is no JSON object"
expect_not_in "$out" "$(printf '\033')"
run mcp list without.json
expect_in "$out" "11 tools; fake"
config bare.json no-info no-tools no-resources
run mcp list bare.json
expect_status 0
expect_in "$out" ' ms  no tools (it says so); protocol 2025-11-25'
expect_in "$out" 'note: it says that it has neither tools nor resources'
config one.json one-tool no-resources
run mcp list one.json
expect_in "$out" ' ms  1 tool; fake 1.0, protocol 2025-11-25'
config deep.json deep
run mcp list deep.json
expect_status 0
expect_in "$out" "note: tool 'deep' is left out: its schema is nested deeper than 31"
it 'mcp test says how they do'
run mcp test good.json
expect_status 0
[ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
run mcp test mixed.json --format json
expect_status 1
expect_in "$out" '"ok":false,"servers":[{"error":"it has ended with exit code 3'
it 'mcp without its file is no prompt'
run --local mcp list
expect_error 2 'mcp list needs the FILE of servers'

[ "$failures" -eq 0 ] || {
  echo "$failures failures"
  exit 1
}
