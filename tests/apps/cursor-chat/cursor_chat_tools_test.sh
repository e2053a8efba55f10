#!/usr/bin/env bash
# What cursor-chat does for the agent: commands as tools, and what --allow and --mode allow in the
# workspace. local-upstream plays the agent, and checks the answers.
# Usage: cursor_chat_tools_test.sh PROGRAM LOCAL_UPSTREAM SOURCE
. "$(dirname "$0")/../support.sh"
upstream=$2
source=$3
server_err=$dir/server_err
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
unset CURSOR_AUTH_TOKEN CURSOR_API_KEY

# Starts an agent that does these steps, and then says that it is done: sets server and url.
start_agent() { start_script "$1,{\"text\":\"Done.\"},{\"turn_ended\":{}}"; }
# The same without more than these steps.
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
# Waits until it has ended.
stop_agent() {
  [ "$status" -eq 0 ] || kill -TERM "$server" 2>/dev/null
  wait "$server"
  server=
  # A program that is interrupted, or out of time, leaves the agent in the middle of its steps.
  [ ! -s "$server_err" ] || [ "$status" -eq 130 ] || [ "$status" -eq 5 ] ||
    fail "$(cat "$server_err")"
}
# The steps of an agent, and the arguments of the program in its answer to a question.
play() {
  start_agent "$1"
  shift
  CURSOR_ACCESS_TOKEN=not-to-be-shown run "$@" --endpoint "$url" hi </dev/null
  stop_agent
}
# The same, and it must go well.
plays() {
  play "$@"
  expect_status 0
  expect_in "$out" Done.
}

# --- commands as tools

cat >"$dir/tools.json" <<'END'
[
  {"name": "echo_arguments", "description": "Gives them back", "command": ["cat"],
   "input_schema": {"type": "object", "properties": {"text": {"type": "string"}}}},
  {"name": "fails", "command": ["sh", "-c", "echo too bad; exit 3"]},
  {"name": "missing", "command": ["/no/such/program"]},
  {"name": "chatty", "command": ["sh", "-c", "head -c 2000000 /dev/zero | tr '\\0' x"]},
  {"name": "deaf", "command": ["sh", "-c", "exec <&-; echo done"]},
  {"name": "environment", "command": ["sh", "-c", "env | grep -E '^(SEEN|CURSOR_.*(TOKEN|KEY))='"]},
  {"name": "parent", "command": ["sh", "-c",
    "tr '\\0' '\\n' </proc/$PPID/environ | LC_ALL=C sort | grep -E '^(SEEN|CURSOR_.*(TOKEN|KEY))='"]},
  {"name": "looks", "command": ["sh", "-c",
    "for file in environ maps mem; do (: </proc/$PPID/$file && echo $file) 2>&-; done; (: </proc/$$/maps && [ $(ulimit -c) != 0 ] && echo own) 2>&-"]},
  {"name": "complains", "command": ["sh", "-c", "echo complaint >&2; echo done"]},
  {"name": "leaves", "command": ["sh", "-c", "sleep 600 & echo $! >left; echo done"]},
  {"name": "touch", "command": ["touch", "touched"]},
  {"name": "waits", "command": ["sh", "-c", "trap '' TERM; sleep 600 & echo $$ >p; mv p pid; wait"]}
]
END
cd "$dir" || exit 1

# The step of a call, and what its answer must match.
call() { printf '{"call_tool":{"name":"%s","arguments":%s},"expect":{"mcp_result":%s}}' "$@"; }
# The answer of a tool that is this text alone; with an error or without.
text() { printf '{"success":{"is_error":%s,"content":[{"text":{"text":%s}}]}}' "$@"; }

it 'the tools are offered'
plays "$(printf '{"expect_request":{"mcp_tools":{"mcp_tools":{"$contains":%s}}}}' \
  '{"tool_name":"echo_arguments","description":"Gives them back"}')" --tools tools.json
expect_empty "$err"

it 'a tool works'
plays "$(call fails '{}' "$(text true '"too bad\nexit code 3"')"),$(
  call echo_arguments '{"text":"a"}' "$(text false '{"$json":{"text":"a"}}')")" --tools tools.json
expect_empty "$err"

