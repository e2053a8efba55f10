#!/usr/bin/env bash
# What cursor-chat promises about logins: login, logout, whoami, usage, and where tokens come from.
# Usage: cursor_chat_account_test.sh PROGRAM LOCAL_UPSTREAM
. "$(dirname "$0")/../support.sh"
local_upstream=$2
store=$dir/.config/cursorwire/credentials.json

# Starts local-upstream with this account: sets url and ca.
start_upstream() {
  printf '%s' "$1" >"$dir/account.json"
  coproc UP { exec "$local_upstream" --word-interval 0 --account "$dir/account.json" --ca-out "$dir/ca.pem" \
    2>"$dir/violations"; }
  up_pid=$!
  local line
  read -r line <&"${UP[0]}"
  url=${line#listening on }
  read -r line <&"${UP[0]}"
  ca=$dir/ca.pem
  service=(--endpoint "$url" --cacert "$ca")
}
stop_upstream() {
  kill "$up_pid"
  wait "$up_pid"
  status=$?
  [ "$status" -eq 0 ] || fail "violations: $(cat "$dir/violations")"
}

# A token of that user, which ends so many seconds from now.
token_of() {
  printf 'eyJhbGciOiJub25lIn0.%s.c2ln' "$(printf '{"sub":"%s","exp":%d}' "$1" $(($(date +%s) + $2)) |
    base64 -w0 | tr '+/' '-_' | tr -d =)"
}
# A login in a file: FILE USER SECONDS [REFRESH_TOKEN]
write_login() {
  mkdir -p "$(dirname "$1")"
  printf '{"accessToken":"%s","refreshToken":"%s"}' "$(token_of "$2" "$3")" "${4:-}" >"$1"
  chmod 600 "$1"
}

# --- what needs no login

it 'the version, and the completion of shells'
run --version </dev/null
expect_status 0
expect_lines "$out" '^cursor-chat [0-9]+\.[0-9]+\.[0-9]+$'
for shell in bash zsh fish; do
  run completion "$shell" </dev/null
  expect_status 0
  expect_in "$out" 'token-source'
  expect_empty "$err"
