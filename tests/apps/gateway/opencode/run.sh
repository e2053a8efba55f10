#!/usr/bin/env bash
# Runs opencode, not interactively, against cursor-gateway in front of scripts: it reads a file and runs a command, and goes on.
#   run.sh CURSOR_GATEWAY LOCAL_UPSTREAM
# OPENCODE names the program (npm's opencode-ai), otherwise `opencode`. Exit code 77: skipped.
set -euo pipefail

what=opencode
# shellcheck source=tests/apps/gateway/agents.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../agents.sh"
find_agent OPENCODE opencode
start_agent_gateway "$1" "$2" "$tests/opencode/scripts.json" --prompt-tokens context

provider() {
  echo "\"$1\": {\"npm\": \"$2\", \"options\": {\"baseURL\": \"$url/v1\", \"apiKey\": \"any\"}," \
    '"models": {"auto": {"limit": {"context": 200000, "output": 32000}}}}'
}
# Its packages for both APIs are within the program.
mkdir -p "$scratch/home/.config/opencode"
cat >"$scratch/home/.config/opencode/opencode.json" <<END
{"autoupdate": false, "share": "disabled", "enabled_providers": ["chat", "responses"],
 "small_model": "chat/auto",
 "provider": {$(provider chat @ai-sdk/openai-compatible), $(provider responses @ai-sdk/openai)}}
END

ask() {
  in_work OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1 \
    timeout 120 "$agent" run --format json "$@"
}
for api in chat responses; do
  run ask --model "$api/auto" 'What does the note say?'
  expect '"tool":"read","callID"'
  expect '"output":"The answer is forty-two.\n"'
  expect '"text":"The note says forty-two."'
  run ask --model "$api/auto" --continue 'Thanks.'
  expect '"text":"You are welcome."'
done
for path in chat/completions responses; do
  grep -q "POST /v1/$path 200" "$scratch/log" || fail "it did not ask for $path"
done
stop_gateway
echo "$what: all as expected"
