#!/usr/bin/env bash
# Runs Claude Code, not interactively, against cursor-gateway in front of a script: it reads a file by a tool.
#   run.sh CURSOR_GATEWAY LOCAL_UPSTREAM
# CLAUDE_CODE names the program (npm's @anthropic-ai/claude-code), otherwise `claude`. Exit code 77: skipped.
set -euo pipefail

what='Claude Code'
# shellcheck source=tests/apps/gateway/agents.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../agents.sh"
find_agent CLAUDE_CODE claude
start_agent_gateway "$1" "$2" "$tests/claude_code/scripts.json"

# A name of the service's, and one that it does not have.
for model in auto claude-sonnet-4-5; do
  run in_work \
    ANTHROPIC_BASE_URL="$url" ANTHROPIC_AUTH_TOKEN=any CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
    CLAUDE_CODE_ATTRIBUTION_HEADER=0 CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1 \
    CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000 \
    timeout 120 "$agent" -p 'What does the note say?' --model "$model" --allowedTools Read
  expect 'The note says forty-two.'
done
grep -q 'POST /v1/messages 200' "$scratch/log" || fail 'it asked for nothing'
stop_gateway
echo "$what: all as expected"
