#!/usr/bin/env bash
# Answers of cursor-chat as documents.
# Usage: cursor_chat_documents_test.sh PROGRAM LOCAL_UPSTREAM SOURCE
. "$(dirname "$0")/../support.sh"
upstream=$2
source=$3
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill -9 "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
export XDG_STATE_HOME=$dir/state CURSOR_ACCESS_TOKEN='not<to"be/shown-123456'
mkfifo "$dir/lines"

# A service that plays this file, and the program with the other arguments.
plays() {
  "$upstream" --plaintext "$1" >"$dir/lines" 2>"$dir/server_err" &
  server=$!
  shift
  read -r line <"$dir/lines" || fail "the service does not start: $(cat "$dir/server_err")"
  run --endpoint "${line#listening on }" "$@" </dev/null
  kill -9 "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
}
steps() { printf '{"steps":[%s]}' "$1" >"$dir/script.json"; }
types() { grep -oE '"type":"[a-z_]+"' "$out" | cut -d'"' -f4 | paste -sd ' '; }
expect_types() { [ "$(types)" = "$1" ] || fail "the documents are '$(types)', not '$1'"; }

all='text code_reference tool_call text file_edit terminal_command text plan'

it 'documents'
plays "$source/examples/scripts/documents.json" --format documents hi
expect_status 0
expect_empty "$err"
expect_types "$all"
expect_lines "$out" '^\{"id":"chat_[0-9a-f]{32}","conversationId":"conv_[0-9a-f-]{36}",.*"status":"completed","documents":\['
expect_in "$out" '"filePath":"src/login.py","startLine":4,"endLine":5,"language":"python"'
expect_in "$out" '"totalTokens":2460,"cacheReadTokens":1800}'

it 'documents-stream'
plays "$source/examples/scripts/documents.json" --format documents-stream hi
expect_status 0
expect_types "$all"
expect_lines "$out" '^\{"event":"(document_(start|end)|content_delta|tool_(call_start|call_arguments|result)|done)",.*\}$'
[ "$(grep -c '"event":"done"' "$out")" -eq 1 ] || fail 'done does not come once'
tail -n 1 "$out" | grep -q '^{"event":"done","id":"chat_' || fail 'done is not last'

it 'documents-sse'
for format in documents-sse sse; do
  plays "$source/examples/scripts/documents.json" --format "$format" hi
  expect_status 0
  expect_types "$all"
  expect_lines "$out" '^(event: [a-z_]+|data: \{.*\}|)$'
  [ "$(head -n 1 "$out")" = 'event: document_start' ] || fail 'it does not begin with an event'
done

it 'queries stand where they were asked'
steps '{"text":"First."},{"query":{"create_plan_request_query":{"args":{"name":"N","plan":"# P"},"tool_call_id":"q"}}},{"text":"Then."},{"query":{"ask_question_interaction_query":{"args":{"title":"Which?","questions":[{"id":"1","prompt":"Red?"}]}}}},{"text":"End."},{"turn_ended":{}}'
for mode in agent plan; do
  plays "$dir/script.json" --mode "$mode" --format documents hi
  expect_status 0
  expect_types 'text plan text clarification text'
done
it 'a plan that is asked about has ids and dependencies'
steps '{"query":{"create_plan_request_query":{"args":{"name":"N","todos":[{"id":"a","content":"A","status":"TODO_STATUS_PENDING"},{"id":"b","content":"B","dependencies":["a"]}]},"tool_call_id":"q"}}},{"turn_ended":{}}'
plays "$dir/script.json" --mode plan --format documents hi
expect_in "$out" '"todos":[{"id":"a","content":"A","status":"pending","dependencies":[]},{"id":"b","content":"B","status":"pending","dependencies":["a"]}]'
it 'a piece of many lines is one event and one write'
steps "{\"text\":\"\`\`\`\n$(printf 'x = 1\\n%.0s' {1..2000})\"},{\"text\":\"\`\`\`\n\"},{\"turn_ended\":{}}"
for format in documents-stream documents-sse; do
  plays "$dir/script.json" --format "$format" hi
  expect_status 0
  [ "$(grep -c '"event":"content_delta"' "$out")" -eq 1 ] || fail "a piece is many events in $format"