it 'arguments with a quote, a line break and more'
plays "$(call echo_arguments '{"text":"it'\''s \"a\"\n$HOME\\ \u00e4"}' \
  "$(text false '{"$json":{"text":"it'\''s \"a\"\n$HOME\\ \u00e4"}}')")" --tools tools.json

it 'a program that is not there'
plays "$(call missing '{}' \
  "$(text true '"cannot run /no/such/program: No such file or directory"')")" --tools tools.json

it 'an output that is too long'
plays "$(call chatty '{}' \
  "$(text false '{"$starts_with":"xxxx","$contains":"the first 523264 of 2000000 bytes"}')")" \
  --tools tools.json

it 'a program that does not read'
plays "$(call deaf "{\"text\":\"$(head -c 300000 /dev/zero | tr '\0' x)\"}" \
  "$(text false '"done\n"')")" --tools tools.json

# The number of a process, and who it is: it ends, or has ended and is not waited for yet.
expect_end() {
  for ((i = 0; i < 6000; ++i)); do # a minute
    case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in '' | [ZX]*) return ;; esac
    sleep 0.01
  done
  fail "$2 still runs"
}

# As a user without the rights of root, who may read all memory.
as_user=
if [ "$(id -u)" -eq 0 ]; then
  as_user='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'
  $as_user "$chat" --help >/dev/null 2>&1 || as_user=none
fi
if [ "$as_user" = none ] || [ -n "${SANITIZED:-}" ]; then
  echo 'left out: the memory of the program, as another user'
else
  chmod 711 "$dir"
  mkdir user_folder
  [ -z "$as_user" ] || chown 65534:65534 user_folder
  it 'no other process reads its memory; those that it starts are as ever, and so are files'
  start_agent "$(call looks '{}' "$(text false '"own\n"')"),$(printf '%s,%s' \
    '{"exec":{"write_args":{"path":"a/b","file_text":"x"}},"expect":{"write_result":{"success":{"$any":true}}}}' \
    '{"exec":{"shell_args":{"command":"cat a/b; setsid sleep 600 & echo $! >pid"}},"expect":{"shell_result":{"success":{"stdout":"x"}}}}')"
  (
    ulimit -c 7
    # shellcheck disable=SC2086 # several words
    CURSOR_ACCESS_TOKEN=abcd exec $as_user "$chat" --tools tools.json --workspace user_folder \
      --allow write,shell --endpoint "$url" hi </dev/null >"$out" 2>"$err"
  )
  status=$?
  stop_agent
  expect_status 0
  expect_empty "$err"
  expect_in "$out" Done.
  # What left the session of its command was found by its mark.
  expect_end "$(cat user_folder/pid)" 'a command'
fi

it 'a program sees no token'
tokens="$(text false '"CURSOR_ACCESS_TOKEN=xxxx\nCURSOR_API_KEY=xx\nCURSOR_AUTH_TOKEN=xxx\nSEEN=1\n"')"
if [ "$(id -u)" -ne 0 ] && [ -z "${SANITIZED:-}" ]; then
  tokens='{"success":{"is_error":true}}' # it may not look
fi
start_agent "$(call environment '{}' "$(text false '"SEEN=1\n"')"),$(call parent '{}' "$tokens")"
SEEN=1 CURSOR_ACCESS_TOKEN=abcd CURSOR_AUTH_TOKEN=abc CURSOR_API_KEY=ab \
  run --tools tools.json --endpoint "$url" hi </dev/null
stop_agent
expect_status 0

it 'what a program leaves behind is not waited for'
plays "$(call leaves '{}' "$(text false '"done\n"')")" --tools tools.json
kill "$(cat left)" || fail 'it is gone'

it 'a tool that was not offered'
plays "$(call other '{}' '{"tool_not_found":{"name":"other"}}')" --tools tools.json

it 'several at a time'
plays "{\"parallel\":[$(for i in 1 2 3 4 5; do
  [ "$i" = 1 ] || printf ,
  call echo_arguments "{\"text\":\"$i\"}" "$(text false "{\"\$json\":{\"text\":\"$i\"}}")"
done)]}" --tools tools.json

