#!/usr/bin/env bash
# What cursor-chat promises to a shell: answers, exit codes, and what goes to which stream.
# Usage: cursor_chat_test.sh PROGRAM
. "$(dirname "$0")/../support.sh"

# --- the user's folder

mkdir -p "$dir/w/sub"
printf 'notes\n' >"$dir/w/a.txt"

it 'the folder is looked at'
run --local --workspace "$dir/w" 'what is in this folder?' </dev/null
expect_status 0
expect_in "$out" '- a.txt'
expect_in "$out" '- sub/'
expect_not_in "$out" 'new.txt'

it 'the folder is looked at anew'
: >"$dir/w/new.txt"
run --local --workspace "$dir/w" 'what is in this folder?' </dev/null
expect_in "$out" '- new.txt'

it '--local shows the current folder'
(cd "$dir/w" && "$chat" --local 'what is in this folder?') >"$out" 2>"$err" </dev/null
expect_in "$out" '- a.txt'

it '--allow none shows nothing'
run --local --workspace "$dir/w" --allow none 'what is in this folder?' </dev/null
expect_status 0
expect_in "$out" 'your client said no'
expect_not_in "$out" 'a.txt'

it '--allow and --mode take known words'
run --local --allow everything hi </dev/null
expect_error 2 'a list of read, write, sandboxed, shell, mcp and ask'
run --local --allow read,none hi </dev/null
expect_error 2 'a list of read, write, sandboxed, shell, mcp and ask'
run --local --mode eager hi </dev/null
expect_error 2 'agent, plan, ask or debug'

it 'a workspace that does not exist'
run --local --workspace "$dir/missing" hi </dev/null
expect_error 2 "$dir/missing"

it 'an image is shown'
printf '\211PNG\r\n\032\n....' >"$dir/i.png"
run --local --image "$dir/i.png" --image "$dir/i.png" hi </dev/null
expect_status 0
expect_in "$out" 'You showed me an image: image/png, 12 bytes.'

it 'attaches files and folders of the workspace'
run --local --workspace "$dir/w" --attach a.txt --attach . hi </dev/null
expect_status 0
expect_in "$out" 'You attached a file: a.txt, '
expect_in "$out" 'You attached a folder: ., with '
run --local --workspace "$dir/w" --attach none.txt hi </dev/null
expect_error 2 'none.txt: there is no such file'
run --local --workspace "$dir/w" --attach ../i.png hi </dev/null
expect_error 2 '../i.png: the path leads out of the folder'
it 'gives the agent rules of files'
echo 'Be brief.' >"$dir/rules.md"
run --local --rules "$dir/rules.md" hi </dev/null
expect_in "$out" 'Your rules are: Be brief.'
run --local --rules "$dir/none.md" hi </dev/null
expect_error 2 "cannot read $dir/none.md"

it 'gives the agent the rules of the workspace, unless they are left out'
mkdir -p "$dir/rules/.cursor/rules"
echo 'Be kind.' >"$dir/rules/AGENTS.md"
printf -- '---\nalwaysApply: true\n---\nBe exact.\n' >"$dir/rules/.cursor/rules/exact.mdc"
run --local --workspace "$dir/rules" --rules "$dir/rules.md" hi </dev/null
expect_status 0
expect_empty "$err"
for rule in 'Be kind.' 'Be exact.' 'Be brief.'; do expect_in "$out" "$rule"; done
run --local --workspace "$dir/rules" --format json hi </dev/null
expect_in "$out" 'Be kind.'
(cd "$dir/rules" && "$chat" --local hi) >"$out" 2>"$err" </dev/null
expect_not_in "$out" 'Be kind.' # no workspace is named
for switch in --no-rules '--allow none'; do
  # shellcheck disable=SC2086 # two words
  run --local --workspace "$dir/rules" $switch --rules "$dir/rules.md" hi </dev/null
  expect_status 0
  expect_in "$out" 'Be brief.'
  expect_not_in "$out" 'Be kind.'
  expect_not_in "$out" 'Be exact.'