done
it 'a plan is accepted in plan mode alone'
plan='"query":{"create_plan_request_query":{"args":{"name":"N"},"tool_call_id":"q"}},"expect":{"create_plan_request_response":{"result":'
steps "{$plan{\"success\":{}}}}},{\"turn_ended\":{}}"
plays "$dir/script.json" --mode plan --format documents hi
expect_status 0
expect_empty "$dir/server_err"
steps "{$plan{\"error\":{}}}}},{\"turn_ended\":{}}"
plays "$dir/script.json" --format documents hi
expect_status 0
expect_empty "$dir/server_err"

# --- errors and ends

it 'an error in the middle'
steps '{"text":"Half"},{"error":{"code":"resource_exhausted","message":"enough"}}'
plays "$dir/script.json" --format documents hi
expect_status 7
expect_types 'text error'
expect_in "$out" '"status":"error"'
expect_in "$out" '"errorCode":"resource_exhausted","source":"server","details":""'
steps '{"error":{"code":"failed_precondition","message":"Error","details":[{"error":"ERROR_BAD_MODEL_NAME","title":"No model","detail":"Choose another."}]}}'
plays "$dir/script.json" --format documents hi
expect_in "$out" '"source":"server","details":"No model: Choose another."}'

it 'no token'
for format in documents documents-stream documents-sse; do
  CURSOR_ACCESS_TOKEN='' run --format "$format" hi </dev/null
  expect_status 3
  expect_types error
  expect_in "$out" '"errorCode":"unauthenticated","source":"local"'
done
it 'a bad option'
run --format documents --bogus </dev/null
expect_status 2
expect_types error
it 'another command'
run --format documents models </dev/null
expect_status 2
expect_in "$err" '--format of models must be text or json'

# Nothing is printed before the end, so the trace tells that the answer comes.
it 'Ctrl-C while the answer comes'
long=$(printf 'word %.0s' {1..2000})
for format in documents documents-stream; do
  : >"$dir/trace"
  "$chat" --local --trace "$dir/trace" --format "$format" "$long" </dev/null >"$out" 2>"$err" &
  pid=$!
  until [ "$(grep -c '"from":"server"' "$dir/trace")" -ge 12 ]; do
    kill -0 "$pid" 2>/dev/null || break
  done
  kill -INT "$pid"
  wait "$pid"
  status=$?
  expect_status 130
  expect_types text
  expect_in "$out" '"status":"error"'
done

# --- secrets

it 'the token is not shown'
secret=${CURSOR_ACCESS_TOKEN//\"/\\\"}
delta() {
  printf '{"update":{"tool_call_delta":{"call_id":"c2","tool_call_delta":"%s"}}}' "$1"
}
# agent.v1.ToolCallDelta{shell_tool_call_delta{stdout{content}}}: one half of the token each.
shell_delta() {
  local text=$1
  local size=${#1}
  printf "\\x0a\\x$(printf %02x $((size + 4)))\\x0a\\x$(printf %02x $((size + 2)))\\x0a\\x$(printf %02x "$size")%s" "$text" | base64 -w 0
}
call='"tool_call":{"mcp_tool_call":{"args":{"name":"'$secret'","tool_name":"'$secret'","args":{"a":"'$secret'"}}'
steps '{"tool_call_started":{"call_id":"'$secret'",'$call'}}}},
{"tool_call_completed":{"call_id":"'$secret'",'$call',"result":{"success":{"content":[{"text":{"text":"it is '$secret'"}}]}}}}}},
{"tool_call_started":{"call_id":"c2","tool_call":{"shell_tool_call":""}}},
'"$(delta "$(shell_delta "${CURSOR_ACCESS_TOKEN:0:9}")"),$(delta "$(shell_delta "${CURSOR_ACCESS_TOKEN:9}")")"',
{"query":{"ask_question_interaction_query":{"args":{"title":"'$secret'","questions":[{"id":"1","prompt":"'$secret'"}]}}}},
{"text":"say '$secret'"},{"turn_ended":{}}'
for format in documents documents-stream documents-sse; do
  plays "$dir/script.json" --format "$format" hi
  expect_status 0
  expect_types 'tool_call terminal_command clarification text'
  expect_in "$out" '(redacted)'
  # The model's text is as it came; nothing else has the token.
  grep -oF "$secret" "$out" | sort | uniq -c >"$dir/count"
  grep -oE '"(content|delta|finalContent)":"say [^ ]*' "$out" | grep -oF "$secret" | sort | uniq -c >"$dir/said"
  cmp -s "$dir/count" "$dir/said" || fail "the token is in the $format"
  [ -s "$dir/said" ] || [ "$format" != documents ] || fail 'the text was altered'
done

finish
