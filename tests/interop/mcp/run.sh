#!/usr/bin/env bash
# Uses the tools of the protocol's own reference servers in turns of cursor-chat, for which
# local-upstream plays the agent.
#   run.sh FOLDER CURSOR_CHAT LOCAL_UPSTREAM
# FOLDER is made; packages stay in the folder above for the next time. Exit code 77: skipped.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
chat=$(realpath "$2")
upstream=$(realpath "$3")

test_name='interop_mcp'
# shellcheck source=tests/npm/npm.sh
source "$here/../../npm/npm.sh"
# shellcheck source=tests/everything.sh
source "$here/../../everything.sh"
need_node
enter_node_folder "$here" "$folder"

scratch=$(realpath "$(mktemp -d)")
server=
web=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$web" ] || kill "$web" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

# Nothing of the machine that runs this.
unset CURSOR_AUTH_TOKEN CURSOR_API_KEY CURSORWIRE_AGENT_URL CURSOR_AGENT_URL CURSORWIRE_API_URL \
  XDG_CONFIG_HOME XDG_STATE_HOME
export HOME=$scratch CURSOR_CONFIG_DIR=$scratch CURSOR_ACCESS_TOKEN=token-of-cursor

mkdir "$scratch/files"
echo 'a file of the test' >"$scratch/files/a.txt"
cat >"$scratch/servers.json" <<END
{"mcpServers": {
  "everything": {"command": "node",
    "args": ["$modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]},
  "files": {"command": "$modules/.bin/mcp-server-filesystem", "args": ["$scratch/files"]}
}}
END

fail() {
  echo "interop_mcp: FAILED: $1"
  cat "$scratch/out" "$scratch/err" "$scratch/agent_err" 2>/dev/null || true
  exit 1
}

# The step of a call, and what its answer must match.
call() { printf '{"call_tool":{"name":"%s","arguments":%s},"expect":{"mcp_result":%s}}' "$@"; }
text() { printf '{"success":{"is_error":%s,"content":{"$contains":{"text":{"text":%s}}}}}' "$@"; }

# The step of a look at resources, and what its answer must match.
list() { printf '{"exec":{"list_mcp_resources_exec_args":{%s}},"expect":{"list_mcp_resources_exec_result":%s}}' "$@"; }
read_resource() { # URI MATCH
  printf '{"exec":{"read_mcp_resource_exec_args":{"server":"everything","uri":"%s"}},"expect":{"read_mcp_resource_exec_result":%s}}' "$@"
}
resources() {
  list '' '{"success":{"resources":{"$contains":{"uri":"demo://resource/static/document/features.md","server":"everything"}}}}'
  printf ,
  read_resource demo://resource/static/document/features.md '{"success":{"text":{"$contains":"#"}}}'
  printf ,
  read_resource demo://resource/dynamic/text/1 '{"success":{"text":{"$contains":"Resource 1"}}}'
  printf ,
  read_resource demo://resource/dynamic/blob/1 '{"success":{"blob":{"$any":true}}}'
}

# Plays these steps of an agent.
play() {
  local line
  printf '{"name":"agent","steps":[%s,{"text":"Done."},{"turn_ended":{}}]}' "$1" >"$scratch/script.json"
  rm -f "$scratch/lines"
  mkfifo "$scratch/lines"
  "$upstream" --plaintext --once "$scratch/script.json" >"$scratch/lines" 2>"$scratch/agent_err" &
  server=$!
  read -r line <"$scratch/lines" || fail 'the agent does not start'
  "$chat" --mcp-config "$scratch/servers.json" --endpoint "${line#listening on }" hi \
    </dev/null >"$scratch/out" 2>"$scratch/err" || fail "$2: exit code $?"
  wait "$server" || fail "$2: the agent was given something else"
  server=
  [ ! -s "$scratch/agent_err" ] || fail "$2"
  grep -q Done. "$scratch/out" || fail "$2: no answer"
  echo "ok: $2"
}

play "$(call everything_echo '{"message":"hi"}' "$(text false '"Echo: hi"')"),$(
  call everything_get-sum '{"a":2,"b":40}' "$(text false '{"$contains":"42"}')")" 'texts'
play "$(call everything_get-tiny-image '{}' \
  '{"success":{"content":{"$contains":{"image":{"mime_type":"image/png"}}}}}'),$(
  call everything_get-resource-links '{"count":2}' "$(text false '{"$contains":"a link to the resource"}')"),$(
  call everything_get-structured-content '{"location":"New York"}' \
    '{"success":{"structured_content":{"conditions":"Cloudy"}}}')" 'images, links and structure'
play "$(call everything_trigger-long-running-operation '{"duration":1,"steps":3}' \
  "$(text false '{"$contains":"completed"}')")" 'progress'
play "$(call everything_get-sum '{"a":"x"}' "$(text true '{"$contains":"get-sum"}')")" 'errors'
play "$(call files_read_text_file "{\"path\":\"$scratch/files/a.txt\"}" \
  "$(text false '{"$contains":"a file of the test"}')"),$(
  call files_write_file "{\"path\":\"$scratch/files/b.txt\",\"content\":\"new\"}" \
    '{"success":{"is_error":false}}'),$(
  call files_read_text_file '{"path":"/etc/passwd"}' "$(text true '{"$contains":"denied"}')")" 'files'
[ "$(cat "$scratch/files/b.txt")" = new ] || fail 'the file was not written'
play "$(resources),$(list '"server":"files"' '{"rejected":{"reason":{"$contains":"everything"}}}'),$(
  read_resource demo://resource/none '{"error":{"error":{"$contains":"everything: "}}}')" 'resources'

"$chat" mcp list "$scratch/servers.json" >"$scratch/out" 2>"$scratch/err" || fail 'mcp list'
grep -q 'protocol 2025-11-25' "$scratch/out" || fail 'mcp list: the protocol'
grep -q "'simulate-research-query' is left out" "$scratch/out" || fail 'mcp list: tasks'
# Each server is gone, and everything that its launcher started.
for file in /proc/[0-9]*/environ; do
  ! grep -qzF "HOME=$scratch" "$file" 2>/dev/null || [ "$file" -ef "/proc/$$/environ" ] ||
    [ "$file" -ef "/proc/$BASHPID/environ" ] || left=$file
done
[ -z "${left:-}" ] || fail "a process is left: $(tr '\0' ' ' <"${left%environ}cmdline")"
echo 'ok: servers end'

# The same server over HTTP.
start_everything "$modules" "$scratch"
cat >"$scratch/servers.json" <<END
{"mcpServers": {
  "everything": {"url": "http://127.0.0.1:$port/mcp", "headers": {"X-Any": "any"}},
  "nobody": {"url": "http://127.0.0.1:$port/nothing"}
}}
END
play "$(call everything_echo '{"message":"hi"}' "$(text false '"Echo: hi"')"),$(
  call everything_get-tiny-image '{}' \
    '{"success":{"content":{"$contains":{"image":{"mime_type":"image/png"}}}}}'),$(
  call everything_trigger-long-running-operation '{"duration":1,"steps":3}' \
    "$(text false '{"$contains":"completed"}')"),$(resources),$(
  call everything_get-sum '{"a":"x"}' "$(text true '{"$contains":"get-sum"}')")" 'HTTP'
grep -q 'server nobody: .*HTTP 404' "$scratch/err" || fail 'HTTP: the notice of a wrong path'
kill "$web"
wait "$web" 2>/dev/null || true
web=
grep -q 'session termination request' "$scratch/web_log" || fail 'HTTP: the end of the session'