done
ln -s "$dir/outside.txt" "$dir/rules/.cursor/rules/link.mdc"
run --local --workspace "$dir/rules" hi </dev/null
expect_status 0
expect_in "$out" 'Be kind.'
expect_not_in "$out" secret
expect_in "$err" 'cursor-chat: warning: '

it 'a file that is no image'
run --local --image "$dir/w/a.txt" hi </dev/null
expect_error 2 "$dir/w/a.txt is not a jpeg, png, gif or webp"
run --local --image "$dir/i.png" --image "$dir/missing.png" hi </dev/null
expect_error 2 "cannot read $dir/missing.png: No such file"
run --local --image "$dir/w" hi </dev/null
expect_error 2 "cannot read $dir/w: Is a directory"
: >"$dir/empty.png"
run --local --image "$dir/empty.png" hi </dev/null
expect_error 2 "$dir/empty.png is empty"

it 'an image that is too large'
{ cat "$dir/i.png"; head -c 5242880 /dev/zero; } >"$dir/large.png"
run --local --image "$dir/large.png" hi </dev/null
expect_error 2 "$dir/large.png is larger than 5 MiB"
run --local --image /dev/zero hi </dev/null
expect_error 2 '/dev/zero is larger than 5 MiB'
head -c 5242880 "$dir/large.png" >"$dir/largest.png"
run --local --image "$dir/largest.png" hi </dev/null
expect_status 0
expect_in "$out" 'image/png, 5242880 bytes'

it 'images that are too large together'
run --local $(printf -- "--image $dir/largest.png %.0s" $(seq 7)) hi </dev/null
expect_error 2 'the images are larger than 32 MiB in all'

# --- help and usage

it 'help'
run --help </dev/null
expect_status 0
expect_empty "$err"
for option in -h --help --endpoint --api-endpoint --cacert --local -m --model --effort --context \
  --max-mode --system --workspace --allow --tools --mode --format --keep-think-tags --connect-timeout --max-idle --max-time --heartbeat; do
  grep -qE -- "^ +([^ ]*,)?$option([ ,:]|\$)" "$out" || fail "$option is not named"
done
expect_in "$out" CURSOR_ACCESS_TOKEN
for code in 0 2 3 4 5 6 7 130; do
  grep -qE "(^|[ ;])$code [a-z]" "$out" || fail "exit code $code is not explained"
done

it 'help of a command'
for words in 'help' '--help hi' 'hi --help' '-- models --help'; do
  run $words </dev/null
  [ "$words" = '-- models --help' ] || expect_in "$out" 'Exit codes:'
done
run help models </dev/null
expect_status 0
expect_in "$out" 'cursor-chat [OPTIONS] models'
expect_in "$out" '  --format '
expect_not_in "$out" 'Exit codes:'
mv "$out" "$dir/help_models"
for words in 'models --help' '--help models' '--format json models -h'; do
  run $words </dev/null
  expect_status 0
  cmp -s "$out" "$dir/help_models" || fail "another help after $words"
done
run help modles </dev/null
expect_error 2 'there is no command modles; did you mean models?'
run help me write a poem </dev/null
expect_error 2 'a prompt that begins with the word help goes after -- or the word ask'
it 'help for a reader that has gone'
for words in --help --version help 'help mcp' --help-man; do
  { "$chat" $words 2>"$err"; echo $? >"$dir/code"; } | true
  expect_empty "$err"
done

it 'the word of a command is never a prompt'
while IFS='|' read -r words error; do
  for place in "--local $words" "$words --local"; do
    # shellcheck disable=SC2086 # several words
    run $place </dev/null
    expect_error 2 "$error"
    expect_in "$err" "goes after -- or the word ask (see cursor-chat help ${words%% *})"
  done
