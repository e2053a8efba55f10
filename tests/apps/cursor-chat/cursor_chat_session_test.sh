#!/usr/bin/env bash
# Conversations of cursor-chat that are kept in files, and turns that lose their connection.
# Usage: cursor_chat_session_test.sh PROGRAM LOCAL_UPSTREAM
. "$(dirname "$0")/../support.sh"
upstream=$2
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill -9 "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
export CURSOR_ACCESS_TOKEN=not-to-be-shown XDG_STATE_HOME=$dir/state
mkfifo "$dir/lines"

# Starts the service with these arguments: sets server and url. False if it does not start.
try_server() {
  "$upstream" --plaintext "$@" >"$dir/lines" 2>"$dir/server_err" &
  server=$!
  url=
  read -r line <"$dir/lines" && url=${line#listening on }
  [ -n "$url" ]
}
start_server() { try_server "$@" || give_up; }
# To be started again on the same port: on one that the system gives to nobody who asks for any.
start_server_to_stay() {
  local first tries
  read -r first _ </proc/sys/net/ipv4/ip_local_port_range
  for ((tries = 0; tries < 100; ++tries)); do
    try_server "$@" --port $((first - 1 - RANDOM % (first / 2))) && return
    wait "$server"
  done
  give_up
}
restart_server() { start_server "$@" --port "${url##*:}"; }
give_up() {
  fail "the service does not start: $(cat "$dir/server_err")" >&2 # not into a transcript
  exit 1
}
# As a machine that goes down.
kill_server() {
  kill -9 "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
}
# A service that plays these scripts, one for each run, and the program with the other arguments.
plays() {
  printf '[%s]' "$1" >"$dir/scripts.json"
  shift
  start_server "$dir/scripts.json"
  run --endpoint "$url" "$@" </dev/null
  kill_server
}
steps() { printf '{"steps":[%s]}' "$1"; }
ask() { run --endpoint "$url" "$@" </dev/null; }

# --- a session

it 'is made when it is missing, and goes on'
start_server --word-interval 0
ask --session "$dir/a.session" 'My name is Ada.'
expect_status 0
[ "$(stat -c %a "$dir/a.session")" = 600 ] || fail "its mode is not 0600"
ask --session "$dir/a.session" -m acme-5.5 'Who am I?'
expect_in "$out" '- "My name is Ada."'
expect_empty "$err"
it 'keeps its model'
ask --session "$dir/a.session" 'And now?'
expect_in "$out" 'for the model "acme-5.5"'
it 'holds no token'
expect_not_in "$dir/a.session" not-to-be-shown

it 'is listed'
run sessions "$dir" </dev/null
expect_status 0
expect_in "$out" 'My name is Ada.'
run sessions --format json "$dir" </dev/null
expect_lines "$out" '^\{"sessions":\[\{"file":".*a\.session","folder":".*","model":"acme-5\.5","title":"My name is Ada\.","turns":3,"updated":"20[0-9T:-]+Z"\}\]\}$'
it 'a folder that is missing'
run sessions "$dir/none" </dev/null
expect_error 1 'not_found'
it 'a prompt that begins so'
ask ask sessions of the world
expect_in "$out" 'You said: "sessions of the world"'
ask sessions of the world
expect_error 2 'sessions takes one DIR'

it 'is in the default folder with --save, and goes on with --continue'
run sessions </dev/null
expect_status 0
expect_in "$err" 'there are no sessions in'
ask --continue hi
expect_error 1 '--save'
ask --save 'I like tea.'
expect_status 0
ask -c 'What do I like?'
expect_in "$out" 'I like tea.'
run sessions </dev/null
expect_in "$out" "$dir/state/cursorwire/sessions/"
[ "$(stat -c %a "$dir/state/cursorwire/sessions")" = 700 ] || fail "the folder is not private"

it 'is removed'
ask --session "$dir/b.session" hi
run sessions rm "$dir/b.session" </dev/null
expect_status 0
expect_empty "$out"
expect_empty "$err"
[ ! -e "$dir/b.session" ] || fail 'it is still there'
run sessions rm "$dir/b.session" </dev/null
expect_error 1 'not_found'
it 'is removed with the link that leads to it'
mkdir "$dir/real"
ask --session "$dir/real/b.session" hi
ln -s real/b.session "$dir/link.session"
run sessions rm "$dir/link.session" </dev/null
expect_status 0
[ ! -L "$dir/link.session" ] || fail 'the link is still there'
[ ! -e "$dir/real/b.session" ] || fail 'the conversation is still there'
it 'is listed in columns, however wide its characters are'
ask --session "$dir/real/wide.session" -m 模型 你好
run sessions "$dir/real" </dev/null
expect_lines "$out" '^(UPDATED +TURNS  MODEL  TITLE  FILE|.* 1  模型   你好   /.*/wide\.session)$'
it 'is removed by its name among those of --save'
saved=$(echo "$dir"/state/cursorwire/sessions/*.session)
run sessions rm --format json "$(basename "$saved" .session)" </dev/null
expect_status 0
expect_lines "$out" '^\{"removed":\["/.*/cursorwire/sessions/.*\.session"\]\}$'
[ ! -e "$saved" ] || fail 'it is still there'
it 'what is no conversation is not removed'
echo text >"$dir/text"
chmod 600 "$dir/text"
run sessions rm "$dir/text" </dev/null
expect_error 2 'holds no conversation'
[ -e "$dir/text" ] || fail 'it was removed'
run sessions rm </dev/null
expect_error 2 'sessions rm needs the FILE of a conversation'
it 'conversations without a folder for them'
env -u HOME -u XDG_STATE_HOME "$chat" sessions >"$out" 2>"$err" </dev/null
status=$?
expect_error 1 'there is no folder for conversations: set HOME or XDG_STATE_HOME'
env -u HOME -u XDG_STATE_HOME "$chat" --local -c hi >"$out" 2>"$err" </dev/null
status=$?
expect_error 1 'set HOME or XDG_STATE_HOME'

it 'is refused where others may read it'
chmod 640 "$dir/a.session"
ask --session "$dir/a.session" hi
expect_error 1 'chmod 600'
chmod 600 "$dir/a.session"
it 'is refused while another process uses it'
exec 9<"$dir/a.session"
flock 9
ask --session "$dir/a.session" hi
expect_error 1 'another process'
exec 9<&-
it 'is refused where it is no session'
echo text >"$dir/text"
chmod 600 "$dir/text"
ask --session "$dir/text" hi
expect_error 1 'data_loss'
expect_in "$dir/text" text
it 'leaves nothing where the turn fails'
run --endpoint https://localhost:1 --session "$dir/new.session" hi </dev/null
expect_error 4 'unavailable'
[ ! -e "$dir/new.session" ] || fail "there is a file"

it 'goes on from its text where its state is damaged, and says so'
printf x | dd of="$dir/a.session" bs=1 seek=$(($(stat -c %s "$dir/a.session") - 1)) conv=notrunc 2>/dev/null
ask --session "$dir/a.session" 'And now?'
expect_status 0
expect_in "$out" '- "My name is Ada."'
expect_in "$err" 'cursor-chat: warning: the conversation goes on from its history of 3 turn(s)'
kill_server

# --- a turn that loses its connection

lost='{"text":"Hello "},{"checkpoint":{"hex":"5001"}},{"drop":{}}'
rest='{"expect_request":{"action":{"resume_action":{}}}},{"text":"world"},{"turn_ended":{}}'
it 'resumes'
plays "$(steps "$lost"),$(steps "$rest")" hi
expect_status 0
[ "$(cat "$out")" = 'Hello world' ] || fail "it says something else"
expect_empty "$err"
it 'says so in stream-json'
plays "$(steps "$lost"),$(steps "$rest")" --format stream-json hi
expect_status 0
grep -E '"type":"retry"' "$out" >"$dir/retries"
expect_lines "$dir/retries" '^\{"code":"unavailable","delay_ms":[0-9]+,"kind":"resume","max_retries":4,"message":".+","retry":1,"type":"retry"\}$'
it 'does not with --retries 0'
plays "$(steps "$lost"),$(steps "$rest")" --retries 0 hi
expect_status 4
[ "$(cat "$out")" = 'Hello ' ] || fail "the text is not kept"
it 'counts its retries'
plays "$(steps '{"error":{"code":"unavailable","message":"busy"}}')" --retries 2 --format stream-json hi
expect_status 4
[ "$(grep -c '"type":"retry"' "$out")" = 2 ] || fail "there are not two retries"
expect_in "$err" busy
for retries in -1 1001 x 1.5 ''; do
  it "--retries '$retries'"
  run "--retries=$retries" hi </dev/null
  expect_error 2 '--retries'
done

it 'says what the service says of a limit'
limit='{"error":{"code":"resource_exhausted","message":"Error","details":[{"error":"ERROR_RATE_LIMITED_CHANGEABLE","title":"Usage limit reached","detail":"Wait a day."}]}}'
plays "$(steps "$limit")" hi
expect_error 7 'Usage limit reached: Wait a day.'

it 'uses a tool once, whatever becomes of the connection'
cat >"$dir/tools.json" <<END
[{"name": "count", "command": ["sh", "-c", "echo used >>$dir/used; echo three"]}]
END
plays "$(steps '{"call_tool":{"name":"count"},"expect":{"mcp_result":{}}},{"drop":{}}'),$(steps \
  '{"get_blob":{"root_prompt":3},"expect":{"blob_data":{"$text":{"$contains":"three"}}}},{"text":"It is three."},{"turn_ended":{}}')" \
  --tools "$dir/tools.json" hi
expect_status 0
expect_in "$out" 'It is three.'
[ "$(wc -l <"$dir/used")" = 1 ] || fail "it was not used once"

# --- errors of the service

failing() { steps "{\"text\":\"Half\"},{\"error\":$1}"; }
it 'an error begins a line of its own where both streams are one file'
printf '[%s]' "$(failing '{"code":"invalid_argument","message":"no more"}')" >"$dir/scripts.json"
start_server "$dir/scripts.json"
"$chat" --endpoint "$url" hi >"$dir/both" 2>&1 </dev/null
kill_server
[ "$(head -n 1 "$dir/both")" = Half ] || fail "the first line is '$(head -n 1 "$dir/both")'"
sed 1d "$dir/both" >"$dir/error"
expect_lines "$dir/error" '^cursor-chat: error: invalid_argument: no more'
it 'the text of an answer gets no newline'
plays "$(failing '{"code":"invalid_argument","message":"no more"}')" hi
expect_status 1
[ "$(cat "$out"; echo .)" = Half. ] || fail "standard output is '$(cat "$out")'"
expect_lines "$err" '^cursor-chat: error: invalid_argument: no more'

it 'a service that wants a newer client names what helps'
plays "$(failing '{"code":"failed_precondition","message":"Error","details":[{"error":"ERROR_OUTDATED_CLIENT","title":"Update required","detail":"D"}]}')" hi
expect_status 1
for way in 'the official CLI' CURSORWIRE_CLIENT_VERSION --client-version; do expect_in "$err" "$way"; done
[ "$(wc -l <"$err")" -eq 1 ] || fail 'not one line'

# --- a service that is killed again and again

questions=10
conversations=$(rounds 10 2)
# One time in two, as many bytes of an answer; else none, while the program starts.
kill_after() { # QUESTION CONVERSATION
  local round=$((($2 - 1) * questions + $1 - 1)) all=$((conversations * questions))
  echo $(($(moment $((round % 2)) 2 2) * $(moment "$round" "$all" 120)))
}
# Asks the questions of a conversation, with a service that is killed within each if the number of the
# conversation is given: the answers, one after the other.
converse() {
  local file=$1 conversation=$2 i bytes
  for ((i = 1; i <= questions; ++i)); do
    bytes=
    [ -z "$conversation" ] || bytes=$(kill_after "$i" "$conversation")
    until answer "$file" "Question $i of mine." "$bytes"; do
      # It failed, so the session is as it was: ask again.
      bytes=
    done
  done
}
# One turn. A service that is to be killed ends after so many bytes of the answer.
answer() {
  local file=$1 question=$2 bytes=$3 part=
  rm -f "$dir/answer"
  mkfifo "$dir/answer"
  "$chat" --endpoint "$url" --retries 20 --session "$file" "$question" >"$dir/answer" 2>"$err" </dev/null &
  local pid=$!
  exec 8<"$dir/answer"
  if [ -n "$bytes" ]; then
    IFS= read -r -N "$bytes" -u 8 part
    kill_server
    restart_server --word-interval 0
  fi
  { printf '%s' "$part"; cat <&8; } >"$dir/said"
  exec 8<&-
  wait "$pid"
  status=$?
  if [ "$status" -ne 0 ] && [ "$status" -ne 4 ]; then
    fail "exit code $status: $(cat "$err")" >&2
    exit 1
  fi
  [ "$status" -eq 0 ] || return 1
  cat "$dir/said"
  echo
}

it 'carries a conversation through a service that is killed'
start_server_to_stay --word-interval 0
for ((c = 1; c <= conversations; ++c)); do
  converse "$dir/calm$c.session" '' >"$dir/calm"
  converse "$dir/rough$c.session" "$c" >"$dir/rough"
  cmp -s "$dir/calm" "$dir/rough" ||
    fail "conversation $c is another: $(diff "$dir/calm" "$dir/rough" | head -5)"
done
kill_server

finish
