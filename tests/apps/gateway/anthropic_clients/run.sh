#!/usr/bin/env bash
# Runs the official client of Anthropic's API, the AI SDK and LangChain against cursor-gateway, in front of scripts.
#   run.sh FOLDER CURSOR_GATEWAY LOCAL_UPSTREAM
# FOLDER is made; the clients' packages stay in it for the next time. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
gateway_program=$(realpath "$2")
upstream_program=$(realpath "$3")

test_name='clients of Anthropic'
# shellcheck source=tests/npm.sh
source "$source/../../../npm.sh"
need_node
install_packages "$source" "$folder"

# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$source/../gateway_processes.sh"
# The same scripts as for the clients of OpenAI's API.
start_gateway "$gateway_program" "$upstream_program" "$source/../node/scripts.json"

export NO_PROXY=127.0.0.1 LANGSMITH_TRACING=false
for client in sdk ai-sdk langchain; do node "$client.mjs" "$url"; done

stop_gateway