for mode in plan ask; do
  it "no tool runs in $mode mode"
  plays "$(call touch '{}' "$(text true "{\"\$contains\":\"in $mode mode\"}")")" \
    --tools tools.json --mode $mode
  [ ! -e touched ] || fail 'it ran'
done
it 'tools run in agent and debug mode'
for mode in agent debug; do
  plays "$(call touch '{}' "$(text false '""')")" --tools tools.json --mode $mode
  [ -e touched ] || fail "not in $mode mode"
  rm -f touched
done

it 'the mode is told'
plays '{"expect_request":{"action":{"user_message_action":{"user_message":{"mode":"AGENT_MODE_PLAN"}}}}}' \
  --mode plan

it 'the example'
(cd "$source" && [ -f examples/tools/weather.json ]) || fail 'it is not there'
cd "$source" || exit 1
plays "$(call get_weather '{"city":"Bern"}' "$(text false '"Bern: 14 degrees, sunny\n"')"),$(
  call get_weather '{}' "$(text true '{"$contains":"exit code 1"}')")" \
  --tools examples/tools/weather.json
cd "$dir" || exit 1

it 'Ctrl-C ends a tool'
set -m # so that a program in the background does not ignore SIGINT
for signal in INT TERM HUP QUIT; do
  rm -f pid
  start_agent '{"call_tool":{"name":"waits","arguments":{}}}'
  CURSOR_ACCESS_TOKEN=t "$chat" --tools tools.json --endpoint "$url" hi </dev/null >"$out" 2>"$err" &
  pid=$!
  until [ -e pid ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
  kill -$signal "$pid"
  wait "$pid" 2>/dev/null
  status=$?
  expect_status $((128 + $(kill -l $signal)))
  [ -e pid ] || fail "$signal: the tool does not begin"
  expect_end "$(cat pid)" "$signal: it"
  kill -TERM "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
done

it 'a second signal ends commands of the workspace'
mkdir background
start_agent '{"exec":{"background_shell_spawn_args":{"command":"echo $$ >p; mv p pid; sleep 600"}}},{"text":"'"$(
  head -c 500000 /dev/zero | tr '\0' x)"'"},{"text":"end"}'
mkfifo blocked
exec 6<>blocked # nobody reads it: the first signal does not end the program at once
CURSOR_ACCESS_TOKEN=t "$chat" --workspace background --allow shell --endpoint "$url" hi \
  </dev/null >blocked 2>"$err" 6<&- &
pid=$!
until [ -e background/pid ] || ! kill -0 "$pid" 2>/dev/null; do sleep 0.01; done
kill -INT "$pid"
kill -TERM "$pid"
wait "$pid" 2>/dev/null
status=$?
exec 6<&-
expect_status 130
[ -e background/pid ] || fail 'the command does not begin'
expect_end "$(cat background/pid)" 'it'
kill -TERM "$server" 2>/dev/null
wait "$server" 2>/dev/null
server=
set +m

# --- files that do not define tools

# A text, and what is in the error.
refuses() {
  printf '%s' "$1" >bad.json
  run --local --tools bad.json hi </dev/null
  expect_error 2 "$2"
  expect_in "$err" bad.json
}

it 'a bad file of tools'
ok='"command":["date"]'
refuses '' 'unexpected end of input'
refuses '[' 'line 1, column 2'
refuses '{}' 'must be a list of tools'
refuses '[1]' 'entry 1: it must be an object'
refuses "[{$ok}]" 'entry 1: the field "name" is missing'
refuses "[{\"name\":1,$ok}]" 'entry 1: the field "name" must be a string'
refuses "[{\"name\":\"a b\",$ok}]" 'of A-Z, a-z, 0-9, _ and -'
refuses "[{\"name\":\"\",$ok}]" 'a string of 1 to 64'
refuses "[{\"name\":\"$(printf 'a%.0s' $(seq 65))\",$ok}]" 'a string of 1 to 64'
refuses "[{\"name\":\"a\",$ok},{\"name\":\"a\",$ok}]" 'entry 2 (a): the field "name" is that of another'
refuses "[{\"name\":\"a\",\"name\":\"b\",$ok}]" 'two fields "name"'
refuses '[{"name":"a"}]' 'entry 1 (a): the field "command" is missing'
for command in '[]' '"date"' '[1]' '[""]' '["a\u0000b"]' 'null' '{"a":"b"}'; do
  refuses "[{\"name\":\"a\",\"command\":$command}]" 'entry 1 (a): the field "command" must be a list'
