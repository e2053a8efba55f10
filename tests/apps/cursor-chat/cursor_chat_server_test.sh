#!/usr/bin/env bash
# What cursor-chat says of servers that it cannot use: one line, and in time.
# Usage: cursor_chat_server_test.sh PROGRAM BAD_SERVER
. "$(dirname "$0")/../support.sh"
bad_server=$2
export CURSOR_ACCESS_TOKEN=not-to-be-shown

# A server, the scheme, the exit code, words of the error; more arguments are options.
meets() {
  local kind=$1 scheme=$2 code=$3 words=$4
  shift 4
  it "$kind, $scheme $*"
  start_bad_server "$kind"
  run --endpoint "$scheme://localhost:$port" "$@" hi </dev/null
  expect_error "$code" "$words"
  expect_not_in "$err" "$CURSOR_ACCESS_TOKEN"
  # The JSON formats say the same where a program looks for it.
  run --endpoint "$scheme://localhost:$port" --format json "$@" hi </dev/null
  expect_status "$code"
  expect_lines "$out" '^\{"error":\{"code":"[a-z_]+","message":".+"\},"text":"","thinking":"","usage":null\}$'
  expect_in "$out" "$words"
  # So do the calls for the models.
  run --endpoint "$scheme://localhost:$port" "$@" models </dev/null
  expect_error "$code" "$words"
  run --endpoint "$scheme://localhost:$port" "$@" --effort high hi </dev/null
  expect_error "$code" "$words"
  stop_bad_server
}

# --- nobody answers

for scheme in http https; do
  meets silent $scheme 5 'connecting to localhost' --connect-timeout 0.2
  expect_in "$err" 'took longer than 200 ms'
  meets full $scheme 5 'connecting to localhost' --connect-timeout 0.2
  expect_in "$err" 'took longer than 200 ms'
  meets closing $scheme 4 'unavailable'
done

it 'no limit to connect, but one of the whole call'
start_bad_server silent
run --endpoint "https://localhost:$port" --connect-timeout 0 --max-time 0.2 hi </dev/null
expect_error 5 'took longer than --max-time, 200 ms'
stop_bad_server

# --- nobody renews a login

set -m # so that a program in the background does not ignore SIGINT
mkdir -p "$dir/.config/cursorwire"
printf '{"accessToken":"eyJhbGciOiJub25lIn0.%s.c2ln","refreshToken":"r"}' \
  "$(printf '{"sub":"ann","exp":1}' | base64 -w0 | tr -d =)" >"$dir/.config/cursorwire/credentials.json"
chmod 600 "$dir/.config/cursorwire/credentials.json"

it 'a login that is not renewed in time'
for words in hi models usage; do
  start_bad_server silent
  run --token-source store --endpoint "http://localhost:$port" --max-time 0.2 "$words" </dev/null
  expect_error 5 'this took longer than --max-time'
  stop_bad_server
done

it 'Ctrl-C while a login is renewed'
for words in hi models; do
  start_bad_server silent
  "$chat" --token-source store --endpoint "http://localhost:$port" "$words" </dev/null >"$out" 2>"$err" &
  pid=$!
  read -r line <&"${BAD[0]}" # connected
  kill -INT "$pid"
  wait "$pid"
  status=$?
  expect_status 130
  expect_empty "$out"
  stop_bad_server
done

# Less than a millisecond is not "no limit".
for option in --connect-timeout --max-idle --max-time; do
  for seconds in 0.0004 0.0000001 1e-300; do
    it "$option $seconds"
    start_bad_server silent
    run --endpoint "https://localhost:$port" $option $seconds hi </dev/null
    expect_error 5 ' 1 ms'
    stop_bad_server
  done
done

# --- another protocol

meets http1 http 4 'HTTP/1'
expect_in "$err" localhost
meets http1 https 4 'TLS: handshake with localhost failed'
meets tls-http1 https 4 'localhost does not speak HTTP/2' --cacert "$dir/ca.pem"

# --- certificates

meets self-signed https 4 'the certificate of localhost is not trusted: self'
meets self-signed https 4 'not trusted: self' --cacert "$dir/ca.pem"
meets wrong-host https 4 'ostname mismatch' --cacert "$dir/ca.pem"
meets expired https 4 'not trusted: certificate has expired' --cacert "$dir/ca.pem"

# --- names

it 'name without an address' # too long for any: nobody is asked for it
label=$(printf 'a%.0s' $(seq 64))
run --endpoint "https://$label.cursor.sh" hi </dev/null
expect_error 4 "no address for $label.cursor.sh"

finish
