#!/usr/bin/env bash
# Traces of cursor-chat: recorded, shown, and played again by local-upstream.
# Usage: cursor_chat_trace_test.sh PROGRAM LOCAL_UPSTREAM
. "$(dirname "$0")/../support.sh"
upstream=$2
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill -9 "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
export CURSOR_ACCESS_TOKEN=not-to-be-shown-to-anybody
mkfifo "$dir/lines"
trace=$dir/t.jsonl

# Plays scripts until one run has ended, while the program runs with the other arguments.
plays() {
  "$upstream" --plaintext --once "$1" >"$dir/lines" 2>"$dir/server_err" &
  server=$!
  shift
  read -r line <"$dir/lines"
  run --endpoint "${line#listening on }" --retries 0 "$@" </dev/null
  wait "$server" || fail "the service noted: $(cat "$dir/server_err")"
  server=
}

it 'records a failure'
cat >"$dir/failure.json" <<'END'
{"steps": [{"thinking": "Hm."}, {"text": "Half of\u001b it"}, {"get_blob": {"root_prompt": 0}},
  {"error": {"code": "not_found", "message": "not-to-be-shown-to-anybody",
             "details": [{"error": "ERROR_BAD_MODEL_NAME", "title": "No model", "detail": "x"}]}}]}
END
plays "$dir/failure.json" --trace "$trace" hi
expect_status 1
cp "$out" "$dir/first_out"
cp "$err" "$dir/first_err"
[ "$(stat -c %a "$trace")" = 600 ] || fail "its mode is not 0600"
expect_not_in "$trace" not-to-be-shown
expect_lines "$trace" '^\{"(cursorwire_trace|type)":.*\}$'

it 'shows it'
run trace show "$trace" </dev/null
expect_status 0
expect_empty "$err"
expect_in "$out" 'call 1: /agent.v1.AgentService/Run (streaming), 20'
expect_in "$out" '> authorization: (redacted)'
expect_in "$out" 'interaction_update.text_delta'
expect_in "$out" 'text: "Half of\u001b it"'
expect_in "$out" '  not_found: (redacted) (from: server, HTTP status 200)'

it 'makes a script of it'
run trace to-script "$trace" </dev/null
expect_status 0
expect_empty "$err"
cp "$out" "$dir/again.json"
"$upstream" --check "$dir/again.json" || fail "the script is bad"
it 'which does the same again'
plays "$dir/again.json" hi
expect_status 1
cmp -s "$out" "$dir/first_out" || fail "the output is another"
cmp -s "$err" "$dir/first_err" || fail "the error is another: $(cat "$dir/first_err")"

it 'records the list of models, and puts the last trace aside'
run --local --trace "$trace" models </dev/null
expect_status 0
[ -f "$trace.1" ] || fail "there is no $trace.1"
run trace show "$trace" </dev/null
expect_in "$out" '/aiserver.v1.AiService/AvailableModels (unary)'
it 'has no script then'
run trace to-script "$trace" </dev/null
expect_error 1 'no call of AgentService/Run'

it 'is warned of what is missing'
printf 'half a line' >>"$trace.1"
run trace to-script "$trace.1" </dev/null
expect_status 0
expect_in "$err" 'the last line of the trace is incomplete'
head -c 100000 /dev/zero | tr '\0' x >"$dir/no_trace"
it 'a file that is no trace'
run trace show "$dir/no_trace" </dev/null
expect_error 1 'not a trace'
run --local --trace "$dir/no_trace" hi </dev/null
expect_error 1 'not a trace'
it 'a file that is missing'
run trace show "$dir/none" </dev/null
expect_error 1 'not_found'

it 'other words after it are no prompt'
for words in 'trace' 'trace show' 'trace the call' 'trace show me that'; do
  run --local $words </dev/null
  expect_error 2 'a prompt that begins with the word trace goes after -- or the word ask'
done
it 'bad use'
run --format json trace show "$trace" </dev/null
expect_status 2
run --local --trace '' hi </dev/null
expect_error 2 '--trace must not be empty'

finish
