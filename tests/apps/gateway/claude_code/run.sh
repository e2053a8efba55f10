#!/usr/bin/env bash
# Runs Claude Code, not interactively, against cursor-gateway in front of a script: it reads a file by a tool.
#   run.sh CURSOR_GATEWAY LOCAL_UPSTREAM
# The package (@anthropic-ai/claude-code) takes over 200 MB, so that it is not installed here: CLAUDE_CODE names the program,
# otherwise it is looked for as `claude`. It gets a home of its own, and a proxy that is not there for all addresses but the gateway's.
# Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
gateway_program=$(realpath "$1")
upstream_program=$(realpath "$2")

what='Claude Code'
claude=${CLAUDE_CODE:-$(command -v claude || true)}
if [ -z "$claude" ]; then
  echo "$what: SKIPPED, nothing was tested: it is not installed; CLAUDE_CODE may name the program"
  exit 77
fi

# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$source/../gateway_processes.sh"
mkdir "$scratch/home" "$scratch/work"
echo 'The answer is forty-two.' >"$scratch/work/note.txt"
# The tool wants a whole path.
sed "s|note.txt|$scratch/work/note.txt|" "$source/scripts.json" >"$scratch/scripts.json"
start_gateway "$gateway_program" "$upstream_program" "$scratch/scripts.json"

ask() {
  (cd "$scratch/work" && env -i PATH="$PATH" HOME="$scratch/home" NO_PROXY=127.0.0.1 \
    HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 \
    ANTHROPIC_BASE_URL="$url" ANTHROPIC_AUTH_TOKEN=any CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
    DISABLE_TELEMETRY=1 DISABLE_ERROR_REPORTING=1 DISABLE_AUTOUPDATER=1 \
    CLAUDE_CODE_ATTRIBUTION_HEADER=0 CLAUDE_CODE_DISABLE_NONSTREAMING_FALLBACK=1 \
    CLAUDE_CODE_AUTO_COMPACT_WINDOW=200000 \
    timeout 120 "$claude" -p 'What does the note say?' --model "$1" --allowedTools Read </dev/null)
}

# A name of the service's, and one that it does not have.
for model in auto claude-sonnet-4-5; do
  answer=$(ask "$model") || { echo "$what: $model failed: $answer"; cat "$scratch/log"; exit 1; }
  if [[ $answer != *'The note says forty-two.'* ]]; then
    echo "$what: $model answered: $answer"
    cat "$scratch/log"
    exit 1
  fi
done
if ! grep -q 'POST /v1/messages 200' "$scratch/log"; then
  echo "$what: it asked for nothing"
  exit 1
fi
stop_gateway
echo 'Claude Code: all as expected'