done <<'END'
mcp|mcp needs one more word: list FILE or test FILE
mcp list|mcp list needs the FILE of servers
mcp start f|mcp start is no command
trace|trace needs one more word
trace show|trace show needs the FILE
completion|completion needs one more word: bash, zsh or fish
completion tcsh|after completion comes bash, zsh or fish
doctor please|nothing may follow doctor, but there is 'please'
usage of memory in linux|nothing may follow usage, but there is 'of'
login now|nothing may follow login
acp now|nothing may follow acp
models -|nothing may follow models, but there is '-'
sessions rm|sessions rm needs the FILE
END
run --local --format json doctor please </dev/null
expect_status 2
expect_in "$out" '{"error":{"code":"invalid_argument","message":"nothing may follow doctor'
run --local ask doctor please help me </dev/null
expect_status 0
expect_in "$out" 'You said: "doctor please help me"'
run --local ask - < <(echo doctor)
expect_in "$out" 'You said: "doctor"'
run --local ask < <(echo doctor)
expect_in "$out" 'You said: "doctor"'
run --local -m model-x -- doctor </dev/null
expect_in "$out" 'You said: "doctor"'

it 'a word that is nearly a command is asked with a warning'
run --local model </dev/null
expect_status 0
expect_in "$out" 'You said: "model"'
expect_in "$err" 'cursor-chat: warning: "model" is asked as a prompt; the command is "cursor-chat models"'
run --local -- model </dev/null
expect_empty "$err"
run --local hello </dev/null
expect_empty "$err"

it 'options of the official CLI name ours'
while IFS='|' read -r words ours; do
  # shellcheck disable=SC2086 # several words
  run --local $words </dev/null
  expect_error 2 "$ours"
done <<'END'
-p hi|a prompt on the command line is answered without a session
--print hi|a prompt on the command line is answered without a session
--output-format json hi|it is --format here
--output-format=json hi|it is --format here
--resume|--continue goes on with the last conversation
--resume=x hi|--session FILE
--force hi|--allow write,shell
--list-models|cursor-chat models
--api-key x hi|CURSOR_ACCESS_TOKEN
END

it 'unknown option'
run --bogus hi </dev/null
expect_error 2 'there is no option --bogus'
run --bogus=1 hi --other </dev/null
expect_error 2 'there is no option --bogus;'
run -x degrees </dev/null
expect_error 2 'a prompt that begins so goes after --'
run --local -- -x degrees </dev/null
expect_in "$out" 'You said: "-x degrees"'

it 'unknown option that is nearly one'
for pair in --fromat:--format --modle:--model --conect-timeout:--connect-timeout \
  --max-idel=3:--max-idle --img:--image --work:--workspace; do
  run --local "${pair%%:*}" x hi </dev/null
  expect_error 2 "did you mean ${pair#*:}?"
done

it 'option with a line break and an escape'
run --local "$(printf -- '--a\n\033[31mb')" hi </dev/null
expect_error 2 'there is no option --a'
expect_not_in "$err" "$(printf '\033')"
run --local --format "$(printf 'a\nb')" hi </dev/null
expect_error 2 --format

it 'empty value of an option'
for option in --endpoint --api-endpoint --cacert --workspace --allow --model --effort --context \
  --image --tools; do
  run $option '' hi </dev/null
  expect_error 2 "$option must not be empty"
done

it 'bad format'
run --format xml hi </dev/null
expect_error 2 --format

for option in --connect-timeout --max-idle --max-time --heartbeat; do
  it "$option -1"
  run --local $option -1 hi </dev/null
  expect_error 2 "$option"
done
for seconds in -0.001 abc 1e300 inf nan 315360001 1s '' ' 1' 0x1; do
  it "--max-time '$seconds'"
  run --local --max-time "$seconds" hi </dev/null
  expect_error 2 --max-time
  expect_in "$err" 'a number of seconds from 0 to 315360000'
done

it 'option without its value'
for option in --model --max-time --image --format; do
  run --local hi $option </dev/null
  expect_error 2 "$option"
