#!/usr/bin/env bash
# Runs an editor over the client library of the Agent Client Protocol against cursor-chat acp.
#   run.sh FOLDER CURSOR_CHAT LOCAL_UPSTREAM
# FOLDER is made; packages stay in the folder above for the next time. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
chat_program=$(realpath "$2")
upstream_program=$(realpath "$3")

test_name='acp client'
# shellcheck source=tests/npm/npm.sh
source "$source/../../../npm/npm.sh"
# shellcheck source=tests/everything.sh
source "$source/../../../everything.sh"
need_node
enter_node_folder "$source" "$folder"

scratch=$(mktemp -d)
upstream=
web=
cleanup() {
  [ -z "$upstream" ] || kill "$upstream" 2>/dev/null || true
  [ -z "$web" ] || kill "$web" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$scratch/work" "$scratch/home"
mkfifo "$scratch/upstream"
"$upstream_program" --plaintext "$source/scripts.json" >"$scratch/upstream" 2>"$scratch/violations" &
upstream=$!
exec 3<"$scratch/upstream"
read -r _ _ url <&3 || { echo 'acp client: no upstream'; exit 1; }
start_everything "$modules" "$scratch"

export CURSOR_ACCESS_TOKEN=a-token-of-this-test HOME="$scratch/home" CURSOR_CONFIG_DIR="$scratch/home"
unset XDG_STATE_HOME XDG_CONFIG_HOME
node client.mjs "$chat_program" "$url" "$(realpath "$scratch/work")" "http://127.0.0.1:$port/mcp" 2>"$scratch/log" ||
  { cat "$scratch/log" "$scratch/violations"; exit 1; }

kill "$upstream"
wait "$upstream" || true
upstream=
kill "$web"
wait "$web" 2>/dev/null || true
web=
if ! grep -q 'session termination request' "$scratch/web_log"; then
  echo 'acp client: the server of tools was not told of the end'
  exit 1
fi
# The run of the agent that was killed is lost in the middle of its script.
if grep -v 'goes on until it is cancelled' "$scratch/violations"; then exit 1; fi
if grep -q a-token-of-this-test "$scratch/log" || grep -rq a-token-of-this-test "$scratch/state"; then
  echo 'acp client: the token is in the log or the state'
  exit 1
fi