done
refuses "[{\"name\":\"a\",\"comand\":[\"date\"]}]" 'entry 1 (a): there is no field "comand"; did you mean "command"?'
refuses "[{\"name\":\"a\",\"schema\":{},$ok}]" 'the fields are name, description, input_schema, command and sandbox'
refuses "[{\"name\":\"a\",\"description\":1,$ok}]" 'the field "description" must be a string'
refuses "[{\"name\":\"a\",\"input_schema\":\"x\",$ok}]" 'the field "input_schema" must be a JSON Schema'
refuses "[{\"name\":\"a\",\"input_schema\":{\"x\":1e999},$ok}]" '1e999'
refuses "$(printf '[%.0s' $(seq 100000))" 'nested deeper than 128'
refuses "$(printf '[{"name":"a","description":"\377",%s}]' "$ok")" 'UTF-8'

it 'a file of tools that cannot be read'
run --local --tools "$dir/none.json" hi </dev/null
expect_error 2 "cannot read $dir/none.json: No such file or directory"
run --local --tools "$dir" hi </dev/null
expect_error 2 'Is a directory'
run --local --tools /dev/zero hi </dev/null
expect_error 2 '/dev/zero is larger than 16 MiB'

it 'a file without tools'
echo '[]' >empty.json
run --local --tools empty.json hi </dev/null
expect_status 0

# --- the workspace

mkdir w
write='{"exec":{"write_args":{"path":"new.txt","file_text":"new\\n"}},"expect":{"write_result":%s}}'
shell='{"exec":{"shell_args":{"command":"echo ran >ran.txt; echo seen"}},"expect":{"shell_result":%s}}'
# Nothing of one test is left for the next.
expect_file() { [ "$(cat "w/$1" 2>/dev/null)" = "$2" ] || fail "w/$1 has not this text: $2"; rm -f "w/$1"; }
expect_no_file() { [ ! -e "w/$1" ] || fail "w/$1 is there"; rm -f "w/$1"; }
steps() { # WRITE_RESULT SHELL_RESULT
  # shellcheck disable=SC2059 # the formats are ours
  printf "$write,$shell" "$1" "$2"
}
no_write='{"rejected":{"reason":{"$contains":"does not allow to change files"}}}'
no_shell='{"rejected":{"reason":{"$contains":"does not allow commands"}}}'
ran='{"success":{"exit_code":0,"stdout":"seen\n"}}'
wrote='{"success":{"$any":true}}'

it 'files are read as they are now, and none outside of the folder'
read='{"exec":{"read_args":{"path":"%s"}},"expect":{"read_result":%s}}'
outside='{"rejected":{"reason":{"$contains":"leads out of the folder"}}}'
printf 'secret\n' >outside.txt
for text in notes other; do
  echo "$text" >w/a.txt
  # shellcheck disable=SC2059 # the format is ours
  plays "$(printf "$read," a.txt "{\"success\":{\"content\":\"$text\\n\"}}")$(
    printf "$read" ../outside.txt "$outside")" --workspace w
done
rm w/a.txt outside.txt

it 'nothing is written or run unless it is allowed'
plays "$(steps "$no_write" "$no_shell")" --workspace w
expect_no_file new.txt
expect_no_file ran.txt

it '--allow write'
plays "$(steps "$wrote" "$no_shell")" --workspace w --allow write
expect_file new.txt new
expect_no_file ran.txt

it '--allow write, a file that git runs code from'
refused='{"rejected":{"reason":{"$contains":"other programs may run what is in this file"}}}'
code='{"exec":{"write_args":{"path":"%s","file_text":"new\\n"}},"expect":{"write_result":%s}}'
mkdir -p w/.git
ln -s .git w/link
for path in .git/config link/config sub/.git x/../.GIT/hooks/pre-commit .vscode/tasks.json; do
  # shellcheck disable=SC2059 # the format is ours
  plays "$(printf "$code" "$path" "$refused")" --workspace w --allow write
  expect_no_file "$path"