done

it 'local and an endpoint'
run --local --endpoint https://localhost:1 hi </dev/null
expect_error 2 --local

it 'local and certificates'
run --local --cacert "$dir/none" hi </dev/null
expect_error 2 --local

# --- the prompt

it 'empty prompt'
run --local "" </dev/null
expect_error 2 'prompt is empty'

it 'empty standard input'
run --local </dev/null
expect_error 2 'prompt is empty'

it 'nothing but white space'
run --local < <(printf '\n \t\r\n')
expect_error 2 'prompt is empty'
run --local '   ' </dev/null
expect_error 2 'prompt is empty'
run --local '' '' - </dev/null
expect_error 2 'prompt is empty'

it 'closed standard input'
run --local <&-
expect_error 2 'standard input'

it 'standard input that cannot be read'
run --local - <"$dir"
expect_error 2 'cannot read standard input: Is a directory'
run --local - <&-
expect_error 2 'cannot read standard input'

it 'standard input without an end'
run --local - </dev/zero
expect_error 2 'standard input is larger than 32 MiB'

it 'prompt that is not UTF-8'
run --local "$(printf 'a\377')" </dev/null
expect_error 2 'the prompt is not UTF-8'
run --local < <(printf 'half a character: \303')
expect_error 2 'the prompt is not UTF-8: byte 19 of standard input, in line 1, is 0xC3'
run --local 'Write a message:' - < <(printf 'ä diff\n-caf\351\n+x\n')
expect_error 2 'the prompt is not UTF-8: byte 13 of standard input, in line 2, is 0xE9; if that is Latin-1, put "iconv -f ISO-8859-1 -t UTF-8" before'
run --local --system "$(printf 'a\377')" hi </dev/null
expect_error 2 'the system text is not UTF-8'
run --local -m "$(printf 'a\377')" hi </dev/null
expect_error 2 'model id'

it 'prompt with a zero byte'
run --local < <(printf 'a\0b')
expect_error 2 'standard input has a zero byte'

# --- account and endpoint

it 'no token'
run hi </dev/null
expect_error 3 CURSOR_ACCESS_TOKEN
expect_in "$err" --local

it 'empty token'
CURSOR_ACCESS_TOKEN='' run hi </dev/null
expect_error 3 CURSOR_ACCESS_TOKEN

it 'token with a line break'
CURSOR_ACCESS_TOKEN=$(printf 'not-to-be\nshown') run hi </dev/null
expect_error 2 token
expect_not_in "$err" not-to-be

export CURSOR_ACCESS_TOKEN=not-to-be-shown

it 'endpoint that must not have the token'
run --endpoint https://example.com hi </dev/null
expect_error 2 example.com
run --endpoint https://cursor.sh.example.com hi </dev/null
expect_error 2 cursor.sh.example.com
run --endpoint http://example.com hi </dev/null
expect_error 2 example.com
run --endpoint http://api2.cursor.sh hi </dev/null
expect_error 2 https://

it 'endpoint that is no URL'
run --endpoint nonsense hi </dev/null
expect_error 2 endpoint

it 'endpoint of the environment that must not have the token'
CURSORWIRE_AGENT_URL=https://example.com run hi </dev/null
expect_error 2 CURSORWIRE_AGENT_URL
CURSORWIRE_API_URL=https://example.com run hi </dev/null
expect_error 2 CURSORWIRE_API_URL
run --api-endpoint https://example.com hi </dev/null
expect_error 2 example.com

it 'endpoint of the configuration of the official CLI'
printf '{"serverConfigCache":{"agentUrlConfig":{"agentUrl":"http://localhost:1"}}}' \
  >"$dir/cli-config.json"
run hi </dev/null
expect_error 4 'connect to localhost:1: connection refused'
CURSOR_AGENT_URL=http://127.0.0.1:1 run hi </dev/null
expect_error 4 'connect to 127.0.0.1:1: connection refused'
rm "$dir/cli-config.json"

