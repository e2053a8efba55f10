#!/usr/bin/env bash
# cursor-chat behind tinyproxy and microsocks, those of them that are there.
# Usage: cursor_chat_proxy_test.sh PROGRAM LOCAL_UPSTREAM
. "$(dirname "$0")/../support.sh"
local_upstream=$2
export CURSOR_ACCESS_TOKEN=not-to-be-shown
unset http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY no_proxy NO_PROXY

coproc UP { exec "$local_upstream" --word-interval 0 --ca-out "$dir/ca.pem" 2>/dev/null; }
up_pid=$!
read -r line <&"${UP[0]}"
url=${line#listening on }
read -r line <&"${UP[0]}"
service=(--endpoint "$url" --cacert "$dir/ca.pem")

# Whether process $1 listens on port $2, once it does or has ended.
listens() {
  while kill -0 "$1" 2>/dev/null; do
    (exec 3<>"/dev/tcp/127.0.0.1/$2") 2>/dev/null && return 0
  done
  return 1
}

# Starts it on a port that is free, which replaces PORT in the other arguments: sets pid and port.
start_proxy() {
  local words=("$@")
  for _ in $(seq 20); do
    port=$((20000 + RANDOM % 20000))
    [ ! -e "$dir/tinyproxy.in" ] || sed "s/PORT/$port/" "$dir/tinyproxy.in" >"$dir/tinyproxy.conf"
    "${words[@]//PORT/$port}" >/dev/null 2>&1 &
    pid=$!
    listens "$pid" "$port" && return 0
    wait "$pid"
  done
  fail "$1 does not start"
}
stop_proxy() {
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}

if command -v tinyproxy >/dev/null; then
  cat >"$dir/tinyproxy.in" <<END
Port PORT
Listen 127.0.0.1
Allow 127.0.0.1
BasicAuth ann secret-word
ConnectPort ${url##*:}
END
  start_proxy tinyproxy -d -c "$dir/tinyproxy.conf"
  it 'a chat through tinyproxy with a password'
  CURSORWIRE_PROXY_PASSWORD=secret-word run --proxy "http://ann@127.0.0.1:$port" "${service[@]}" \
    hi </dev/null
  expect_status 0
  [ -s "$out" ] || fail 'there is no answer'
  expect_empty "$err"

  it 'a wrong password, and none'
  CURSORWIRE_PROXY_PASSWORD=wrong-word run --proxy "http://ann@127.0.0.1:$port" "${service[@]}" \
    hi </dev/null
  expect_error 4 'the proxy refuses the tunnel: HTTP 401'
  expect_not_in "$err" wrong-word
  run --proxy "http://127.0.0.1:$port" "${service[@]}" hi </dev/null
  expect_error 4 'the proxy wants a user and a password'

  it 'a port that tinyproxy does not allow'
  CURSORWIRE_PROXY_PASSWORD=secret-word run --proxy "http://ann@127.0.0.1:$port" \
    --endpoint https://localhost:1 hi </dev/null
  expect_error 4 'the proxy refuses the tunnel: HTTP 403'

  it 'the doctor sees each step'
  CURSORWIRE_PROXY_PASSWORD=secret-word run doctor --proxy "http://ann@127.0.0.1:$port" \
    "${service[@]}" </dev/null
  expect_status 0
  grep -qE "^ok +proxy +connections go through 127.0.0.1:$port$" "$out" || fail 'no line of the proxy'
  grep -qE '^ok +tunnel .* a tunnel to localhost:' "$out" || fail 'no line of the tunnel'
  expect_not_in "$out" secret-word
  run doctor --proxy "http://127.0.0.1:$port" "${service[@]}" </dev/null
  expect_status 1
  grep -qE '^fail +tunnel .*wants a user and a password' "$out" || fail 'the tunnel is no failure'
  stop_proxy
  rm "$dir/tinyproxy.in"
else
  echo 'skipped: there is no tinyproxy'
fi

if command -v microsocks >/dev/null; then
  start_proxy microsocks -i 127.0.0.1 -p PORT -u ann -P secret-word
  it 'a chat through microsocks with a password'
  for scheme in socks5 socks5h; do
    CURSORWIRE_PROXY_PASSWORD=secret-word run --proxy "$scheme://ann@127.0.0.1:$port" \
      "${service[@]}" hi </dev/null
    expect_status 0
    [ -s "$out" ] || fail 'there is no answer'
  done
  it 'a wrong password, and none'
  CURSORWIRE_PROXY_PASSWORD=wrong-word run --proxy "socks5h://ann@127.0.0.1:$port" "${service[@]}" \
    hi </dev/null
  expect_error 4 'the proxy refuses the user: is the password right?'
  run --proxy "socks5h://127.0.0.1:$port" "${service[@]}" hi </dev/null
  expect_error 4 'the proxy wants a user and a password'
  stop_proxy
else
  echo 'skipped: there is no microsocks'
fi

it 'this machine is reached directly, whatever the environment says'
https_proxy=http://127.0.0.1:1 run "${service[@]}" hi </dev/null
expect_status 0

it 'a proxy of the environment that cannot be reached'
https_proxy=http://ann:secret-word@127.0.0.1:1 run --endpoint https://api2.cursor.sh hi </dev/null
expect_error 4 'the proxy 127.0.0.1:1: connection refused'
expect_not_in "$err" secret-word

it 'proxies that are none'
run --proxy ftp://h "${service[@]}" hi </dev/null
expect_error 2 '--proxy'
run --proxy http://ann:secret-word@h "${service[@]}" hi </dev/null
expect_error 2 'CURSORWIRE_PROXY_PASSWORD'
expect_not_in "$err" secret-word
https_proxy=ftp://ann:secret-word@h run --endpoint https://api2.cursor.sh hi </dev/null
expect_error 2 'https_proxy'
expect_not_in "$err" secret-word
run --local --proxy http://h hi </dev/null
expect_error 2 '--proxy'

eval "exec ${UP[1]}>&-"
kill "$up_pid" 2>/dev/null
wait "$up_pid" 2>/dev/null
finish
