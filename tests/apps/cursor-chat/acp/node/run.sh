#!/usr/bin/env bash
# Runs an editor over the client library of the Agent Client Protocol against cursor-chat acp.
#   run.sh FOLDER CURSOR_CHAT LOCAL_UPSTREAM
# FOLDER is made; the client's packages stay in it for the next time. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
chat_program=$(realpath "$2")
upstream_program=$(realpath "$3")

skip() {
  echo "acp client: SKIPPED, nothing was tested: $1"
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
upstream=
cleanup() {
  [ -z "$upstream" ] || kill "$upstream" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$scratch/work" "$scratch/home"
mkfifo "$scratch/upstream"
"$upstream_program" --plaintext "$source/scripts.json" >"$scratch/upstream" 2>"$scratch/violations" &
upstream=$!
exec 3<"$scratch/upstream"
read -r _ _ url <&3 || { echo 'acp client: no upstream'; exit 1; }

export CURSOR_ACCESS_TOKEN=a-token-of-this-test HOME="$scratch/home" CURSOR_CONFIG_DIR="$scratch/home"
unset XDG_STATE_HOME XDG_CONFIG_HOME
node client.mjs "$chat_program" "$url" "$(realpath "$scratch/work")" 2>"$scratch/log" ||
  { cat "$scratch/log" "$scratch/violations"; exit 1; }

kill "$upstream"
wait "$upstream" || true
upstream=
# The run of the agent that was killed is lost in the middle of its script.
if grep -v 'goes on until it is cancelled' "$scratch/violations"; then exit 1; fi
if grep -q a-token-of-this-test "$scratch/log" || grep -rq a-token-of-this-test "$scratch/state"; then
  echo 'acp client: the token is in the log or the state'
  exit 1
fi