it 'refused connection'
run --endpoint https://localhost:1 hi </dev/null
expect_error 4 unavailable
[ "$(cat "$err")" = \
  'cursor-chat: error: unavailable: connect to localhost:1: connection refused; "cursor-chat doctor" says which step fails' ] ||
  fail 'another message'

run models --endpoint https://localhost:1 --format json </dev/null
expect_status 4
expect_in "$out" 'cursor-chat doctor'

it 'refused connection without TLS'
run --endpoint http://localhost:1 hi </dev/null
expect_error 4 'connect to localhost:1: connection refused'

it 'certificates that cannot be read'
run --cacert "$dir/none" --endpoint https://localhost:1 hi </dev/null
expect_error 2 "$dir/none"
run --cacert "$dir" --endpoint https://localhost:1 hi </dev/null
expect_error 2 "$dir"

it 'files without certificates'
: >"$dir/empty.pem"
run --cacert "$dir/empty.pem" --endpoint https://localhost:1 hi </dev/null
expect_error 2 empty
echo 'no certificate' >"$dir/bad.pem"
run --cacert "$dir/bad.pem" --endpoint https://localhost:1 hi </dev/null
expect_error 2 "$dir/bad.pem: "
expect_in "$err" certificate
{ echo '-----BEGIN CERTIFICATE-----'; echo AAAA; echo '-----END CERTIFICATE-----'; } >"$dir/bad.pem"
run --cacert "$dir/bad.pem" --endpoint https://localhost:1 hi </dev/null
expect_error 2 "$dir/bad.pem: "
run --cacert /dev/zero --endpoint https://localhost:1 hi </dev/null
expect_error 2 '/dev/zero is larger than'

unset CURSOR_ACCESS_TOKEN

# --- answers

it 'text'
run --local Say hi. </dev/null
expect_status 0
expect_empty "$err"
expect_in "$out" 'You said: "Say hi."'
expect_in "$out" 'for the model "default"'

it 'model and rules'
run --local -m model-x --system 'Be brief.' hi </dev/null
expect_status 0
expect_in "$out" 'for the model "model-x"'
expect_in "$out" 'Be brief.'

it 'prompt from a pipe'
run --local < <(printf 'from a pipe\n')
expect_status 0
expect_in "$out" 'You said: "from a pipe"'

it 'prompt and standard input'
run --local 'Words before' - < <(printf 'the input\n')
expect_status 0
tr '\n' '|' <"$out" | grep -qF 'You said: "Words before||the input"' || fail 'another prompt'

it 'standard input is left alone without a dash'
run --local hi < <(echo unread)
expect_status 0
expect_not_in "$out" unread

