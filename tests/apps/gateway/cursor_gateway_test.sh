#!/usr/bin/env bash
# What cursor-gateway promises to a shell: exit codes, its first line, the end by a signal.
# Usage: cursor_gateway_test.sh CURSOR_GATEWAY FAKE_MCP_SERVER
source "$(dirname "$0")/../support.sh"
fake=$(realpath "$2")

# One line that says what is wrong, and nothing on standard output.
expect_refused() {
  expect_status "$1"
  expect_empty "$out"
  expect_lines "$err" '^cursor-gateway: error: .'
}

# Starts the program with these arguments; sets gateway, url and port.
start() {
  rm -f "$dir/first"
  mkfifo "$dir/first"
  "$chat" "$@" >"$dir/first" 2>"$err" &
  gateway=$!
  exec 4<"$dir/first"
  read -r line <&4 || fail "no first line"
  url=${line#cursor-gateway: listening on }
  port=${url##*:}
}

# Asks for a path, perhaps with a header; the answer is in out.
ask() {
  exec 5<>"/dev/tcp/127.0.0.1/$port"
  printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\nConnection: close\r\n\r\n' "$1" "${2:-A: b}" >&5
  cat <&5 >"$out"
  exec 5<&-
}

stop() {
  kill "-$1" "$gateway"
  wait "$gateway"
  status=$?
  exec 4<&-
}

it 'wants a login'
export HOME="$dir/home"
unset XDG_CONFIG_HOME XDG_STATE_HOME
run
expect_refused 3
expect_in "$err" 'cursor-chat login'
expect_in "$err" CURSOR_ACCESS_TOKEN

it 'takes the login of the store, and says whose it is'
mkdir -p "$HOME/.config/cursorwire"
# The claims of the token: {"sub":"auth0|user_of_a_test"}.
token="e30.$(printf '{"sub":"auth0|user_of_a_test"}' | base64 -w0 | tr -d =).c2ln"
(umask 077 && printf '{"accessToken":"%s","refreshToken":"r"}' "$token" \
  >"$HOME/.config/cursorwire/credentials.json")
start --endpoint http://127.0.0.1:9
stop TERM
expect_status 0
expect_in "$err" 'login of "auth0|user_of_a_test", from store '
expect_not_in "$err" "$token"
run --endpoint http://127.0.0.1:9 --token-source env
expect_refused 3
CURSOR_ACCESS_TOKEN=a-token-of-a-test start --endpoint http://127.0.0.1:9
stop TERM
expect_in "$err" 'login of a user whom the token does not name, from env "environment variable CURSOR_ACCESS_TOKEN"'
rm -r "$HOME"

it 'refuses options that are wrong'
printf '' >"$dir/empty"
for wrong in '--nonsense' '--listen nonsense' '--listen 127.0.0.1:70000' '--listen ::1:80' \
  '--listen 127.0.0.1' '--listen 0.0.0.0:0' '--max-time 0' '--drain-time 0' '--token-source nowhere' '--max-idle x' '--max-idle 1s' \
  '--cacert /nonexistent' '--workspace /nonexistent' "--workspace $dir --allow everything" \
  '--allow read' '--prompt-tokens all' '--state /nonexistent/state' "--state $dir/empty" \
  '--state redis://localhost' '--key-file /nonexistent' "--key-file $dir/empty" \
  '--allow-host a:80' '--allow-host *' '--allow-origin *' '--allow-origin app://notes' \
  '--public-url https://ai.example' '--public-url ai.example'; do
  # shellcheck disable=SC2086
  run --local $wrong
  expect_refused 2
done
CURSOR_ACCESS_TOKEN=a-token-of-a-test run --endpoint http://gateway.example
expect_refused 2
expect_not_in "$err" a-token-of-a-test

it 'refuses files of servers that are none, and rights for nothing'
printf '{"mcpServers":{"a":{}}}' >"$dir/bad.json"
for wrong in "--mcp-config $dir/bad.json" '--mcp-config /nonexistent' '--allow mcp'; do
  # shellcheck disable=SC2086
  run --local $wrong
  expect_refused 2
done
run --local --mcp-config ''
expect_refused 2

it 'prints its help'
run --help
expect_status 0
for option in listen endpoint cacert local api-endpoint key-file state workspace allow mcp-config \
  no-parking prompt-tokens max-time max-idle allow-host allow-origin public-url version; do
  expect_in "$out" "--$option"
done

it 'prints its version'
run --version
expect_status 0
expect_lines "$out" '^cursor-gateway [0-9]+\.[0-9]+\.[0-9]+'

it 'answers from its first line on'
start --local
ask /healthz
expect_in "$out" '{"status":"ok"}'
ask /v1/models
expect_in "$out" '"id":"auto"'

it 'says that the port is in use'
"$chat" --local --listen "127.0.0.1:$port" >"$out" 2>"$dir/err2"
status=$?
expect_status 4
expect_empty "$out"

it 'ends with 0 by SIGTERM, and logs no paths of clients'
ask /something/private
stop TERM
expect_status 0
expect_in "$err" ' GET /v1/models 200 '
expect_not_in "$err" private

it 'ends with 0 by Ctrl-C'
start --local
stop INT
expect_status 0

it 'can be asked by the address that it listens on, and by names that are allowed'
start --local --listen 127.0.0.2:0 --allow-host containers.example
for host in "127.0.0.2:$port" containers.example; do
  exec 5<>"/dev/tcp/127.0.0.2/$port"
  printf 'GET /healthz HTTP/1.0\r\nHost: %s\r\n\r\n' "$host" >&5
  cat <&5 >"$out"
  exec 5<&-
  expect_in "$out" '{"status":"ok"}'
done
stop TERM

it 'keeps its state in a folder for its owner alone'
start --local --state "$dir/state"
ask /metrics
expect_in "$out" 'cursor_gateway_state_errors_total 0'
stop TERM
expect_status 0
[ "$(stat -c %a "$dir/state" "$dir/state/state.sqlite3" | tr '\n' ' ')" = '700 600 ' ] ||
  fail 'others may read the state'

it 'wants a key if it has some, and warns of a file that others may read'
printf '# keys\nsecret-key\n' >"$dir/keys"
chmod 644 "$dir/keys"
start --local --key-file "$dir/keys"
ask /v1/models
expect_in "$out" invalid_api_key
stop TERM
expect_status 0
expect_in "$err" 'warning: others may read the key file'
expect_not_in "$err" secret-key

it 'makes a key where the agent may do more than read, and tells it with the address of the page'
mkdir "$dir/workspace"
start --local --workspace "$dir/workspace" --allow write --allow-origin app://notes \
  --public-url https://ai.example
read -r line <&4
key=${line#"cursor-gateway: open $url/#key="}
[[ $key =~ ^[A-Za-z0-9]{32}$ ]] || fail "no key in: $line"
ask /v1/models
expect_in "$out" invalid_api_key
ask /
expect_in "$out" '200 OK'
ask /v1/models "x-api-key: $key"
expect_in "$out" '"id":"auto"'
stop TERM
expect_not_in "$err" "$key"
start --local --workspace "$dir/workspace"
ask /v1/models
expect_in "$out" '"id":"auto"'
stop TERM

it 'hides its token from its environment'
export CURSOR_ACCESS_TOKEN=a-token-of-a-test
start --endpoint http://127.0.0.1:9
unset CURSOR_ACCESS_TOKEN
if [ -r "/proc/$gateway/environ" ] && tr '\0' '\n' <"/proc/$gateway/environ" >"$out" 2>/dev/null; then
  expect_not_in "$out" a-token-of-a-test
fi
stop TERM

it 'starts servers without its token, says what is wrong with them, and ends them'
printf '{"mcpServers":{"good":{"command":"%s","args":["pid","%s/pid"]},
  "bad":{"command":"%s","args":["no-start"]},"greedy":{"command":"%s","env":{"KEY":"${CURSOR_ACCESS_TOKEN}"}}}}' \
  "$fake" "$dir" "$fake" "$fake" >"$dir/servers.json"
export CURSOR_ACCESS_TOKEN=a-token-of-a-test
start --endpoint http://127.0.0.1:9 --mcp-config "$dir/servers.json" --allow mcp
unset CURSOR_ACCESS_TOKEN
server=$(cat "$dir/pid")
kill -0 "$server" || fail 'the server does not run'
tr '\0' '\n' <"/proc/$server/environ" >"$out"
expect_in "$out" 'PATH='
expect_not_in "$out" a-token-of-a-test
stop TERM
expect_status 0
expect_in "$err" 'mcp: server bad: it has ended with exit code 3'
expect_in "$err" 'mcp: server greedy: its "env": ${CURSOR_ACCESS_TOKEN} is a token'
kill -0 "$server" 2>/dev/null && fail 'the server still runs'

it 'says that a server has ended'
start --local --mcp-config "$dir/servers.json" --allow mcp
kill -KILL "$(cat "$dir/pid")"
until grep -qF 'mcp: server good: it was ended by SIGKILL' "$err"; do sleep 0.01; done
stop TERM
expect_status 0

it 'tries a server again that is not there yet, and says when it is'
printf '{"mcpServers":{"late":{"command":"%s","args":["after","%s/there"]}}}' "$fake" "$dir" \
  >"$dir/servers.json"
start --local --mcp-config "$dir/servers.json" --allow mcp
until grep -qF 'mcp: server late: it has ended with exit code 3: fake: the key is missing; it is tried again' "$err"
do sleep 0.01; done
touch "$dir/there"
until grep -qF 'mcp: server late: it is ready' "$err"; do sleep 0.01; done
stop TERM
expect_status 0
expect_lines "$err" 'mcp: server late: '
[ "$(wc -l <"$err")" -eq 2 ] || fail 'it says more than that'

it 'ends its servers when it is stopped before they are ready'
printf '{"mcpServers":{"s":{"command":"%s","args":["silent","pid","%s/pid"]}}}' "$fake" "$dir" \
  >"$dir/servers.json"
rm -f "$dir/pid"
"$chat" --local --mcp-config "$dir/servers.json" >"$out" 2>"$err" &
gateway=$!
until [ -s "$dir/pid" ]; do sleep 0.01; done
server=$(cat "$dir/pid")
kill -TERM "$gateway"
wait "$gateway"
status=$?
expect_status 0
expect_empty "$out"
kill -0 "$server" 2>/dev/null && fail 'the server still runs'

it 'kills servers that stay at the second signal'
printf '{"mcpServers":{"s":{"command":"%s","args":["stays","pid","%s/pid"]}}}' "$fake" "$dir" \
  >"$dir/servers.json"
start --local --mcp-config "$dir/servers.json"
read -r line <&4
server=$(cat "$dir/pid")
# The answer, of many words, keeps the gateway from ending at the first signal.
exec 5<>"/dev/tcp/127.0.0.1/$port"
body='{"model":"auto","stream":true,"messages":[{"role":"user","content":"'$(printf 'word %.0s' {1..1000})'"}]}'
printf 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
  "${line##*=}" "${#body}" "$body" >&5
read -r line <&5
kill -TERM "$gateway"
while (exec 6<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.01; done
stop TERM
exec 5<&-
expect_status 143
# Its end is seen a moment later; a test that fails here runs into its timeout.
while kill -0 "$server" 2>/dev/null; do sleep 0.01; done

[ "$failures" -eq 0 ]
