#!/usr/bin/env bash
# Checks the documents of the library and of cursor-chat with Ajv and a JavaScript of its own.
#   run.sh FOLDER SOURCE DOCUMENTS_TEST [CURSOR_CHAT LOCAL_UPSTREAM]
# FOLDER is made; packages stay in the folder above for the next time. SOURCE is the source tree. Exit
# code 77: skipped.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
source=$(realpath "$2")
tests=$(realpath "$3")
chat=${4:+$(realpath "$4")}
upstream=${5:+$(realpath "$5")}
schema=$source/docs/chat-response.schema.json
many=$source/examples/scripts/documents.json

test_name='interop_documents'
# shellcheck source=tests/npm/npm.sh
source "$here/../../npm/npm.sh"
need_node
enter_node_folder "$here" "$folder"

scratch=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

echo '--- the library'
# Those that play turns. One of them is of a megabyte of the same.
CURSORWIRE_DOCUMENTS_OUT=$scratch/turns "$tests" --gtest_filter='*Builder.*-Builder.ReadsALargeResult' \
  --gtest_brief=1 >"$scratch/tests.log" 2>&1 ||
  { tail -n 40 "$scratch/tests.log"; exit 1; }
node check_library.mjs "$schema" "$scratch/turns" "$source/tests/documents/shortest_response.json"

[ -n "$chat" ] && [ -n "$upstream" ] || exit 0

# Nothing of the machine that runs this.
unset CURSOR_AUTH_TOKEN CURSOR_API_KEY CURSORWIRE_AGENT_URL CURSOR_AGENT_URL CURSORWIRE_API_URL \
  XDG_CONFIG_HOME XDG_STATE_HOME
export HOME=$scratch CURSOR_CONFIG_DIR=$scratch CURSOR_ACCESS_TOKEN=any

# Asks with the given options, which have --format as the last.
ask() {
  local status=0
  "$chat" "$@" 'Say it, please.' </dev/null >"$scratch/${*: -1}" 2>"$scratch/errors" || status=$?
  [ "$status" -eq "$expected" ] && return
  echo "FAILED: exit code $status, not $expected, of cursor-chat $*"
  cat "$scratch/errors"
  exit 1
}
fail_server() {
  echo "FAILED: local-upstream, which plays $script"
  cat "$scratch/server_errors"
  exit 1
}
# Asks a service of its own, which plays this script.
ask_script() {
  local script=$1
  shift
  exec 3< <(exec "$upstream" --plaintext --once "$script" 2>"$scratch/server_errors")
  server=$!
  local line=
  read -r line <&3 || fail_server
  ask --endpoint "${line#listening on }" "$@"
  wait "$server" || fail_server
  server=
  exec 3<&-
}
# check TITLE EXPECTED_EXIT_CODE HOW_TO_ASK...
check() {
  echo "--- $1"
  expected=$2
  shift 2
  for format in documents documents-stream documents-sse; do "$@" --format "$format"; done
  node check_program.mjs "$schema" "$scratch"/{documents,documents-stream,documents-sse}
}

check 'cursor-chat --local' 0 ask --local
check 'cursor-chat: a turn of many documents' 0 ask_script "$many"
check 'cursor-chat: a turn that fails' 7 ask_script "$here/failing_turn.json"