done
# shellcheck disable=SC2059
plays "$(printf "$code" .git/config "$wrote")" --workspace w --allow write,shell
expect_file .git/config new
rm -r w/.git w/link

it '--allow write, the files that say what cursor-chat itself runs'
mkdir w/own
printf '#!/bin/sh\necho before\n' >w/own/now.sh
chmod +x w/own/now.sh
printf '[{"name":"now","command":["w/own/now.sh"]}]' >w/own/tools.json
printf '{"mcpServers":{"s":{"command":"./absent.sh"}}}' >w/own/servers.json
ln w/own/tools.json w/own/other-name
for path in own/now.sh own/tools.json own/other-name own/servers.json own/absent.sh; do
  # shellcheck disable=SC2059
  plays "$(printf "$code" "$path" "$refused")" --workspace w --allow write \
    --tools w/own/tools.json --mcp-config w/own/servers.json
done
[ ! -e w/own/absent.sh ] || fail 'it made the program of a server'
# shellcheck disable=SC2059
plays "$(printf "$code" own/else.txt "$wrote"),$(call now '{}' "$(text false '"before\n"')")" \
  --workspace w --allow write --tools w/own/tools.json
rm -r w/own

it '--allow shell'
plays "$(steps "$no_write" "$ran")" --workspace w --allow shell
expect_no_file new.txt
expect_file ran.txt ran

it '--env lets variables through to commands, and sets them'
variables='{"exec":{"shell_args":{"command":"echo $CC,$SECRET,$WANTED,$SET"}},"expect":{"shell_result":{"success":{"stdout":"%s\\n"}}}}'
# shellcheck disable=SC2059 # the format is ours
CC=clang SECRET=x WANTED=y plays "$(printf "$variables" 'clang,,,')" --workspace w --allow shell
# shellcheck disable=SC2059
CC=clang SECRET=x WANTED=y plays "$(printf "$variables" 'clang,,y,a b')" --workspace w --allow shell \
  --env WANTED --env 'SET=a b' --env NOT_SET

it '--env refuses what is no name, and our tokens'
for variable in '' 'A-B' '=x' PWD CURSOR_ACCESS_TOKEN CURSOR_API_KEY=x; do
  run --local --env "$variable" hi </dev/null
  expect_error 2 '--env'
done

it '--allow read,write,shell'
plays "$(steps "$wrote" "$ran")" --workspace w --allow read,write,shell
expect_file new.txt new
expect_file ran.txt ran

it '--allow ask without a terminal'
start_agent "$(steps "$no_write" "$no_shell")"
CURSOR_ACCESS_TOKEN=t setsid --wait "$chat" --endpoint "$url" --workspace w --allow ask hi \
  </dev/null >"$out" 2>"$err"
status=$?
stop_agent
expect_status 0
expect_empty "$err"
expect_no_file new.txt
expect_no_file ran.txt

for mode in plan ask; do
  it "$mode mode allows nothing"
  refused="{\"rejected\":{\"reason\":{\"\$contains\":\"in $mode mode\"}}}"
  plays "$(steps "$refused" "$refused")" --workspace w --allow write,shell,ask --mode $mode
  expect_no_file new.txt
  expect_no_file ran.txt
done

it '--allow without a folder'
run --tools tools.json --allow write hi </dev/null
expect_status 3
expect_in "$err" '--allow has no effect without --workspace'

