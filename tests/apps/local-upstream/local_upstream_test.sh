#!/usr/bin/env bash
# What local-upstream promises to a shell, and what cursor-chat makes of each script of
# examples/scripts: exit codes, and words that a user can act on.
# Usage: local_upstream_test.sh LOCAL_UPSTREAM CURSOR_CHAT SOURCE
# No network but this machine's, no fixed ports, no waiting for a time to pass.
set -u

upstream=$1
chat=$2
scripts=$3/examples/scripts
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir"' EXIT
out=$dir/out
err=$dir/err
server_err=$dir/server_err
failures=0
name=
shown=
export TMPDIR=$dir CURSOR_ACCESS_TOKEN=test

# Starts a test.
it() { name=$1; }

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n' "$name" "$1"
  [ "$shown" != "$name" ] || return 0
  shown=$name
  printf -- '--- standard output\n%s\n--- standard error\n%s\n--- of the server\n%s\n' \
    "$(head -c 2000 "$out" 2>/dev/null)" "$(head -c 2000 "$err" 2>/dev/null)" \
    "$(head -c 2000 "$server_err" 2>/dev/null)"
}

expect_status() { [ "$status" -eq "$1" ] || fail "exit code $status, not $1"; }
expect_in() { grep -qF -- "$2" "$1" || fail "'$2' is not in $(basename "$1")"; }
expect_empty() { [ ! -s "$1" ] || fail "$(basename "$1") is not empty"; }

# Starts the server with these arguments; sets server, url and ca.
start() {
  rm -f "$dir/lines"
  mkfifo "$dir/lines"
  "$upstream" "$@" >"$dir/lines" 2>"$server_err" &
  server=$!
  exec 3<"$dir/lines"
  url= ca=
  read -r line <&3 && url=${line#listening on }
  case $* in *--plaintext*) ;; *) read -r line <&3 && ca=${line#certificates in } ;; esac
}
# Waits for its end; the exit code is in status.
await() {
  wait "$server"
  status=$?
  server=
  exec 3<&-
}
run() {
  "$upstream" "$@" >"$out" 2>"$err" </dev/null
  status=$?
}
# Once: another attempt may meet the end of the server instead of what its script says.
ask() {
  "$chat" --retries 0 --endpoint "$url" ${ca:+--cacert "$ca"} "$@" hi >"$out" 2>"$err" </dev/null
  status=$?
}

tried=" "
once=--once
# A script, the exit code of cursor-chat, and what is in its error or, at 0, in its answer. More
# arguments are options of cursor-chat.
plays() {
  local script=$1 code=$2 words=$3
  shift 3
  it "$script"
  tried="$tried$script "
  start $once "$scripts/$script.json"
  ask "$@"
  [ -n "$once" ] || kill -TERM "$server"
  expect_status "$code"
  if [ "$code" -eq 0 ]; then
    expect_empty "$err"
    expect_in "$out" "$words"
  else
    [ "$(wc -l <"$err")" -eq 1 ] || fail 'standard error is not one line'
    grep -qE '^cursor-chat: error: [a-z_]+: .' "$err" || fail 'standard error is of another form'
    expect_in "$err" "$words"
  fi
  await
  expect_status 0
  expect_empty "$server_err"
}

# The same of a script that refuses the run before it looks at it: the client tries once more.
plays_twice() {
  once=
  plays "$@"
  once=--once
}

# --- answers

plays hello 0 'Hello.'
plays documents 0 'Nobody else calls it.'
plays tool_call 0 'no way to look'
plays parallel_execs 0 'four things'
plays unknown_exec 0 'Then not.'
plays byte_by_byte 0 'In very small pieces.'
plays goaway_then_answer 0 'The last answer.'
plays lost_after_turn_ended 0 'A whole answer.'
answer='A `<think>` tag begins reasoning:\n<think>\n'
plays think_tags 0 '"text":"\n\n'"$answer"'","thinking":"They mean the tag.","usage":{}}' --format json
plays think_tags 0 '"text":"<think>They mean the tag.</think>\n\n'"$answer"'","thinking":"","usage":{}}' \
  --format json --keep-think-tags

