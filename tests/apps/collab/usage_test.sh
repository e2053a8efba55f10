#!/usr/bin/env bash
# Tests of what cursor-collab says to wrong use, and of its ends, without a server of documents.
# Usage: usage_test.sh CURSOR_COLLAB
# shellcheck source=tests/apps/support.sh
source "$(dirname "$0")/../support.sh"

collab=$chat # as support.sh names its program
doc=automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu
bare=${doc#automerge:}

# In time: what should fail at once may go on forever.
run() {
  timeout -k 5 60 "$collab" "$@" >"$out" 2>"$err"
  status=$?
}

# One line that says what is wrong; standard output ends with the same as JSON.
expect_failure() {
  expect_status "$1"
  expect_lines "$err" '^cursor-collab: error: [a-z_]+: .'
  [ "$(wc -l <"$err")" -eq 1 ] || fail 'standard error is not one line'
  expect_in "$err" "error: $2: "
  [ ! -s "$out" ] || [[ $(tail -n 1 "$out") == "{\"type\":\"error\",\"code\":\"$2\",\"message\":\""*'"}' ]] ||
    fail 'the last line does not tell it'
}
# Nothing to do with documents: standard output is empty.
expect_usage() {
  expect_failure 2 invalid_argument
  expect_empty "$out"
  expect_in "$err" "$1"
}
# A port where nobody listens: one that was free a moment ago. Nothing else of this test listens.
unused_port() {
  local port
  for port in 1 7 9; do
    (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
refused=ws://127.0.0.1:$(unused_port)

it 'shows help'
for command in '' watch nvim-helper agent; do
  for flag in --help -h; do
    run $command $flag </dev/null
    expect_status 0
    expect_empty "$err"
    expect_in "$out" 'Usage: cursor-collab'
  done
done
run --help </dev/null
for command in watch nvim-helper agent; do expect_in "$out" "$command"; done
run watch --help </dev/null
for option in --sync --field --offsets --once --allow-plaintext --cacert; do expect_in "$out" "$option"; done
run nvim-helper --help </dev/null
for option in --offsets --storage --status --allow-plaintext --cacert; do expect_in "$out" "$option"; done
run agent --help </dev/null
for option in --sync --doc --field --prompt --at --replace --append --name --model --local --endpoint --cacert \
  --storage --allow-plaintext; do
  expect_in "$out" "$option"
done

it 'shows its version'
run --version </dev/null
expect_status 0
expect_empty "$err"
expect_lines "$out" '^cursor-collab [0-9]+\.[0-9]+\.[0-9]+'

it 'refuses wrong words'
run </dev/null
expect_usage 'subcommand'
run nonsense </dev/null
expect_usage ''
run watch --nonsense "$doc" --sync "$refused" </dev/null
expect_usage '--nonsense'
run watch "$doc" more --sync "$refused" </dev/null
expect_usage 'too many'
run nvim-helper more </dev/null
expect_usage 'too many'
run watch "$doc" 'wss://host/?token=secret' --sync "$refused" </dev/null
expect_usage 'too many'
if grep -q secret "$err"; then fail 'it shows what may be secret'; fi
for command in watch nvim-helper; do
  run $command --offsets bytes </dev/null
  expect_usage 'bytes'
done

it 'needs a document and a server'
run watch --sync "$refused" </dev/null
expect_usage 'DOC'
run watch "$doc" </dev/null
expect_usage '--sync'
run agent --sync "$refused" --prompt x --local </dev/null
expect_usage '--doc'
run agent --doc "$doc" --prompt x --local </dev/null
expect_usage '--sync'
run agent --doc "$doc" --sync "$refused" --local </dev/null
expect_usage '--prompt'
run agent --doc "$doc" --sync "$refused" --local --prompt '' </dev/null
expect_usage 'prompt'

write_at() { run agent --doc "$doc" --sync "$refused" --prompt x --local "$@" </dev/null; }
it 'takes one place'
write_at --at 1 --append
expect_usage '--at'
write_at --at 1 --replace 1:2
expect_usage '--at'
write_at --append --replace 1:2
expect_usage '--replace'
write_at --append --at 1 --replace 1:2
expect_usage '--replace'
it 'takes numbers for places'
for at in '' x -1 +1 1x 1.5 ' 1' 0x1 1e3 1:2; do
  write_at "--at=$at"
  expect_failure 2 invalid_argument
done
for range in '' x 1 : 1: :2 1:x x:2 2:1 -1:2 1:-2 1:2:3 '1: 2' 1.5:2; do
  write_at "--replace=$range"
  expect_failure 2 invalid_argument
done

it 'refuses documents that are none'
for bad in x automerge: automerge:x 3tFP3srLo4iHBPADoLtJ "${doc}x" "$doc/path" "$doc#heads" "http://$bare" \
  4NMNnkMhL8jXrdJ9jamS58PAVdXv 123e4567-e89b-42d3-a456-426614174000 "automerge:$doc" "$bare "; do
  run watch "$bad" --sync "$refused" </dev/null
  expect_failure 2 invalid_argument
  run agent --doc "$bad" --sync "$refused" --local --prompt x </dev/null
  expect_failure 2 invalid_argument
done

it 'refuses an empty document'
run watch '' --sync "$refused" </dev/null
expect_failure 2 invalid_argument
run agent --doc '' --sync "$refused" --local --prompt x </dev/null
expect_failure 2 invalid_argument

it 'refuses URLs that are none'
for bad in '' x 127.0.0.1:3030 ws:// ws:/// ws:127.0.0.1 http://127.0.0.1/ https://127.0.0.1/ ws://127.0.0.1:0x1/ \
  ws://127.0.0.1:99999/ ws://127.0.0.1:x/ 'ws://127.0.0.1/ x' 'ws://[::1' ws://user:secret@127.0.0.1/; do
  run watch "$doc" --sync "$bad" </dev/null
  expect_failure 2 invalid_argument
  expect_not_in "$err" secret
  run agent --doc "$doc" --sync "$bad" --local --prompt x </dev/null
  expect_failure 2 invalid_argument
done

it 'refuses plain ws:// to other machines'
for url in ws://192.0.2.1/ ws://192.0.2.1:3030/ ws://example.invalid/ ws://localhost.example.invalid/ \
  ws://127.0.0.1.example.invalid/ 'ws://[2001:db8::1]/' ws://0x7f.1/; do
  run watch "$doc" --sync "$url" </dev/null
  expect_failure 2 invalid_argument
  expect_in "$err" '--allow-plaintext'
done

it 'refuses certificates that are none'
for file in "$dir/none.pem" /dev/null "$0"; do
  run watch "$doc" --sync wss://127.0.0.1:1/ --cacert "$file" </dev/null
  [ "$status" -ne 0 ] || fail "it takes $file"
  expect_lines "$err" '^cursor-collab: error: [a-z_]+: .'
  run nvim-helper --cacert "$file" </dev/null
  [ "$status" -ne 0 ] || fail "it takes $file"
  expect_lines "$err" '^cursor-collab: error: [a-z_]+: .'
done

it 'needs a token'
run agent --doc "$doc" --sync "$refused" --prompt x </dev/null
expect_failure 3 unauthenticated

it 'refuses a prompt that is none'
run agent --doc "$doc" --sync "$refused" --local --prompt - </dev/null
expect_failure 2 invalid_argument
run agent --doc "$doc" --sync "$refused" --local --prompt - < <(printf '\377\376')
expect_failure 2 invalid_argument
run agent --doc "$doc" --sync "$refused" --local --prompt - <&-
expect_failure 2 invalid_argument

it 'ends when no server is there'
run watch "$doc" --sync "$refused" </dev/null
expect_failure 4 unavailable
expect_not_in "$err" "$bare/"
run agent --doc "$doc" --sync "$refused/?secret" --local --prompt 'a prompt of this test' </dev/null
expect_failure 4 unavailable
expect_not_in "$err" secret
expect_not_in "$err" 'a prompt of this test'

it 'ends at a signal while it waits for a server'
for signal in INT TERM; do
  code=$([ "$signal" = INT ] && echo 130 || echo 143)
  mkfifo "$dir/lines"
  "$collab" watch "$doc" --sync "$refused" >"$dir/lines" 2>"$err" </dev/null &
  pid=$!
  exec 5<"$dir/lines"
  read -r line <&5 || fail 'it says nothing'
  [[ $line == '{"type":"disconnected","retry_ms":'* ]] || fail "it says $line"
  kill -s "$signal" "$pid"
  wait "$pid"
  status=$?
  exec 5<&-
  rm "$dir/lines"
  expect_status "$code"
  expect_empty "$err"
done

it 'ends where its streams are closed'
for command in "watch $doc --sync $refused" "agent --doc $doc --sync $refused --local --prompt x"; do
  # shellcheck disable=SC2086
  "$collab" $command <&- >"$out" 2>"$err"
  status=$?
  expect_status 4
done
"$collab" nvim-helper <&- >"$out" 2>"$err"
status=$?
expect_status 0
expect_empty "$out"
expect_empty "$err"
printf '{"type":"info"}\n' | "$collab" nvim-helper >&- 2>"$err"
status=${PIPESTATUS[1]}
: >"$out"
expect_status 0
expect_empty "$err"
"$collab" watch "$doc" --sync "$refused" >&- 2>"$err" </dev/null
status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 4 ] || fail "exit code $status without standard output"
"$collab" watch "$doc" --sync nonsense 2>&- >"$out" </dev/null
status=$?
expect_status 2

it 'ends when its reader has gone'
"$collab" watch "$doc" --sync "$refused" </dev/null 2>"$err" | head -c 1 >"$out"
status=${PIPESTATUS[0]}
expect_status 0
expect_empty "$err"
for i in 1 2 3; do printf '{"type":"info"}\n'; done | "$collab" nvim-helper 2>"$err" | true
status=${PIPESTATUS[1]}
expect_status 0
expect_empty "$err"

# A disk that is full is not a reader that has gone: what it would say is lost.
if [ -c /dev/full ]; then
  it 'says that it cannot write'
  printf '{"type":"info"}\n' | "$collab" nvim-helper >/dev/full 2>"$err"
  status=${PIPESTATUS[1]}
  : >"$out"
  expect_status 1
  expect_lines "$err" '^cursor-collab: error: [a-z_]+: .'
  "$collab" watch "$doc" --sync "$refused" >/dev/full 2>"$err" </dev/null
  status=$?
  expect_status 1
  expect_lines "$err" '^cursor-collab: error: [a-z_]+: .'
fi

it 'helps an editor without a server'
printf '%s\n' '{"type":"info"}' 'no json' '{"type":"create"}' \
  "{\"type\":\"connect\",\"syncUrl\":\"$refused\"}" '{"type":"create"}' '{"type":"edit","content":"x"}' '{"type":"close"}' \
  '{"type":"disconnect"}' >"$dir/input"
run nvim-helper <"$dir/input"
expect_status 0
expect_empty "$err"
cat >"$dir/expected" <<'LINES'
^\{"type":"info","connected":false,"docId":null,"userId":null,"userName":"nvim-user","awareness":false\}$
^\{"type":"error","message":"Parse error: .*","code":"parse"\}$
^\{"type":"error","message":"Not connected","code":"not_connected","request":"create"\}$
^\{"type":"connected","userId":"nvim-[0-9a-z]{8}"\}$
^\{"type":"created","docId":"automerge:[1-9A-HJ-NP-Za-km-z]+"\}$
^\{"type":"closed"\}$
^\{"type":"disconnected"\}$
LINES
[ "$(wc -l <"$out")" -eq "$(wc -l <"$dir/expected")" ] || fail 'not as many lines as expected'
while read -r line <&3 && IFS= read -r pattern <&4; do
  [[ $line =~ $pattern ]] || fail "$line is not $pattern"
done 3<"$out" 4<"$dir/expected"

finish
