#!/usr/bin/env bash
# Runs curl and Node's HTTP/2 client, in clear text, against cursor-gateway in front of scripts.
#   run.sh CURSOR_GATEWAY LOCAL_UPSTREAM
# A client that is not installed is skipped by name. Exit code 77: none is.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
gateway_program=$(realpath "$1")
upstream_program=$(realpath "$2")

clients=()
skip() { echo "HTTP/2 clients: SKIPPED: $1"; }
if curl --version 2>/dev/null | grep -qw HTTP2; then clients+=(curl); else skip 'no curl with HTTP/2'; fi
if command -v node >/dev/null; then clients+=(node); else skip 'node is not installed'; fi
[ ${#clients[@]} -gt 0 ] || exit 77

# shellcheck disable=SC2034 # what is tested
what='HTTP/2 clients'
# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$source/../gateway_processes.sh"

fail() {
  echo "HTTP/2 clients: FAILED: $1"
  cat "$scratch/log"
  exit 1
}

# The script "long" has more text than the windows of a client.
long_text=$(printf 'x%.0s' {1..10000})
{
  printf '[{"when": {"prompt": "hello"}, "steps": [{"text": "Hel"}, {"text": "lo"}, {"turn_ended": {}}]},\n'
  printf '{"when": {"prompt": "endless"}, "steps": [{"text": "one"}, {"expect_cancel": {}, "within_ms": 20000}]},\n'
  printf '{"when": {"prompt": "long"}, "steps": ['
  for _ in {1..100}; do printf '{"text": "%s"}, ' "$long_text"; done
  printf '{"turn_ended": {}}]}]\n'
} >"$scratch/scripts.json"

key=a-key-of-this-test
(umask 077 && echo "$key" >"$scratch/keys")
start_gateway "$gateway_program" "$upstream_program" "$scratch/scripts.json" --key-file "$scratch/keys"

ask_curl() { curl -sS --noproxy '*' --max-time 60 --http2-prior-knowledge "$@"; }
post_without_key() { # BODY [OPTION...]
  ask_curl "$url/v1/chat/completions" -H 'content-type: application/json' -d "$@"
}
post_curl() { post_without_key "$@" -H "authorization: Bearer $key"; }
test_curl() {
  local answer
  answer=$(post_curl '{"model": "m", "messages": [{"role": "user", "content": "hello"}]}' -w ' %{http_version} %{http_code}')
  [[ $answer == *'"content":"Hello"'* && $answer == *' 2 200' ]] || fail "curl got $answer"
  answer=$(post_curl '{"model": "m", "stream": true, "messages": [{"role": "user", "content": "hello"}]}')
  [[ $answer == *'"content":"Hel"'*'"content":"lo"'*'data: [DONE]'* ]] || fail "curl got $answer"
  # More than the windows, and told to wait for 100.
  { printf '{"model": "m", "messages": [{"role": "user", "content": "hello"}]'; printf ' %.0s' {1..2000000}; printf '}'; } >"$scratch/body"
  answer=$(post_curl "@$scratch/body" -H 'expect: 100-continue' -w ' %{http_code}')
  [[ $answer == *'"content":"Hello"'*' 200' ]] || fail "curl got ${answer:0:500}"
  answer=$(ask_curl "$url/healthz" -H 'host: elsewhere.example' -o /dev/null -w '%{http_version} %{http_code}')
  [ "$answer" = '2 403' ] || fail "another host got $answer"
  answer=$(ask_curl "$url/healthz" -H 'origin: http://elsewhere.example' -o /dev/null -w '%{http_code}')
  [ "$answer" = 403 ] || fail "another origin got $answer"
  # The answer comes while the body is still sent.
  head -c 300000 "$scratch/body" >"$scratch/part"
  for _ in {1..10}; do
    answer=$(post_without_key "@$scratch/part" -w ' %{http_code}') || fail "curl without a key ended with $?"
    [[ $answer == *invalid_api_key*' 401' ]] || fail "curl without a key got $answer"
  done
  answer=$(ask_curl -I "$url/healthz")
  [[ $answer == 'HTTP/2 200'*'content-length: 15'* ]] || fail "HEAD got $answer"
}

for client in "${clients[@]}"; do
  case $client in
    curl) test_curl ;;
    node) node "$source/client.mjs" "$url" "$key" || fail 'node' ;;
  esac
  echo "HTTP/2 clients: $client passed"
done

stop_gateway
