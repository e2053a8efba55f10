#!/usr/bin/env bash
# Runs the official client of OpenAI's API, and the AI SDK, against cursor-gateway, in front of scripts.
#   run.sh FOLDER CURSOR_GATEWAY LOCAL_UPSTREAM
# FOLDER is made; the client's packages stay in it for the next time. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
gateway_program=$(realpath "$2")
upstream_program=$(realpath "$3")

skip() {
  echo "gateway clients: SKIPPED, nothing was tested: $1"
  exit 77
}

for tool in node npm; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
node_version=$(node --version)
major=${node_version#v}
[ "${major%%.*}" -ge 20 ] || skip "Node $node_version is older than 20"

mkdir -p "$folder"
cp "$source/package.json" "$source/package-lock.json" "$source"/*.mjs "$folder/"
cd "$folder"
if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
  npm ping --fetch-retries=0 --fetch-timeout=20000 >npm.log 2>&1 ||
    skip "npm's registry is not reached, and its packages are not in $folder"
  npm ci --no-audit --no-fund >npm.log 2>&1 || { cat npm.log; exit 1; }
  cp package-lock.json node_modules/.installed-lock.json
fi

# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$source/../gateway_processes.sh"
start_gateway "$gateway_program" "$upstream_program" "$source/scripts.json"

export NO_PROXY=127.0.0.1
node clients.mjs "$url"
node ai-sdk.mjs "$url"

stop_gateway
