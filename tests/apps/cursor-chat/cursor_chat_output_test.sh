#!/usr/bin/env bash
# What cursor-chat does when it is interrupted, and when its output cannot be written.
# Usage: cursor_chat_output_test.sh PROGRAM BAD_SERVER
. "$(dirname "$0")/../support.sh"
bad_server=$2

# --- Ctrl-C

set -m # so that a program in the background does not ignore SIGINT

# Waits for the program in the background.
await() {
  wait "$pid" 2>/dev/null
  status=$?
}

it 'Ctrl-C while the answer comes'
mkfifo "$dir/answer"
"$chat" --local --format stream-json "$long" </dev/null >"$dir/answer" 2>"$err" &
pid=$!
exec 3<"$dir/answer"
read -r line <&3
kill -INT "$pid"
cat <&3 >"$out" # until the program is gone
exec 3<&-
await
expect_status 130
expect_empty "$err"
[ "${line#\{}" != "$line" ] || fail "the first line is '$line'"
expect_not_in "$out" turn_ended

it 'Ctrl-C while the prompt is read'
mkfifo "$dir/prompt"
: >"$out" # the signal may come before the program is there
"$chat" --local <"$dir/prompt" >"$out" 2>"$err" &
pid=$!
exec 3>"$dir/prompt"
kill -INT "$pid"
await
exec 3>&-
expect_status 130
expect_empty "$out"

for scheme in http https; do
  for command in hi models; do
    it "Ctrl-C before the first byte, $scheme, $command"
    start_bad_server silent
    : >"$out"
    CURSOR_ACCESS_TOKEN=t "$chat" --endpoint "$scheme://localhost:$port" "$command" \
      </dev/null >"$out" 2>"$err" &
    pid=$!
    read -r line <&"${BAD[0]}"
    [ "$line" = connected ] || fail "the server said '$line'"
    kill -INT "$pid"
    await
    expect_status 130
    expect_empty "$out"
    expect_empty "$err"
    stop_bad_server
  done
done

it 'Ctrl-C before the first byte, json'
start_bad_server silent
CURSOR_ACCESS_TOKEN=t "$chat" --endpoint "http://localhost:$port" --format json hi \
  </dev/null >"$out" 2>"$err" &
pid=$!
read -r line <&"${BAD[0]}"
kill -INT "$pid"
await
expect_status 130
expect_lines "$out" '^\{"error":\{"code":"canceled",.*\}$'
expect_empty "$err"
stop_bad_server

# --- output that nobody reads

# Fills the pipe at descriptor 6, so that the next write to it waits.
fill_pipe() { dd if=/dev/zero of="$dir/unread" oflag=nonblock bs=4096 2>/dev/null; }

mkfifo "$dir/unread"
: >"$out"
for signal in INT TERM; do
  for format in text stream-json; do
    it "SIG$signal while nobody reads, $format"
    exec 6<>"$dir/unread" # also a reader
    "$chat" --local --format $format "$long" </dev/null >"$dir/unread" 2>"$err" 6<&- &
    pid=$!
    read -rN 1 line <&6 # the answer begins
    fill_pipe
    kill -$signal "$pid"
    await
    exec 6<&-
    expect_status $((128 + $(kill -l $signal)))
    expect_empty "$err"
  done
done

for format in text json stream-json; do
  it "deadline while nobody reads, $format"
  exec 6<>"$dir/unread"
  fill_pipe
  run_unread() { "$chat" --local --format $format --max-time 0.2 "$long" </dev/null 6<&-; }
  run_unread >"$dir/unread" 2>"$err"
  status=$?
  expect_error 5 'error: deadline_exceeded: '
  run_unread >"$dir/unread" 2>&1 # nor is there anybody for the error
  status=$?
  expect_status 5
  exec 6<&-
done

for words in models usage; do
  it "deadline while nobody reads, $words"
  exec 6<>"$dir/unread"
  fill_pipe
  "$chat" --local --max-time 0.2 $words </dev/null >"$dir/unread" 2>"$err" 6<&-
  status=$?
  exec 6<&-
  expect_error 5 'error: deadline_exceeded: '
done

it 'deadline while nobody reads an error before the turn'
exec 6<>"$dir/unread"
fill_pipe
timeout 60 "$chat" --format json --max-time 0.2 hi </dev/null >"$dir/unread" 2>"$err" 6<&- # no token
status=$?
exec 6<&-
expect_error 3 'error: unauthenticated: '

it 'a reader that goes on gets the end after the deadline'
exec 6<>"$dir/unread"
fill_pipe
"$chat" --local --format json --max-time 0.05 "$long" </dev/null >"$dir/unread" 2>"$err" 6<&- &
pid=$!
read -r line <&6 # without the zero bytes before it
printf '%s\n' "$line" >"$out"
await
exec 6<&-
expect_status 5
expect_lines "$out" '^\{.*"error":\{"code":"deadline_exceeded",.*\}$'

set +m

if has_terminals; then
  it 'Ctrl-C on a terminal leaves the cursor at the start of a line'
  mkfifo "$dir/keys" "$dir/screen"
  # It takes minutes to say.
  printf 'word%.0s ' {1..10000} >"$dir/long"
  script -qefc "'$chat' --local - <'$dir/long'" /dev/null <"$dir/keys" >"$dir/screen" 2>"$err" &
  pid=$!
  exec 3>"$dir/keys" 4<"$dir/screen"
  read -rd '"' line <&4 # the answer begins: You said: "...
  # A reader that is gone must not end this script.
  (trap '' PIPE; printf '\003' >&3) 2>/dev/null || fail 'it ended before the key'
  cat <&4 >"$out" # until the program is gone
  await
  exec 3>&- 4<&-
  expect_status 130
  [ "$(tail -c 1 "$out" | od -An -tx1)" = ' 0a' ] || fail 'the last byte is no line break'
  expect_not_in "$out" 'That is 10000 words'
  expect_not_in "$out" error
else
  echo 'skipped: Ctrl-C on a terminal, as there are no terminals: script(1) and /dev/pts'
fi

# --- output that cannot be written

it 'closed standard output'
"$chat" --local hi </dev/null >&- 2>"$err"
status=$?
: >"$out"
expect_error 1 'cannot write to standard output'

for format in text stream-json; do
  it "reader that is gone, $format"
  "$chat" --local --format $format "$long" </dev/null 2>"$err" | head -c 1 >"$out"
  status=${PIPESTATUS[0]}
  expect_status 1
  expect_empty "$err"
done

if [ -c /dev/full ]; then
  : >"$out"
  for arguments in hi '--format json hi' '--format stream-json hi' models '--format json models' \
    --help; do
    it "full disk, $arguments"
    # shellcheck disable=SC2086 # several words
    "$chat" --local $arguments </dev/null >/dev/full 2>"$err"
    status=$?
    expect_error 1 'cannot write to standard output: No space left on device'
  done
fi

it 'disk that is full in the middle of an object'
(
  ulimit -f 1 # blocks of 1024 bytes
  exec "$chat" --local --format json "$(printf 'x%.0s' $(seq 3000))" </dev/null >"$dir/cut" 2>"$err"
)
status=$?
expect_error 1 'cannot write to standard output: File too large'

finish
