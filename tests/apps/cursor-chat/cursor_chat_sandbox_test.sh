#!/usr/bin/env bash
# What --allow sandboxed and --sandbox mean: a real sandbox around real commands. local-upstream plays
# the agent, and checks the answers.
# Usage: cursor_chat_sandbox_test.sh PROGRAM LOCAL_UPSTREAM FAKE_MCP_SERVER SCRATCH
# SCRATCH: a folder that is not below /tmp, which is another one inside.
. "$(dirname "$0")/../support.sh"
upstream=$2
scratch=$(mktemp -d "$4/chat.XXXXXX")
server=
trap '[ "$BASHPID" != $$ ] || { [ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$dir" "$scratch"; }' EXIT
unset CURSOR_AUTH_TOKEN CURSOR_API_KEY

"$1" doctor --endpoint http://127.0.0.1:1 --api-endpoint http://127.0.0.1:1 </dev/null >"$dir/doctor" 2>&1
if ! grep -q 'commands can run in a sandbox' "$dir/doctor"; then
  grep -A1 sandbox "$dir/doctor"
  exit 77
fi
workspace=$scratch/workspace
mkdir "$workspace"

# The steps of an agent, and the arguments of the program in its answer to a question.
play() {
  printf '{"name":"agent","steps":[%s,{"text":"Done."},{"turn_ended":{}}]}' "$1" >"$dir/script.json"
  shift
  rm -f "$dir/lines"
  mkfifo "$dir/lines"
  "$upstream" --plaintext --once "$dir/script.json" >"$dir/lines" 2>"$dir/server_err" &
  server=$!
  url=
  read -r line <"$dir/lines" && url=${line#listening on }
  [ -n "$url" ] || fail "the agent does not start: $(cat "$dir/server_err")"
  CURSOR_ACCESS_TOKEN=not-to-be-shown run --workspace "$workspace" "$@" --endpoint "$url" hi </dev/null
  wait "$server"
  server=
  [ ! -s "$dir/server_err" ] || fail "$(cat "$dir/server_err")"
  expect_status 0
  expect_in "$out" Done.
}
# shell COMMAND EXPECT [ARGS]: a step that runs a command, whose arguments also have ARGS.
shell() { printf '{"exec":{"shell_args":{"command":"%s"%s}},"expect":{"shell_result":%s}}' "$1" "${3:+,$3}" "$2"; }
readwrite='"sandbox_policy":{"type":"TYPE_WORKSPACE_READWRITE","network_access":false}'
readonly='"sandbox_policy":{"type":"TYPE_WORKSPACE_READONLY"}'
none='"sandbox_policy":{"type":"TYPE_INSECURE_NONE"}'

it 'a command of --allow write,sandboxed changes the folder, and nothing else'
play "$(shell "echo new >made; touch $scratch/outside" '{"failure":{"stderr":{"$contains":"sandbox"}},'"$readwrite"'}')" \
  --allow write,sandboxed
[ "$(cat "$workspace/made")" = new ] || fail "the file was not made"
[ ! -e "$scratch/outside" ] || fail "a file outside was made"

it 'without write the folder is read-only'
play "$(shell 'echo new >other' '{"failure":{},'"$readonly"'}')" --allow sandboxed
[ ! -e "$workspace/other" ] || fail "the file was made"

it 'what the service wishes does not widen it'
wish='"requested_sandbox_policy":{"type":"TYPE_INSECURE_NONE"}'
play "$(shell "touch $scratch/outside" '{"failure":{},'"$readwrite"'}' "$wish")" --allow write,sandboxed
[ ! -e "$scratch/outside" ] || fail "a file outside was made"

it 'a commit is refused, and .git asks by name'
git -C "$workspace" init -q
git='git -c user.name=a -c user.email=a@b'
play "$(shell "git add made && $git commit -qm one" '{"failure":{"stderr":{"$contains":"git_write"}}}')" \
  --allow write,sandboxed
wish='"requested_sandbox_policy":{"type":"TYPE_WORKSPACE_READWRITE","additional_readwrite_paths":[".git"]}'
play "$(shell true '{"rejected":{"reason":{"$contains":"git_write"}}}' "$wish")" --allow write,sandboxed
[ -z "$(git -C "$workspace" log 2>/dev/null)" ] || fail "there is a commit"

it '--allow shell means any command, and --sandbox require puts it inside'
play "$(shell "touch $scratch/outside" '{"success":{},'"$none"'}')" --allow shell
rm "$scratch/outside"
play "$(shell "touch $scratch/outside" '{"failure":{},'"$readwrite"'}')" --allow shell --sandbox require
[ ! -e "$scratch/outside" ] || fail "a file outside was made"

it 'the agent is told that there is a sandbox'
play '{"exec":{"request_context_args":{}},"expect":{"request_context_result":{"success":{"request_context":{"env":{"sandbox_enabled":true,"sandbox_supported":true}}}}}}' \
  --allow sandboxed

it 'a tool of --tools with "sandbox" runs inside'
printf '[{"name":"t","command":["sh","-c","touch %s/outside 2>/dev/null || echo held"],"sandbox":true}]' "$scratch" >"$dir/tools.json"
play '{"call_tool":{"name":"t","arguments":{}},"expect":{"mcp_result":{"success":{"content":[{"text":{"text":"held\n"}}]}}}}' \
  --tools "$dir/tools.json"
[ ! -e "$scratch/outside" ] || fail "a file outside was made"

it 'a server with "sandbox" runs inside, where it may change its cwd alone'
cp "$3" "$scratch/fake"
for cwd in '' "\"cwd\":\"$workspace\","; do
  rm -f "$workspace/by-server"
  printf '{"mcpServers":{"s":{"command":"sh",%s"sandbox":true,"args":["-c","touch %s/outside %s/by-server; exec %s/fake"]}}}' \
    "$cwd" "$scratch" "$workspace" "$scratch" >"$dir/servers.json"
  run mcp test "$dir/servers.json" </dev/null
  expect_status 0
  [ ! -e "$scratch/outside" ] || fail "a file outside was made"
  [ -n "$cwd" ] && seen=yes || seen=no
  [ -e "$workspace/by-server" ] && made=yes || made=no
  [ $made = $seen ] || fail "with cwd '$cwd': made: $made"
done

it 'contradictions are usage errors'
run --allow sandboxed --sandbox off hi </dev/null
expect_error 2 'sandboxed needs a sandbox'
run --sandbox maybe hi </dev/null
expect_error 2 'sandbox'

finish
