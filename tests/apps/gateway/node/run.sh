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

scratch=$(mktemp -d)
gateway=
upstream=
cleanup() {
  for process in $gateway $upstream; do kill "$process" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT

# Each writes its first line when it can be asked.
mkfifo "$scratch/upstream" "$scratch/gateway"
"$upstream_program" --plaintext "$source/scripts.json" >"$scratch/upstream" 2>"$scratch/violations" &
upstream=$!
exec 3<"$scratch/upstream"
read -r _ _ upstream_url <&3 || { echo 'gateway clients: no upstream'; exit 1; }
CURSOR_ACCESS_TOKEN=a-token-of-this-test "$gateway_program" --endpoint "$upstream_url" \
  >"$scratch/gateway" 2>"$scratch/log" 3<&- &
gateway=$!
exec 4<"$scratch/gateway"
read -r _ _ _ gateway_url <&4 || { echo 'gateway clients: no gateway'; cat "$scratch/log"; exit 1; }

export NO_PROXY=127.0.0.1
node clients.mjs "$gateway_url"
node ai-sdk.mjs "$gateway_url"

kill "$gateway"
wait "$gateway" || { echo "gateway clients: the gateway ended with $?"; exit 1; }
gateway=
kill "$upstream"
wait "$upstream" || true
upstream=
if [ -s "$scratch/violations" ]; then
  cat "$scratch/violations"
  exit 1
fi
if grep -q a-token-of-this-test "$scratch/log"; then
  echo 'gateway clients: the token is in the log'
  exit 1
fi