# --- errors of the service

plays error_bad_model_name 1 'not_found: AI Model Not Found: Model name is not valid: "nonsense"'
expect_in "$err" 'choose a model that the service lists'
expect_in "$err" 'cursor-chat models'
plays error_usage_limit 7 'resource_exhausted: Usage limit reached'
expect_in "$err" 'wait until it is renewed'
plays error_not_logged_in 3 'unauthenticated: Not logged in'
expect_in "$err" 'CURSOR_ACCESS_TOKEN'
plays error_provider 4 'unavailable: Server Error'
expect_in "$err" 'try again later'
plays error_blob_not_found 1 'internal: Blob not found'
expect_in "$err" 'start a new conversation'
plays error_without_detail 1 'failed_precondition: Error (the service gave no reason)'
plays unknown_query 1 'unimplemented: the server asked interaction query 1'

# --- HTTP

plays http_401_json 3 'unauthenticated: invalid token'
expect_in "$err" 'CURSOR_ACCESS_TOKEN'
plays http_403_html 3 'permission_denied: HTTP status 403'
expect_in "$err" 'proxy or firewall'
plays http_429 4 'unavailable: HTTP status 429: slow down'
expect_in "$err" 'try again later'
plays http_464_load_balancer 1 'HTTP status 464'
expect_in "$err" 'did not arrive as HTTP/2'
plays http_503 4 'unavailable: HTTP status 503'
expect_in "$err" 'try again later'

# --- lost, and broken

plays lost_before_turn_ended 4 'connection was lost before the end of the turn'
plays connection_dropped 4 'unavailable: '
plays connection_reset 4 'unavailable: '
plays_twice goaway_before_run 4 'did not process the call'
plays_twice reset_refused_stream 4 'REFUSED_STREAM'
plays reset_internal_error 1 'INTERNAL_ERROR'
plays stall 5 'nothing was received for' --max-idle 0.2
plays envelope_too_long 7 'over the limit of'
plays envelope_cut 6 'body ended after 5 of the 100 bytes'
plays message_broken 6 'does not parse'
plays compressed_not_negotiated 6 'no compression was negotiated'
plays end_stream_not_json 6 'end-stream envelope: JSON'
plays bytes_after_end_stream 6 'bytes after the end-stream'
plays http2_frame_broken 6 'HTTP/2'

