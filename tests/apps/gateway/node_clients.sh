#!/usr/bin/env bash
# Runs clients in Node, with their packages of npm, against cursor-gateway, in front of scripts.
#   node_clients.sh NAME SOURCE FOLDER CURSOR_GATEWAY LOCAL_UPSTREAM CLIENT...
# NAME begins the messages. SOURCE has the clients (CLIENT.mjs). FOLDER is made; the packages stay in the
# folder above for the next time. Exit code 77: skipped.
set -euo pipefail

test_name=$1
source=$2
folder=$3
gateway_program=$(realpath "$4")
upstream_program=$(realpath "$5")
tests=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

# shellcheck source=tests/npm/npm.sh
source "$tests/../../npm/npm.sh"
need_node
enter_node_folder "$source" "$folder"

what=$test_name
# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$tests/gateway_processes.sh"
start_gateway "$gateway_program" "$upstream_program" "$tests/node/scripts.json"

export NO_PROXY=127.0.0.1 LANGSMITH_TRACING=false
for client in "${@:6}"; do node "$client.mjs" "$url"; done

stop_gateway
