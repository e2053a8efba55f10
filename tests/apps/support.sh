# Sourced by the tests of cursor-chat: sets chat, dir, out and err, and takes everything of the
# machine out of the way. No network but this machine's, no fixed ports, no waiting for a time to
# pass.
# Usage of each: NAME_test.sh PROGRAM [MORE]
set -u

# A script that starts this in the background leaves SIGINT ignored, which no shell can undo: a
# program that gets it before it has looked after its signals would go on forever.
[ -z "$(trap -p INT)" ] || exec env --default-signal=INT,QUIT "$BASH" "$0" "$@"

chat=$1
dir=$(mktemp -d)
# Not in a child that a signal met before it became a program.
trap '[ "$BASHPID" != $$ ] || rm -rf "$dir"' EXIT
out=$dir/out
err=$dir/err
failures=0
name=
shown=
unset CURSOR_ACCESS_TOKEN CURSOR_AUTH_TOKEN CURSOR_API_KEY CURSORWIRE_AGENT_URL CURSOR_AGENT_URL \
  CURSORWIRE_API_URL XDG_CONFIG_HOME XDG_STATE_HOME
export CURSOR_CONFIG_DIR=$dir HOME=$dir # nothing of the machine that runs this

# Starts a test.
it() { name=$1; }

fail() {
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n' "$name" "$1"
  [ "$shown" != "$name" ] || return 0
  shown=$name
  printf -- '--- standard output\n%s\n--- standard error\n%s\n' \
    "$(head -c 2000 "$out" 2>/dev/null)" "$(head -c 2000 "$err" 2>/dev/null)"
}

# A container may have none.
has_terminals() { command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1; }

# Runs the program with these arguments; standard input is what the caller gives.
run() {
  "$chat" "$@" >"$out" 2>"$err"
  status=$?
}

expect_status() { [ "$status" -eq "$1" ] || fail "exit code $status, not $1"; }
expect_empty() { [ ! -s "$1" ] || fail "$(basename "$1") is not empty"; }
# A fixed text in a file.
expect_in() { grep -qF -- "$2" "$1" || fail "'$2' is not in $(basename "$1")"; }
expect_not_in() { ! grep -qF -- "$2" "$1" || fail "'$2' is in $(basename "$1")"; }
# Each line of a file matches; there is at least one.
expect_lines() {
  [ -s "$1" ] || fail "$(basename "$1") is empty"
  ! grep -qvE -- "$2" "$1" || fail "a line of $(basename "$1") is not of the form $2"
}
# One line that says what is wrong, and nothing else at all.
expect_error() {
  expect_status "$1"
  expect_empty "$out"
  expect_lines "$err" '^cursor-chat: error: [a-z_]+: .'
  [ "$(wc -l <"$err")" -eq 1 ] || fail "standard error is not one line"
  expect_in "$err" "$2"
}

# Tests that sweep over moments do it in these many rounds: in SLICE of them, with moments that lie
# evenly, or in all, by chance, where scripts/deep.sh runs the tests, which sets CURSORWIRE_DEEP.
#   rounds ALL SLICE
rounds() { if [ -n "${CURSORWIRE_DEEP:-}" ]; then echo "$1"; else echo "$2"; fi; }
# The moment of a round, the first of which is 0: less than MOST.
#   moment ROUND ROUNDS MOST
moment() { if [ -n "${CURSORWIRE_DEEP:-}" ]; then echo $((RANDOM % $3)); else echo $(($1 * $3 / $2)); fi; }

# Starts tests/apps/bad_server.cc, which ends with its standard input: sets port and ca. What it
# prints further is at descriptor ${BAD[0]}.
start_bad_server() {
  ca=$dir/ca.pem
  port=
  coproc BAD { exec "$bad_server" "$1" "$ca" 2>/dev/null; }
  bad_pid=$!
  read -r port <&"${BAD[0]}"
  [ -n "$port" ] || fail "the server $1 does not start"
}
stop_bad_server() {
  eval "exec ${BAD[1]}>&-"
  wait "$bad_pid" || fail "the server ended with $?"
}

# After the last test.
finish() {
  [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
  echo 'all as promised'
}

long=$(for i in $(seq 500); do printf 'word%s ' "$i"; done)