for file in "$scripts"/*.json; do
  script=$(basename "$file" .json)
  it "$script"
  case $tried in *" $script "*) ;; *) fail 'is played by no test' ;; esac
done

# --- the program

it 'help'
run --help
expect_status 0
expect_empty "$err"
for option in --port --plaintext --ca-out --word-interval --once --runs --check; do
  expect_in "$out" "$option"
done

it 'usage'
run --bogus
expect_status 2
expect_in "$err" --bogus
run --once --runs 2
expect_status 2
run --check
expect_status 2

it 'numbers'
for option in --port --word-interval --runs; do
  for number in 0x10 +5 -1 1.5 0.5 1e3 5ms true ' 1' '' 99999999999999999999; do
    run $option "$number" --check "$scripts/hello.json"
    expect_status 2
    expect_in "$err" "$option"
    expect_in "$err" 'must be a whole number from '
  done
done
run --port 65536 --check "$scripts/hello.json"
expect_in "$err" "must be a whole number from 0 to 65535, not '65536'"
run --port 0100000 --check "$scripts/hello.json" # eight to the fifth is a port
expect_in "$err" "not '0100000'"
for number in 1 08 65535; do
  run --port $number --word-interval $number --runs $number --check "$scripts/hello.json"
  expect_status 0
done

it 'check'
run --check "$scripts"/*.json
expect_status 0
expect_in "$out" 'ok: '

it 'bad script'
echo '{"steps":[{"text":"a"},{"exec":{"reed_args":{}}}]}' >"$dir/bad.json"
run "$dir/bad.json"
expect_status 2
expect_in "$err" "$dir/bad.json"
expect_in "$err" 'step 2 (exec)'
expect_in "$err" 'reed_args'
run --check "$dir/none.json"
expect_status 2
expect_in "$err" "$dir/none.json"

it 'script that cannot go well'
echo '{"steps":[{"exec":{"read_args":{}},"expect":{"ls_result":{}}}]}' >"$dir/bad.json"
run --check "$dir/bad.json"
expect_status 2
expect_in "$err" 'read_args is answered by read_result, never by ls_result'
echo '{"steps":[{"error":{"code":"cancelled"}}]}' >"$dir/bad.json"
run --check "$dir/bad.json"
expect_status 2
expect_in "$err" "no code 'cancelled'; the codes are canceled,"

it 'not found, but no model'
echo '{"steps":[{"error":{"code":"not_found","details":[{"error":"ERROR_FILE_NOT_FOUND","title":"No such file"}]}}]}' \
  >"$dir/file.json"
start --once "$dir/file.json"
ask
expect_status 1
expect_in "$err" 'not_found: No such file'
! grep -q 'cursor-chat models' "$err" || fail 'models are no help here'
await

it 'violation'
echo '{"name":"n","steps":[{"exec":{"read_args":{}},"expect":{"read_result":{"success":{}}}}]}' \
  >"$dir/wants.json"
start --once "$dir/wants.json"
ask
expect_status 1
expect_in "$err" 'step 1 (exec)'
await
expect_status 1
expect_in "$server_err" 'violation: script n, step 1 (exec): at read_result'

it 'heartbeats more often than a millisecond'
echo '{"steps":[{"expect_message":{"client_heartbeat":{}},"within_ms":4000},{"turn_ended":{}}]}' \
  >"$dir/heartbeat.json"
start --once "$dir/heartbeat.json"
ask --heartbeat 0.0001
expect_status 0
await
expect_status 0

it 'several runs, the assistant, a file for the certificate'
start --runs 2 --word-interval 0 --ca-out "$dir/ca.pem"
[ "$ca" = "$dir/ca.pem" ] || fail "the certificate is in $ca"
ask
expect_status 0
ask
expect_in "$out" 'You said: "hi"'
await
expect_status 0
[ -s "$dir/ca.pem" ] || fail 'the file is gone'

it 'port in use'
start "$scripts/hello.json"
run --port "${url##*:}"
expect_status 4
expect_in "$err" "127.0.0.1:${url##*:}"
expect_in "$err" 'address already in use'

it 'signal'
kill -TERM "$server"
await
expect_status 0
[ ! -e "$ca" ] || fail 'the temporary certificate is left behind'

it '--tls-sessions has no effect'
start "$scripts/hello.json"
said='cursor-chat: notice: --tls-sessions has no effect any more; its file is not read or written'
ask --tls-sessions "$dir/no-folder/sessions"
expect_status 0
expect_in "$out" 'Hello.'
[ "$(cat "$err")" = "$said" ] || fail 'standard error is not the notice alone, once'
[ ! -e "$dir/no-folder" ] || fail 'a folder was made'
ask --tls-sessions "$dir/sessions"
expect_status 0
[ ! -e "$dir/sessions" ] || fail 'a file was made'
echo noise >"$dir/sessions"
chmod 000 "$dir/sessions"
ask --tls-sessions "$dir/sessions"
expect_status 0
chmod 600 "$dir/sessions"
[ "$(cat "$dir/sessions")" = noise ] || fail 'the file is another'
kill -TERM "$server"
await

it 'plaintext'
start --plaintext --once "$scripts/hello.json"
ask
expect_status 0
expect_in "$out" 'Hello.'
await
expect_status 0

[ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
echo 'all as promised'