done
run completion bash </dev/null
bash -n "$out" || fail 'the script is no bash'
# completes LINE EXPECTED: what bash offers for the last word of the line.
completes() {
  local found
  found=$(bash -c '. "$1"; COMP_WORDS=(cursor-chat "${@:2}"); COMP_CWORD=$(($# - 1)); _cursor_chat
    echo "${COMPREPLY[@]}"' - "$out" "${@:2}" 2>"$err")
  [ "$found" = "$1" ] || fail "bash finds '$found' for ${*:2}"
}
completes stream-json --format st
completes stream-json --format = stre
completes 'mcp models' m
completes 'mcp models' --format json m
completes 'mcp models' --format = json m
completes 'list test' mcp ''
completes test --model x mcp t
completes 'bash zsh fish' completion ''
completes 'show to-script' trace ''
completes models help mo
completes '' doctor ''
completes '' -- m
completes --heartbeat doctor --hea
# Files, which bash itself offers.
compopt_asked() {
  bash -c 'compopt() { echo "asked: $*"; }; . "$1"; COMP_WORDS=(cursor-chat "${@:2}")
    COMP_CWORD=$(($# - 1)); _cursor_chat' - "$out" "$@" | grep -qx 'asked: -o default'
}
compopt_asked mcp list '' || fail 'no files after mcp list'
compopt_asked sessions '' || fail 'no files after sessions'
compopt_asked --tools '' || fail 'no files after --tools'
! compopt_asked mcp '' || fail 'files after mcp'

# --- without a login

it 'whoami without a login'
run whoami </dev/null
expect_error 3 'cursor-chat login'
run whoami --format json </dev/null
expect_status 3
expect_in "$out" '{"expires_at":null,"logged_in":false,"source":null,"user":null}'

it 'usage without a login'
run usage </dev/null
expect_error 3 'cursor-chat login'

it 'logout without a login'
run logout </dev/null
expect_status 0
expect_in "$out" 'There was no login'

# --- from a login to an answer

start_upstream '{"user":"auth0|ann","poll":[404,200],"checks_tokens":true,"rotates":true}'

it 'login prints the address alone on a line, and who is logged in'
run login --no-browser "${service[@]}" </dev/null
expect_status 0
[ "$(grep -cE '^https://cursor\.com/loginDeepControl\?challenge=[A-Za-z0-9_-]{43}&uuid=[0-9a-f-]{36}&mode=login&redirectTarget=cli$' "$out")" -eq 1 ] ||
  fail 'there is no line with the address alone'
expect_in "$out" 'Logged in as auth0|ann'
[ "$(stat -c %a "$store")" = 600 ] || fail 'the file of the login is not private'

it 'a question after the login'
run "${service[@]}" 'say hello' </dev/null
expect_status 0
[ -s "$out" ] || fail 'there is no answer'

it 'whoami tells the login'
run whoami </dev/null
expect_status 0
expect_in "$out" 'auth0|ann'
expect_in "$out" "store, $store"
run whoami --format json </dev/null
expect_status 0
expect_lines "$out" '^\{"expires_at":"20[0-9-]{8}T[0-9:]{8}Z","logged_in":true,"origin":".*","source":"store","user":"auth0\|ann"\}$'
run whoami --format stream-json </dev/null
expect_status 2

it 'usage tells the figures'
run usage "${service[@]}" </dev/null
expect_status 0
expect_in "$out" '62.5%'
expect_in "$out" '$12.50 of $20.00, $7.50 left'
run usage --format json "${service[@]}" </dev/null
expect_status 0
expect_in "$out" '"limit_cents":2000'

it 'a refused token is renewed once, and nothing is said of it'
write_login "$store" 'auth0|ann' 3600 a-refresh-token
run "${service[@]}" 'say hello' </dev/null
expect_status 0
expect_empty "$err"
expect_in "$store" '"refreshToken":"a-refresh-token"'

it 'many processes renew a login once'
write_login "$store" 'auth0|ann' 100 local-refresh-2
for i in 1 2 3 4 5 6; do
  "$chat" "${service[@]}" 'say hello' </dev/null >"$dir/out$i" 2>&1 &
  pids[i]=$!
done
for i in 1 2 3 4 5 6; do
  wait "${pids[i]}" || fail "process $i: $(cat "$dir/out$i")"
done

it 'logout removes it'
run logout </dev/null
expect_status 0
expect_in "$out" 'Logged out'
[ ! -e "$store" ] || fail 'the file is still there'
run whoami </dev/null
expect_status 3

stop_upstream

# --- the doctor

it 'the doctor finds everything in order'
start_upstream '{"user":"auth0|ann"}'
CURSOR_ACCESS_TOKEN=not-to-be-shown run doctor "${service[@]}" </dev/null
expect_status 0
for check in versions limits proxy name_resolution tcp tls http2 auth models hello; do
  grep -qE "^ok +$check " "$out" || fail "no good line of $check"
done
expect_not_in "$out" not-to-be-shown
expect_in "$out" '; to the service it is cli-2026.08.31-4057e58, as this library says'
CURSOR_ACCESS_TOKEN=t CURSORWIRE_CLIENT_VERSION=cli-2026.11.11-abcdef0 run doctor "${service[@]}" \
  </dev/null
expect_in "$out" 'it is cli-2026.11.11-abcdef0, as CURSORWIRE_CLIENT_VERSION says'
CURSOR_ACCESS_TOKEN=not-to-be-shown run doctor --format json "${service[@]}" </dev/null
expect_status 0
expect_lines "$out" '^\{"checks":\[\{"detail":.*"ok":true\}$'
expect_not_in "$out" not-to-be-shown

it 'the doctor says what is wrong, and what to do'
run doctor "${service[@]}" </dev/null
expect_status 1
expect_in "$out" '-> log in: cursor-chat login'
grep -qE '^skip +hello ' "$out" || fail 'hello is not skipped'
expect_in "$err" '1 of 13 checks failed'
HTTPS_PROXY=ftp://user:not-to-be-shown@host CURSOR_ACCESS_TOKEN=t run doctor --endpoint https://api2.cursor.sh </dev/null
expect_status 1
grep -qE '^fail +proxy .*HTTPS_PROXY' "$out" || fail 'the bad proxy is no failure'
expect_not_in "$out" not-to-be-shown
CURSOR_ACCESS_TOKEN=t run doctor --endpoint "$url" </dev/null
expect_status 1
grep -qE '^fail +tls .*not trusted' "$out" || fail 'the certificate is no failure'
run doctor --endpoint https://localhost:1 </dev/null
expect_status 1
grep -qE '^fail +tcp .*refused' "$out" || fail 'the refused connection is no failure'
CURSORWIRE_CLIENT_VERSION='a b' run doctor --endpoint https://localhost:1 </dev/null
grep -qE '^fail +versions .*CURSORWIRE_CLIENT_VERSION must be' "$out" ||
  fail 'a bad client version is no failure'
run doctor --local </dev/null
expect_error 2 '--local has none'
stop_upstream

# --- logins that fail

it 'a login is refused'
start_upstream '{"poll":[403]}'
run login --no-browser "${service[@]}" </dev/null
expect_status 3
expect_in "$err" 'cursor-chat: error: permission_denied: '
stop_upstream

it 'a login of a service in trouble'
start_upstream '{"poll":[500]}'
run login --no-browser "${service[@]}" </dev/null
expect_status 4
stop_upstream

it 'a login without a service'
run login --no-browser --endpoint "$url" --cacert "$ca" </dev/null
expect_status 4
expect_in "$err" 'cursor-chat: error: unavailable: '

it 'a program of the current folder is no browser'
start_upstream '{"poll":[403]}'
mkdir -p "$dir/hostile" "$dir/programs"
printf '#!/bin/sh\ntouch "%s"\n' "$dir/ran-hostile" >"$dir/hostile/xdg-open"
printf '#!/bin/sh\nprintf "%%s\\n" "$1" >"%s"\n' "$dir/ran-own" >"$dir/programs/xdg-open"
chmod +x "$dir/hostile/xdg-open" "$dir/programs/xdg-open"
(cd "$dir/hostile" && PATH=":.:../hostile:$dir/none:/nowhere" "$chat" login "${service[@]}") </dev/null >"$out" 2>"$err"
status=$?
expect_status 3
expect_in "$err" 'no browser can be started'
(cd "$dir/hostile" && PATH=":$dir/programs:$PATH" "$chat" login "${service[@]}") </dev/null >"$out" 2>"$err"
status=$?
expect_status 3
until [ -s "$dir/ran-own" ]; do :; done
expect_in "$dir/ran-own" 'loginDeepControl'
[ ! -e "$dir/ran-hostile" ] || fail 'the program of the folder ran'
stop_upstream

it 'Ctrl-C ends a login'
start_upstream '{"poll":[404]}'
: >"$out" # what the login before has said must not be taken for what this one says
"$chat" login --no-browser "${service[@]}" </dev/null >"$out" 2>"$err" &
pid=$!
until grep -q loginDeepControl "$out" 2>/dev/null; do :; done
kill -INT "$pid"
wait "$pid"
status=$?
expect_status 130
[ ! -e "$store" ] || fail 'there is a file of a login'
stop_upstream

# --- where tokens come from

it 'a file that others may read is refused'
write_login "$store" ann 3600
chmod 644 "$store"
run whoami </dev/null
expect_error 3 'chmod 600'
run --endpoint https://localhost:1 hi </dev/null
expect_error 3 'chmod 600'
chmod 600 "$store"

it '--token-source names the places in order'
write_login "$dir/.config/cursor/auth.json" bob 3600
run whoami </dev/null
expect_in "$out" ann
run whoami --token-source cli,store </dev/null
expect_in "$out" bob
CURSOR_ACCESS_TOKEN=$(token_of carl 3600) run whoami --format json </dev/null
expect_in "$out" '"source":"env","user":"carl"'
CURSOR_ACCESS_TOKEN=$(token_of carl 3600) run whoami --token-source store </dev/null
expect_in "$out" ann
run whoami --token-source env </dev/null
expect_error 3 'no access token'
run whoami --token-source keychain </dev/null
expect_error 2 'env, store, cli and desktop'
run whoami --token-source '' </dev/null
expect_error 2 'token-source'

it 'the desktop application is asked where it is named'
mkdir -p "$dir/.config/Cursor/User/globalStorage"
printf 'no database, but long enough to be looked at as one' \
  >"$dir/.config/Cursor/User/globalStorage/state.vscdb"
run whoami </dev/null
expect_status 0
run whoami --token-source desktop </dev/null
expect_status 3
expect_in "$err" desktop

it 'an API key is exchanged'
start_upstream '{"user":"auth0|dora"}'
CURSOR_API_KEY=key_not_to_be_shown run whoami "${service[@]}" </dev/null
expect_status 0
expect_in "$out" 'auth0|dora'
CURSOR_API_KEY=key_not_to_be_shown run hi "${service[@]}" </dev/null
expect_status 0
! grep -rq key_not_to_be_shown "$dir/.local" "$out" "$err" || fail 'the key is in a file'
stop_upstream

it 'a refused refresh token is said, and not tried again'
start_upstream '{"user":"ann","exchange":[401]}'
write_login "$store" ann -60 not-to-be-shown-refresh
run hi "${service[@]}" </dev/null
expect_error 3 'log in again with cursor-chat login'
expect_not_in "$err" not-to-be-shown
run hi "${service[@]}" </dev/null
expect_error 3 'a few minutes ago'
stop_upstream

it 'a service in trouble is no refusal'
start_upstream '{"user":"ann","exchange":[503,200]}'
write_login "$store" ann -60 another-refresh-token
run hi "${service[@]}" </dev/null
expect_error 4 'is not renewed'
run hi "${service[@]}" </dev/null
expect_status 0
stop_upstream

finish