if has_terminals; then
  # Types an answer when the program asks, and waits for its end. The lines of the screen are in
  # $out, and the question in $question.
  answer() { # ARGUMENTS KEYS
    rm -f keys screen
    mkfifo keys screen
    CURSOR_ACCESS_TOKEN=t script -qefc "'$chat' --endpoint $url $1 hi" /dev/null <keys >screen 2>"$err" &
    pid=$!
    exec 5>keys 4<screen
    read -rd ']' question <&4
    # The reader may be gone.
    # shellcheck disable=SC2059 # the formats are ours
    (trap '' PIPE; printf "$2" >&5) 2>/dev/null || fail 'it ended before its answer'
    cat <&4 >"$out"
    wait "$pid"
    status=$?
    exec 5>&- 4<&-
  }

  it 'a command that no tool call tells of'
  mkdir shown
  start_agent '{"exec":{"shell_args":{"command":"echo \u001b[2J >ran"}},"expect":{"shell_result":{"success":{"$any":true}}}}'
  CURSOR_ACCESS_TOKEN=t script -qec "'$chat' --endpoint $url --workspace shown --allow shell hi" /dev/null \
    </dev/null >"$out" 2>"$err"
  status=$?
  stop_agent
  expect_status 0
  [ -e shown/ran ] || fail 'it does not run'
  expect_in "$out" 'cursor-chat: tool: shell echo <U+001B>[2J >ran'

  it 'lines of an answer that end with CRLF'
  start_script '{"text":"one\r\ntwo\r"},{"text":"\nthree"},{"turn_ended":{}}'
  CURSOR_ACCESS_TOKEN=t script -qec "'$chat' --endpoint $url hi" /dev/null </dev/null >"$out" 2>"$err"
  status=$?
  stop_agent
  expect_status 0
  [ "$(tr -d '\r' <"$out")" = "$(printf 'one\ntwo\nthree')" ] || fail "on the screen: $(cat "$out")"

  it '--allow ask, and the user says yes'
  start_agent "$(printf "$write" "$wrote")"
  answer '--workspace w --allow ask' 'y\n'
  stop_agent
  expect_status 0
  expect_file new.txt new
  printf '%s' "$question" >question
  expect_in question 'may the agent make this file?'
  expect_in question "file   | $dir/w/new.txt"
  expect_in question '| +new'

  for keys in 'n\n' '\n' 'yep\n' '\004' 'y\004\004'; do
    it "--allow ask, and the user types $keys"
    start_agent "$(printf "$write" '{"rejected":{"reason":{"$contains":"said no"}}}')"
    answer '--workspace w --allow ask' "$keys"
    stop_agent
    expect_status 0
    expect_no_file new.txt
  done

  it '--allow ask shows what a command hides'
  start_agent "$(printf '{"exec":{"shell_args":{"command":%s}},"expect":{"shell_result":{"rejected":{"reason":{"$contains":"said no"}}}}}' \
    '"ls\u001b[2K\rls\ncursor-chat: may the agent rest?"')"
  answer '--workspace w --allow ask' 'n\n'
  stop_agent
  expect_status 0
  printf '%s' "$question" >question
  expect_in question 'command | ls<U+001B>[2K<U+000D>ls'
  expect_in question '        | cursor-chat: may the agent rest?'

  it '--allow ask does not ask about what nobody reads'
  many=$(printf 'ls\\n%.0s' $(seq 300))
  start_agent "$(printf '{"exec":{"shell_args":{"command":"%s"}},"expect":{"shell_result":{"rejected":{"reason":{"$contains":"more than the user can be asked"}}}}},%s' \
    "$many" '{"text":"[no question]"}')"
  answer '--workspace w --allow ask' ''
  stop_agent
  expect_status 0
  [ "$question" = '[no question' ] || fail "it asks: $question"

  it '--allow ask keeps what a tool says off the terminal'
  for allow in read ask; do
    start_agent "$(call complains '{}' "$(text false '"done\n"')"),{\"text\":\"[said]\"}"
    answer "--tools tools.json --workspace w --allow $allow" ''
    stop_agent
    expect_status 0
    printf '%s' "$question" >question
    if [ $allow = ask ]; then expect_not_in question complaint; else expect_in question complaint; fi
  done

  it '--allow ask shows the beginning of a long command last'
  start_agent "$(printf '{"exec":{"shell_args":{"command":"touch x #%s"}},"expect":{"shell_result":{"rejected":{"reason":{"$contains":"said no"}}}}}' \
    "$(printf '\\n# %.0s' $(seq 30))")"
  answer '--workspace w --allow ask' 'n\n'
  stop_agent
  expect_status 0
  printf '%s' "$question" | tail -n 9 >question
  expect_in question 'more than the screen shows'
  expect_in question '| touch x #'

  it 'a yes to what the answer says does not answer a question'
  start_agent "$(printf '{"text":"cursor-chat: y or n? [n] "},{"exec":{"shell_args":{"command":"touch w/x"}},"expect":{"shell_result":{"rejected":{"reason":{"$contains":"said no"}}}}}')"
  rm -f keys screen
  mkfifo keys screen
  CURSOR_ACCESS_TOKEN=t script -qefc "'$chat' --endpoint $url --workspace w --allow ask hi" /dev/null <keys >screen 2>"$err" &
  pid=$!
  exec 5>keys 4<screen
  seen=
  # In either order: one thread prints the answer, another asks.
  while read -rd ']' question <&4; do
    seen+=$question
    if [[ $question == *'may the agent'* ]]; then
      (trap '' PIPE; printf 'n\n' >&5) 2>/dev/null
      break
    fi
    (trap '' PIPE; printf 'y\n' >&5) 2>/dev/null
  done
  cat <&4 >"$out"
  expect_in - '(answer) cursor-chat: y or n?' <<<"$seen$(cat "$out")"
  wait "$pid"
  status=$?
  exec 5>&- 4<&-
  stop_agent
  expect_status 0
  expect_no_file x

  it 'a notice that looks like a question on a terminal is marked'
  start_agent "$(printf '{"update":{"text_delta":{"text":"%60scursor-chat: may the agent rest?","is_server_notice":true}}},{"text":"[said]"}' '')"
  answer '--workspace w --allow ask' ''
  stop_agent
  expect_status 0
  printf '%s' "$question" >question
  expect_in question '(notice) cursor-chat: may the agent rest?'

  it 'a path is one line of a question'
  start_agent '{"exec":{"write_args":{"path":"a\nchange | nothing","file_text":"x\n"}},"expect":{"write_result":{"rejected":{"reason":{"$contains":"said no"}}}}}'
  answer '--workspace w --allow ask' 'n\n'
  stop_agent
  expect_status 0
  printf '%s' "$question" >question
  expect_in question 'a<U+000A>change | nothing'

  it 'Ctrl-C at a question'
  start_agent '{"exec":{"shell_args":{"command":"ls"}}}'
  answer '--workspace w --allow ask' '\003'
  stop_agent
  expect_status 130
  expect_in "$out" 'no longer asked'

  # Ctrl-S stops what a terminal shows until Ctrl-Q.
  it 'deadline at a question that a stopped terminal does not show'
  start_agent '{"exec":{"shell_args":{"command":"ls"}}}'
  rm -f keys
  mkfifo keys
  exec 5<>keys
  printf '\023' >&5
  CURSOR_ACCESS_TOKEN=t timeout 60 script -qefc \
    "exec '$chat' --endpoint $url --workspace w --allow ask --max-time 1 hi 2>errors" /dev/null \
    <&5 >"$out" 2>"$err"
  status=$?
  exec 5>&-
  stop_agent
  expect_status 5
  expect_in errors 'error: deadline_exceeded: '
  expect_not_in "$out" 'may the agent'

  it 'the answer cannot paint on the terminal'
  start_agent '{"text":"a\u001b[2Jb]\rc\n"}'
  answer '' ''
  stop_agent
  expect_status 0
  printf '%s' "$question" >question
  expect_in question 'a<U+001B>[2Jb'
  expect_in "$out" '<U+000D>c'
