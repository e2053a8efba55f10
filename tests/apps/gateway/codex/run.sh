#!/usr/bin/env bash
# Runs Codex, not interactively, against cursor-gateway in front of scripts: tools of each form, in both of its dialects,
# sessions that go on, also after a restart of the gateway, and both kinds of compaction.
#   run.sh CURSOR_GATEWAY LOCAL_UPSTREAM FAKE_MCP_SERVER
# CODEX names the program (npm's @openai/codex), otherwise `codex`. Exit code 77: skipped.
set -euo pipefail

what=Codex
# shellcheck source=tests/apps/gateway/agents.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/../agents.sh"
find_agent CODEX codex
mkdir "$scratch/home/.codex"
cat >"$scratch/home/.codex/config.toml" <<END
model_provider = "cursorwire"
check_for_update_on_startup = false
[model_providers.cursorwire]
name = "cursorwire"
wire_api = "responses"
env_key = "CURSORWIRE_KEY"
[mcp_servers.fake]
command = "$(realpath "$3")"
[analytics]
enabled = false
[features]
plugins = false
remote_plugin = false
apps = false
END

begin() {
  start_agent_gateway "$1" "$2" "$tests/codex/scripts.json"
}
end() {
  if grep '^req_' "$scratch/log" | grep -qvE 'POST /v1/responses 200|GET /v1/models 200'; then
    fail 'not all of its requests were answered'
  fi
  stop_gateway
}
# A turn of a model: MODEL ANSWER, and the arguments of Codex, of which the prompt is the last.
turn() {
  run in_work CURSORWIRE_KEY=any timeout 60 "$agent" exec --json --skip-git-repo-check \
    --dangerously-bypass-approvals-and-sandbox --config "model_providers.cursorwire.base_url=\"$url/v1\"" \
    --model "$1" "${@:3}"
  expect "\"type\":\"agent_message\",\"text\":\"$2\""
  expect '"type":"turn.completed"'
}

begin "$@"
# The plain dialect, of a name that Codex does not know: a function.
turn auto 'The note says forty-two.' 'Read the note.'
expect '"aggregated_output":"The answer is forty-two.\n","exit_code":0'
turn auto 'I have read it.' resume --last 'And now?'

# With the gateway's catalog of models: no warning, and a tool that only models of a catalog have.
address=${url#http://}
exec 5<>"/dev/tcp/${address/:/\/}"
printf 'GET /v1/models?client_version=any HTTP/1.0\r\nHost: %s\r\n\r\n' "$address" >&5
sed '1,/^\r$/d' <&5 >"$scratch/models.json"
exec 5<&-
turn acme-5.5 'It has a line more.' --config "model_catalog_json=\"$scratch/models.json\"" 'Extend the note.'
[[ $told != *metadata* ]] || fail 'it does not know the model'
[ "$(tail -n 1 "$scratch/work/note.txt")" = 'So it is.' ] || fail 'the note has no line more'

# A tool of free text: the patch arrives as it was written.
turn gpt-5.5 'It is changed.' 'Change the note.'
expect '"type":"file_change"'
expect '"type":"reasoning","text":"hm"'
[ "$(head -n 1 "$scratch/work/note.txt")" = 'The "answer" is größer.' ] || fail 'the note is not as the patch says'
turn gpt-5.5 'I have read it.' resume --last 'And now?'

# By a gateway that knows nothing of it: the conversation is made from the items of the request.
end
begin "$@"
turn gpt-5.5 'It is all there.' resume --last 'Is it all there?'

# A tool of a server, which is found by a search, and has a namespace.
turn gpt-5.5 'It echoes.' 'Find a tool.'
expect '"server":"fake","tool":"echo","arguments":{"text":"hi"}'

# A provider that compacts: it takes one item, which the next request has in place of the history.
turn gpt-5.5 'I know the summary.' --config 'model_providers.cursorwire.name="OpenAI"' \
  --config model_auto_compact_token_limit=1000 resume --last 'What was said?'

# The lite dialect, whose tools are in the input: JavaScript that calls a tool.
turn gpt-5.6-sol 'It is still there.' 'Look at the note.'
expect '"aggregated_output":"The \"answer\" is größer.\nSo it is.\n","exit_code":0'
turn gpt-5.6-sol 'I have read it.' resume --last 'And now?'
# In the other dialect, for which Codex first asks for a summary in an ordinary request.
turn gpt-5.5 'I know the summary.' resume --last 'What was said?'

end
echo "$what: all as expected"
