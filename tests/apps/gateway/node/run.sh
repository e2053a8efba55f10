#!/usr/bin/env bash
# Runs the official client of OpenAI's API, and the AI SDK, against cursor-gateway, in front of scripts.
#   run.sh FOLDER CURSOR_GATEWAY LOCAL_UPSTREAM
# FOLDER is made; the client's packages stay in it for the next time. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
gateway_program=$(realpath "$2")
upstream_program=$(realpath "$3")

test_name='gateway clients'
# shellcheck source=tests/npm.sh
source "$source/../../../npm.sh"
need_node
install_packages "$source" "$folder"

# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$source/../gateway_processes.sh"
start_gateway "$gateway_program" "$upstream_program" "$source/scripts.json"

export NO_PROXY=127.0.0.1
node clients.mjs "$url"
node ai-sdk.mjs "$url"

stop_gateway