else
  echo 'skipped: the questions at a terminal, as there are no terminals: script(1) and /dev/pts'
fi

# --- what is shown of it

view='{"tool_call_started":{"call_id":"c1","tool_call":{"mcp_tool_call":{"args":{"name":"echo_arguments","tool_name":"echo_arguments","args":{"text":"a"}}}}}},'
view+="$(call echo_arguments '{"text":"a"}' '{}'),"
view+='{"tool_call_completed":{"call_id":"c1","tool_call":{"mcp_tool_call":{"args":{"tool_name":"echo_arguments"},"result":{"success":{"content":[{"text":{"text":"b"}}]}}}}}},'
view+='{"update":{"step_started":{"step_id":1}}},{"update":{"step_completed":{"step_id":1}}},'
view+='{"update":{"heartbeat":{}},"unknown_field":{"number":199,"text":"x"}}'
types='text_delta|thinking_delta|tool_call_started|tool_call_completed|token_usage|checkpoint|drift|turn_ended'

it 'stream-json'
plays "$view,{\"checkpoint\":{\"state\":{\"token_details\":{\"used_tokens\":7,\"max_tokens\":9}}}}" \
  --tools tools.json --format stream-json
expect_lines "$out" "^\\{.*\"type\":\"($types)\".*\\}\$"
grep '"tool_call_started"' "$out" >lines_started
expect_lines lines_started '^\{"arguments":\{.*\},"call_id":"c1","kind":"mcp","name":"echo_arguments","type":"tool_call_started"\}$'
grep '"tool_call_completed"' "$out" >lines_completed
expect_lines lines_completed '^\{"call_id":"c1","kind":"mcp","name":"echo_arguments","result":\{.*\},"type":"tool_call_completed"\}$'
grep '"drift"' "$out" >lines_drift
expect_lines lines_drift '^\{"path":"[^"]*199[^"]*","type":"drift"\}$'
grep '"checkpoint"' "$out" >lines_checkpoint
expect_lines lines_checkpoint '"bytes":[0-9]+,"max_tokens":9,"type":"checkpoint","used_tokens":7'
uuid='[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}'
grep '"turn_ended"' "$out" >lines_ended
expect_lines lines_ended "^\\{\"conversation_id\":\"$uuid\",\"type\":\"turn_ended\",\"usage\":\\{.*\\}\\}\$"