it 'json'
run --local --format json hi there </dev/null
expect_status 0
expect_empty "$err"
[ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
expect_lines "$out" '^\{"conversation_id":"[0-9a-f-]{36}","text":"([^"\\]|\\.)*","thinking":"([^"\\]|\\.)*","usage":\{("[a-z_]+":[0-9]+,?)+\}\}$'
expect_in "$out" '"text":"You said: \"hi there\"\n'
expect_in "$out" '"input_tokens":2'

it 'stream-json'
run --local --format stream-json hi there </dev/null
expect_status 0
expect_empty "$err"
expect_lines "$out" '^\{.*"type":"(text_delta|thinking_delta|token_usage|turn_ended|checkpoint)".*\}$'
sed -n 's/^{"text":"\(.*\)","type":"text_delta"}$/\1/p' "$out" | tr -d '\n' >"$dir/text"
expect_in "$dir/text" 'You said: \"hi there\"\n'
types=$(sed 's/.*"type":"\([a-z_]*\)".*/\1/' "$out" | tail -n 4 | tr '\n' ' ')
[ "$types" = 'turn_ended checkpoint checkpoint checkpoint ' ] || fail "it ends with $types"
expect_in "$out" '"input_tokens":2'

# --- models

it 'table of models'
run models --local </dev/null
expect_status 0
expect_empty "$err"
expect_lines "$out" '^[^ ]+ +(CONTEXT|~?[0-9]+[km]) +(MAX|-|yes|[0-9]+[km]) +(IMAGES|yes|-|\?) +(EFFORT|-|[a-z ]+)$'
tr -s ' ' <"$out" >"$dir/table"
[ "$(head -n 2 "$dir/table" | tr '\n' '|')" = 'MODEL CONTEXT MAX IMAGES EFFORT|auto 200k - yes -|' ] ||
  fail 'another beginning'
expect_in "$dir/table" 'acme-5.5 272k 1m yes low medium high'
expect_in "$dir/table" 'bolt-4.6 ~200k - ? low medium high'
expect_in "$dir/table" 'acme-5.5-high-fast ~200k - ? high'
expect_not_in "$out" dusk
expect_not_in "$out" echo-chat

it 'models, json'
run --format json --local models </dev/null
expect_status 0
expect_empty "$err"
[ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
expect_lines "$out" '^\{"failures":\[\],"models":\[\{.*\}\]\}$'
expect_in "$out" '"context_tokens":272000'
expect_in "$out" '"efforts":["low","medium","high"]'
expect_in "$out" '"id":"acme-5.5-high-fast"'
expect_not_in "$out" '"acme-5.5-fast"'

it 'a model that there is not'
run --local -m acme-5.6 --effort low hi </dev/null
expect_error 2 'offered are acme-5.5, '
expect_in "$err" acme-5.5-high-fast
expect_not_in "$err" acme-5.5-fast

it 'models, stream-json'
run --local --format stream-json models </dev/null
expect_status 2
expect_lines "$out" '^\{"code":"invalid_argument","message":"--format of models must be .*","type":"error"\}$'
[ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
expect_lines "$err" '^cursor-chat: error: invalid_argument: --format of models must be '
[ "$(wc -l <"$err")" -eq 1 ] || fail 'standard error is not one line'

it 'the word models in a prompt'
run --local 'models are great' </dev/null
expect_in "$out" 'You said: "models are great"'
run --local models of the world </dev/null
expect_error 2 'nothing may follow models'
run --local -- models of the world </dev/null
expect_in "$out" 'You said: "models of the world"'
run --local --system -- -- models </dev/null
expect_in "$out" 'You said: "models"'
run --local ask models of the world </dev/null
expect_in "$out" 'You said: "models of the world"'
run --local < <(echo models)
expect_in "$out" 'You said: "models"'

it 'models without a token'
run models </dev/null
expect_error 3 CURSOR_ACCESS_TOKEN

it 'models of a host that is not reached'
CURSOR_ACCESS_TOKEN=t run models --endpoint http://localhost:1 </dev/null
expect_error 4 'connect to localhost:1: connection refused'

it 'effort, context and max mode'
run --local -m acme-5.5 --effort high hi </dev/null
expect_status 0
expect_empty "$err"
expect_in "$out" 'the model "acme-5.5" with context=272k, reasoning=high, fast=false.'
run --local -m acme-5.5 --context 1m hi </dev/null
expect_in "$out" 'the model "acme-5.5" with max mode, context=1m, reasoning=high, fast=false.'
run --local -m acme-5.5 --max-mode --effort medium hi </dev/null
expect_in "$out" 'with max mode, context='
run --local -m bolt-4.6 --effort low hi </dev/null
expect_in "$out" 'the model "bolt-4.6-low".'

it 'an id alone is taken as it is'
run --local -m acme-9 hi </dev/null
expect_status 0
expect_in "$out" 'the model "acme-9".'
run --local -m auto hi </dev/null
expect_in "$out" 'the model "default".'

it 'choice that is not offered'
run --local -m acme-5.5 --effort ultra hi </dev/null
expect_error 2 'offered: low, medium, high'
run --local -m acme-5.5 --context 5m hi </dev/null
expect_error 2 'offered: 272k, 1m'
run --local -m acme-5.6 --effort high hi </dev/null
expect_error 2 'acme-5.5'
run --local --max-mode hi </dev/null
expect_error 2 'no max mode'

# --- the version that the service is told

told() {
  run doctor --endpoint http://localhost:1 "$@" </dev/null
  sed -n 's/.*to the service it is \([^,]*\), as \(.*\) says$/\1 \2/p' "$out"
}
it 'the version is that of the option, the variable, the official CLI, or the library'
[ "$(told)" = 'cli-2026.08.31-4057e58 this library' ] || fail "it is $(told)"
versions=$dir/.local/share/cursor-agent/versions
mkdir -p "$versions/2026.09.02-1234567" "$versions/2026.10.01-e373342" "$versions/tmp"
[ "$(told)" = "cli-2026.10.01-e373342 $versions/2026.10.01-e373342" ] || fail "it is $(told)"
export CURSORWIRE_CLIENT_VERSION=cli-2026.11.11-abcdef0
[ "$(told)" = "$CURSORWIRE_CLIENT_VERSION CURSORWIRE_CLIENT_VERSION" ] || fail "it is $(told)"
[ "$(told --client-version cli-1)" = 'cli-1 --client-version' ] || fail "it is $(told)"
CURSORWIRE_CLIENT_VERSION='a b' run --local hi </dev/null
expect_error 2 'CURSORWIRE_CLIENT_VERSION must be 1 to 100 visible ASCII characters'
unset CURSORWIRE_CLIENT_VERSION
rm -r "$versions"
run --local --client-version '' hi </dev/null
expect_error 2 '--client-version must not be empty'

# --- limits

it 'deadline'
run --local --max-time 0.05 "$long" </dev/null
expect_status 5
expect_lines "$err" '^cursor-chat: error: deadline_exceeded: .*50 ms'

# A command line, the exit code, and what stands in the error.
while IFS='|' read -r arguments code error; do
  for format in json stream-json; do
    it "an error before the turn, $format, $arguments"
    # shellcheck disable=SC2086 # several words
    run $arguments --format $format hi </dev/null
    expect_status "$code"
    [ "$(wc -l <"$out")" -eq 1 ] || fail 'not one line'
    if [ $format = json ]; then
      expect_lines "$out" "^\\{\"error\":\\{\"code\":\"[a-z_]+\",\"message\":\".*$error.*\"\\}\\}\$"
    else
      expect_lines "$out" "^\\{\"code\":\"[a-z_]+\",\"message\":\".*$error.*\",\"type\":\"error\"\\}\$"
    fi
    expect_lines "$err" "^cursor-chat: error: [a-z_]+: .*$error"
  done
done <<'END'
--endpoint https://localhost:1|3|CURSOR_ACCESS_TOKEN
--local --tools missing|2|missing
--local --workspace /missing|2|missing
--local --no-such-option|2|no option --no-such-option
--local --max-time x|2|number of seconds
END

it 'an error of the models, json'
run --endpoint https://localhost:1 --format json models </dev/null
expect_status 3
expect_lines "$out" '^\{"error":\{"code":"unauthenticated","message":".*"\}\}$'

it 'a usage error after a prompt that looks like a format'
run --local --no-such-option -- --format json </dev/null
expect_error 2 'no option'

it 'deadline, json'
run --local --max-time 0.05 --format json "$long" </dev/null
expect_status 5
expect_lines "$out" '^\{("conversation_id":"[0-9a-f-]{36}",)?"error":\{"code":"deadline_exceeded","message":".*\}$'

it 'deadline, stream-json'
run --local --max-time 0.05 --format stream-json "$long" </dev/null
expect_status 5
tail -n 1 "$out" >"$dir/last"
expect_lines "$dir/last" '^\{"code":"deadline_exceeded","message":".*","type":"error"\}$'

finish