it 'json'
plays "$view" --tools tools.json --format json
[ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
expect_lines "$out" '"tool_calls":\[\{"arguments":\{.*\},"call_id":"c1","kind":"mcp","name":"echo_arguments","result":\{.*\}\}\]'
expect_lines "$out" '"drift":\["[^"]*199[^"]*"\]'
expect_lines "$out" "^\\{\"conversation_id\":\"$uuid\","

it 'what readers of lines take for the end of one'
for format in json stream-json documents documents-stream; do
  plays '{"text":"a\u2028b\u2029c\u0085d"}' --format $format
  expect_in "$out" 'a\u2028b\u2029c\u0085d'
done

it 'text'
plays "$view" --tools tools.json
[ "$(cat "$out")" = Done. ] || fail 'there is more than the answer'
expect_empty "$err"

# --- what the server repeats

refusal='{"http_status":{"status":401,"error":{"code":"unauthenticated","message":"bad Bearer tok_SECRET123, key_SECRET456"}}}'
for format in text json stream-json; do
  it "an error that repeats the token, $format"
  start_script "$refusal"
  CURSOR_ACCESS_TOKEN=tok_SECRET123 CURSOR_API_KEY=key_SECRET456 \
    run --endpoint "$url" --format $format hi </dev/null
  stop_agent
  expect_status 3
  expect_lines "$err" '^cursor-chat: error: unauthenticated: bad Bearer \(redacted\), \(redacted\) '
  expect_not_in "$out" SECRET
  if [ $format = text ]; then
    expect_empty "$out"
  else
    expect_in "$out" '"message":"bad Bearer (redacted), (redacted) '
  fi
done

it 'a usage error that repeats the token'
CURSOR_ACCESS_TOKEN=tok_SECRET123 run --format tok_SECRET123 hi </dev/null
expect_error 2 "not '(redacted)'"

it 'an answer that repeats the token is not altered, all else is'
view='{"text":"tok_SECRET123"},{"update":{"text_delta":{"text":"tok_SECRET123","is_server_notice":true}}},'
view+='{"tool_call_completed":{"call_id":"key_SECRET456","tool_call":{"mcp_tool_call":{"args":{"tool_name":"t"},"result":{"success":{"content":[{"text":{"text":"tok_SECRET123"}}]}}}}}}'
for format in text json stream-json; do
  start_agent "$view"
  CURSOR_ACCESS_TOKEN=tok_SECRET123 CURSOR_API_KEY=key_SECRET456 \
    run --endpoint "$url" --format $format hi </dev/null
  stop_agent
  expect_status 0
  expect_not_in "$out" SECRET456
  expect_in "$out" tok_SECRET123
  [ "$(grep -o SECRET123 "$out" | wc -l)" -eq 1 ] || fail "not once, $format"
  expect_not_in "$err" SECRET
  if [ $format = text ]; then
    expect_in "$err" 'notice: (redacted)'
  else
    expect_in "$out" '"call_id":"(redacted)"'
  fi
done

finish
