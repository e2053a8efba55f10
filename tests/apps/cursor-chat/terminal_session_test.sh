#!/usr/bin/env bash
# A session of cursor-chat in a terminal emulator: keys go in, and the screen is looked at.
# Usage: terminal_session_test.sh PROGRAM LOCAL_UPSTREAM FAKE_MCP_SERVER
# With SCREENS=FOLDER, it writes the screens of docs/terminal.md there. Exit code 77: no tmux.
command -v tmux >/dev/null || { echo 'skipped: there is no tmux'; exit 77; }
. "$(dirname "$0")/../support.sh"
chat=$(realpath "$chat")
upstream=$(realpath "$2")
fake=$(realpath "$3")
server=
trap '[ "$BASHPID" != $$ ] || { stop_terminal; [ -z "$server" ] || kill -9 "$server" 2>/dev/null; rm -rf "$dir"; }' EXIT
export CURSOR_ACCESS_TOKEN=not-to-be-shown-to-anybody XDG_STATE_HOME=$dir/state
unset TMUX NO_COLOR
history=$XDG_STATE_HOME/cursorwire/history
mkfifo "$dir/lines"
mkdir -p "$dir/work/src" "$dir/work/.cursor/rules"
cd "$dir/work" || exit 1
printf 'one\ntwo\n' >a.txt
echo 'int main() {}' >src/main.cc
echo 'Be brief.' >AGENTS.md
printf -- '---\nalwaysApply: true\n---\nUse two spaces.\n' >.cursor/rules/style.mdc

# --- the terminal

# Each session has a server of its own: one that was told to end may still take requests.
sessions=0
echo 'set-option -g remain-on-exit on' >"$dir/tmux.conf"
terminal() { LC_ALL=C.UTF-8 tmux -u -S "$dir/tmux$sessions" -f "$dir/tmux.conf" "$@"; }
stop_terminal() { terminal kill-server 2>/dev/null; }
# Runs the program, and notes its number, how it ended, and the terminal's mode after it.
cat >"$dir/run" <<'END'
#!/bin/sh
trap : INT # Ctrl-C is for the program
dir=$1
shift
stty -g >"$dir/mode_before"
sh -c 'echo $$ >"$0/pid"; exec "$@"' "$dir" "$@"
code=$?
trap '' INT # one that comes after the program's end is not for stty
echo $code >"$dir/code"
stty -g >"$dir/mode_after"
END
chmod +x "$dir/run"

# Starts a session: its size, its variables, and the arguments after "--".
session() {
  local columns=$1 rows=$2 variables=()
  shift 2
  while [ "$1" != -- ]; do variables+=("$1"); shift; done
  shift
  stop_terminal
  sessions=$((sessions + 1))
  rm -f "$dir/code" "$dir/mode_after" "$dir/pid"
  terminal new-session -d -x "$columns" -y "$rows" \
    env "${variables[@]}" "$dir/run" "$dir" "$chat" "$@"
  shows '>'
}
keys() { terminal send-keys "$@"; }
types() { terminal send-keys -l -- "$1"; }
enter() { types "$1"; keys Enter; }
screen() { terminal capture-pane -p "$@"; }

# Polls until a command holds.
within() {
  local i
  for i in $(seq 400); do
    "$@" && return 0
    sleep 0.05
  done
  return 1
}
on_screen() { screen | grep -qF -- "$1"; }
off_screen() { ! on_screen "$1"; }
# What follows such a failure would wait in vain.
give_up() {
  fail "$1"
  screen
  finish
}
shows() { within on_screen "$1" || give_up "the screen does not show '$1'"; }
hides() { within off_screen "$1" || give_up "the screen shows '$1'"; }
# The last line that is not empty is the prompt, with nothing in it.
at_prompt() { [ "$(screen | sed '/^ *$/d' | tail -n 1)" = '>' ]; }
prompts() { within at_prompt || give_up 'there is no prompt'; }
has_ended() { [ -s "$dir/mode_after" ]; }
ends() {
  within has_ended || give_up 'it does not end'
  [ "$(cat "$dir/code")" -eq "$1" ] || fail "exit code $(cat "$dir/code"), not $1"
  cmp -s "$dir/mode_before" "$dir/mode_after" || fail "the terminal's mode is not as before"
}
# Notes the screen for the page, without what differs from run to run.
picture() {
  [ -n "${SCREENS:-}" ] || return 0
  screen | sed -e "s|$dir|/home/ada|g" -e 's/ *$//' -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$SCREENS/$1.txt"
}

# --- the service

steps() { printf '{"steps":[%s]}' "$1"; }
start_server() {
  "$upstream" --plaintext "$@" >"$dir/lines" 2>"$dir/server_err" &
  server=$!
  url=
  read -r line <"$dir/lines" && url=${line#listening on }
  [ -n "$url" ] || fail "the service does not start: $(cat "$dir/server_err")"
}
stop_server() {
  kill -9 "$server" 2>/dev/null
  wait "$server" 2>/dev/null
  server=
}
# What is in a tool call is bytes to a script. EditToolCall { args = 1 { path = 1 "src/main.cc" } }, the
# same with result = 2 { success = 1 { path = 1, diff_string = 5 } }, and
# ShellToolCall { args = 1 { command = 1 "make test" } }:
edit=Cg0KC3NyYy9tYWluLmNj
edited=Cg0KC3NyYy9tYWluLmNjEkwKSgoLc3JjL21haW4uY2MqO0BAIC0xICsxLDMgQEAKLWludCBtYWluKCkge30KK2ludCBtYWluKCkgeworICByZXR1cm4gMDsKK30K
shell=CgsKCW1ha2UgdGVzdA==
fix=$(steps '{"text":"I look at it.\n"},{"thinking":"Hm."},{"tokens":120},
  {"tool_call_started":{"call_id":"c","tool_call":{"edit_tool_call":"'$edit'"}}},
  {"tool_call_completed":{"call_id":"c","tool_call":{"edit_tool_call":"'$edited'"}}},
  {"text":"It returns 0 now."},{"turn_ended":{"input_tokens":1200,"output_tokens":34}}')
long=$(steps '{"tokens":7},
  {"tool_call_started":{"call_id":"d","tool_call":{"shell_tool_call":"'$shell'"}}},
  {"expect_cancel":{}}')
limit=$(steps '{"error":{"code":"resource_exhausted","message":"the limit of your plan is reached"}}')
again=$(steps '{"text":"I am still here."},{"turn_ended":{}}')
# The control sequence is for the terminal, if nobody takes it out.
evil=$(steps '{"text":"\u001b[2Jgone\ncursor-chat: error: none\n> /quit\n"},{"turn_ended":{}}')

# --- a session with the stand-in

it 'begins with its rules and a prompt'
session 80 24 LC_ALL=C.UTF-8 -- --local
shows 'rules: AGENTS.md, .cursor/rules/style.mdc'
prompts
it 'lists its commands'
enter /help
shows 'Ctrl-R searches'
for command in help model mode effort system image undo new resume save usage quit; do
  screen | grep -q "^  /$command " || fail "/help does not name /$command"
done
prompts
picture help

it 'answers as the words come'
it 'takes the keyboard for UTF-8'
enter 'Grüße from Bern'
shows 'You said: "Grüße from Bern"'
shows 'as the real service does.'
shows 'Your rules are: Be brief.'
prompts
it 'attaches files and folders'
session 80 24 LC_ALL=C.UTF-8 -- --local
types 'compare @a.t'
keys Tab
types 'with @sr'
keys Tab
shows 'compare @a.txt with @src/'
enter ' for ada@example.com'
shows 'You attached a file: a.txt, 8 bytes.'
shows 'You attached a folder: src/, with 1 file in it.'
shows 'as the real service does.'
prompts
picture attach
it 'sends nothing if a file is missing or outside'
enter 'see @src/none.cc'
shows 'cursor-chat: error: invalid_argument: src/none.cc: there is no such file'
prompts
enter 'see @../run'
shows 'cursor-chat: error: invalid_argument: ../run: the path leads out of the '
prompts

it 'completes commands and models'
session 80 24 LC_ALL=C.UTF-8 -- --local
types /mod
keys Tab Tab
shows '/mode   /model'
types l
keys Space Tab Tab
shows 'bolt-4.6-low-thinking'
picture complete
types acme-5.5
keys Enter
shows 'the model is acme-5.5'
enter '/effort high'
shows 'the effort is high'
enter '/mode ask'
shows 'the mode is ask'
enter '/system Answer in German.'
shows 'the rules are: Answer in German.'
enter /modle
shows 'there is no command /modle; did you mean /'
prompts
picture choose
enter 'which model?'
shows 'for the model "acme-5.5" with context=272k'
shows 'as the real service does.'
prompts

it 'takes several lines'
session 80 24 LC_ALL=C.UTF-8 -- --local
types 'one\'
keys Enter
types two
keys M-Enter
types three
keys C-j
types four
keys Enter
shows 'That is 4 words in 18 bytes'
shows 'as the real service does.'
prompts
it 'sends nothing of a paste before Enter'
printf '/quit\nred\rgreen' | terminal load-buffer -
terminal paste-buffer -p
shows green
keys Enter
shows 'You said: "/quit'
shows 'as the real service does.'
prompts
it 'shows a long paste as one word'
seq 40 | terminal load-buffer -
terminal paste-buffer -p
shows '[paste 1: 40 lines]'
picture paste
keys C-c
prompts

it 'finds what was entered, by arrow keys and in the next session'
keys Up Up
shows 'one'
keys C-c
prompts
session 80 24 LC_ALL=C.UTF-8 -- --local
keys C-r
types rüß
shows 'Grüße from Bern'
keys C-c
prompts
it 'keeps no secret'
enter "why is $CURSOR_ACCESS_TOKEN refused?"
shows 'You said: "why is'
shows 'as the real service does.'
prompts
enter ' not kept'
shows 'as the real service does.'
prompts
grep -qF 'Grüße from Bern' "$history" || fail 'the history is not kept'
expect_not_in "$history" not-to-be-shown
expect_not_in "$history" 'not kept'
[ "$(stat -c %a "$history")" = 600 ] || fail 'the mode of the history is not 0600'

it 'brings a long paste back as one word'
session 80 24 LC_ALL=C.UTF-8 -- --local
seq 60 | terminal load-buffer -
terminal paste-buffer -p
shows '[paste 1: 60 lines]'
keys Enter
shows 'That is 60 words'
shows 'as the real service does.'
prompts
keys C-l Up
shows '> [paste 1: 60 lines]'
keys C-c
prompts
session 80 24 LC_ALL=C.UTF-8 -- --local
keys Up
shows '> [paste 1: 60 lines]'
keys Enter
shows 'That is 60 words'
shows 'as the real service does.'
prompts

it 'keeps conversations, takes turns back and goes on'
session 80 24 LC_ALL=C.UTF-8 -- --local
enter 'My name is Ada.'
shows 'as the real service does.'
prompts
enter '/save ada.session'
shows 'kept in ada.session'
enter /undo
shows 'took back: My name is Ada.'
shows '0 turns are left'
enter /new
shows 'this is another conversation'
enter '/resume ada.session'
shows 'goes on with ada.session, 0 turns'
enter /usage
shows '1 turn in this session'
prompts
picture keep
it 'leaves with /quit'
enter /quit
ends 0
it 'offers a server of tools that comes late, and says so'
printf '{"mcpServers":{"late":{"command":"%s","args":["after","%s/there"]}}}' "$fake" "$dir" \
  >"$dir/servers.json"
session 80 24 LC_ALL=C.UTF-8 -- --local --mcp-config "$dir/servers.json"
shows 'server late: it has ended with exit code 3'
touch "$dir/there"
# Another turn, if one comes while it is being started.
comes_at_a_turn() { enter hi; prompts; on_screen 'server late: it is ready'; }
within comes_at_a_turn || give_up 'it does not come'
keys C-d
ends 0
it 'leaves with the word exit, and names what other programs call differently'
session 80 24 LC_ALL=C.UTF-8 -- --local
enter /clear
shows '/clear; /new begins'
prompts
enter exit
ends 0
off_screen 'You said' || fail 'the word was asked'
it 'leaves with Ctrl-D'
session 80 24 LC_ALL=C.UTF-8 -- --local
keys C-d
ends 0
it 'clears the line with Ctrl-C, and leaves with two'
session 80 24 LC_ALL=C.UTF-8 -- --local
types 'not this'
keys C-c
prompts
keys C-c
shows 'Ctrl-C once more leaves'
prompts
enter 'but this'
shows 'You said: "but this"'
shows 'as the real service does.'
prompts
keys C-c
within [ "$(screen | grep -c 'once more')" -ge 1 ] || fail 'there is no hint'
prompts
keys C-c
ends 130
it 'restores the terminal when it is killed'
session 80 24 LC_ALL=C.UTF-8 -- --local
prompts
kill -TERM "$(cat "$dir/pid")"
ends 143

# --- turns with tools

for size in '80 24' '200 60'; do
  for locale in C.UTF-8 C; do
    it "shows tools, stops turns and goes on ($size, $locale)"
    printf '[%s,%s,%s,%s,%s,%s]' "$fix" "$long" "$limit" "$again" "$evil" "$long" >"$dir/scripts.json"
    start_server "$dir/scripts.json"
    # shellcheck disable=SC2086 # two numbers
    session $size LC_ALL=$locale -- --endpoint "$url" --api-endpoint "$url" --workspace .
    enter 'let main return 0'
    shows 'It returns 0 now.'
    shows '    +  return 0;'
    prompts
    screen -e | grep -qF $'\e[32m+  return 0;' || fail 'what was added is not green'
    screen -e | grep -qF $'\e[31m-int main() {}' || fail 'what was removed is not red'
    mark='●'
    [ $locale = C.UTF-8 ] || mark='*'
    on_screen "$mark edit src/main.cc" || fail 'the tool call is not shown'
    [ "$size $locale" != '80 24 C.UTF-8' ] || picture edit
    enter 'run the tests'
    shows 'shell make test ('
    shows ', 7 tokens)'
    [ "$size $locale" != '80 24 C.UTF-8' ] || picture spinner
    terminal resize-window -x 60 -y 30
    keys C-c
    shows '(stopped: the agent is told so with the next prompt)'
    shows "$mark shell make test (no result)"
    hides ', 7 tokens)'
    prompts
    [ "$size $locale" != '80 24 C.UTF-8' ] || picture stopped
    enter 'once more'
    shows 'cursor-chat: error: resource_exhausted: the limit of '
    prompts
    enter 'are you there?'
    shows 'I am still here.'
    prompts
    enter /usage
    shows '1200 input tokens, 34 output tokens'
    prompts
    [ "$size $locale" != '80 24 C.UTF-8' ] || picture error
    enter 'be evil'
    shows '<U+001B>[2Jgone'
    shows '(answer) cursor-chat: error: none'
    prompts
    enter 'run the tests again'
    shows ', 7 tokens)' # the first tool call is still on a large screen
    keys C-c
    hides ', 7 tokens)'
    prompts
    keys C-d
    ends 0
    stop_server
  done
done

it 'renders Markdown as it streams, and leaves it alone where it is to be plain'
markdown=$(steps '{"text":"# Sorting\n\nTwo **ways**, the first of which is "},{"wait":200},
  {"text":"`stable`:\n\n1. merge sort\n2. quicksort\n   - in place\n\n| way | worst |\n|---|---:|\n| merge | n log n |\n| 快速 | n² |\n\n```cpp\nint n = 1;  // one\n```\n"},{"turn_ended":{}}')
printf '[%s]' "$markdown" >"$dir/scripts.json"
start_server "$dir/scripts.json"
session 80 24 LC_ALL=C.UTF-8 -- --endpoint "$url"
enter 'how do I sort?'
shows '  int n = 1;  // one'
prompts
shows 'Two ways, the first of which is stable:'
screen | grep -q '^快速 *│ *n²$' || fail 'the table has no row with wide characters'
screen | grep -q '^Sorting$' || fail 'the heading has its sign'
screen | grep -q '^ *[•◦] in place' || fail 'the list in the list is not shown'
screen -e | grep -qF $'\e[1' || fail 'nothing is bold'
picture markdown
keys C-d
ends 0
session 80 24 LC_ALL=C.UTF-8 NO_COLOR=1 -- --endpoint "$url"
enter 'how do I sort?'
shows '| merge | n log n |'
shows '# Sorting'
shows 'Two **ways**'
keys C-d
ends 0
stop_server

it 'asks before a command, and shows the answer that is typed'
printf '[%s,%s]' "$(steps '{"exec":{"shell_args":{"command":"echo ran >ran.txt"}}},{"text":"I ran it."},{"turn_ended":{}}')" \
  "$again" >"$dir/scripts.json"
start_server "$dir/scripts.json"
session 80 24 LC_ALL=C.UTF-8 -- --endpoint "$url" --workspace . --allow ask
enter 'run it'
shows 'cursor-chat: y or n? [n]'
enter y
shows 'cursor-chat: y or n? [n] y'
shows 'I ran it.'
prompts
[ -e ran.txt ] || fail 'the command was not run'
enter 'are you there?'
shows 'I am still here.'
prompts
keys C-d
ends 0
stop_server

it 'leaves with two Ctrl-C in a turn that does not stop'
session 80 24 LC_ALL=C.UTF-8 -- --local
enter 'a question'
shows 'You said: "a question"'
keys C-c
keys C-c
# On a busy machine the turn stops before the second one, or both are one signal: then the prompt
# asks for one more, or for two.
has_ended_or_asks() { has_ended || at_prompt; }
within has_ended_or_asks || give_up 'it neither ends nor stops'
for ((more = 0; more < 2; ++more)); do
  has_ended || keys C-c
done
ends 130

is_shell() { [ "$(screen | sed '/^$/d' | tail -n 1)" = 'shell:' ]; }
it 'goes on after Ctrl-Z, and ends in the background'
stop_terminal
sessions=$((sessions + 1))
terminal new-session -d -x 80 -y 24 env LC_ALL=C.UTF-8 PS1='shell: ' bash --norc --noprofile -i
shows 'shell:'
enter "'$chat' --local"
prompts
keys C-z
shows 'Stopped'
enter bg
enter fg
prompts
enter 'a question'
shows 'as the real service does.'
prompts
keys C-z
within is_shell || fail 'the shell does not come back' # what is typed before it does is not for it
enter 'kill %1'
# The shell takes the job for a stopped one until it has ended.
enter 'while wait %1; code=$?; [ $code = 148 ]; do read -rt 0.1; done; echo "code $code"'
shows 'code 143'

it 'does not garble the C locale'
session 200 60 LC_ALL=C -- --local
enter 'Grüße'
shows 'You said: "Grüße"'
shows 'as the real service does.'
prompts
picture c-locale
keys C-d
ends 0

it 'takes a locale of UTF-8 that is not installed for one of UTF-8'
for variables in 'LC_ALL= LC_CTYPE= LANG=xx_XX.UTF-8' 'LC_ALL= LC_CTYPE=UTF-8'; do
  # shellcheck disable=SC2086 # several words
  session 80 24 $variables -- --local
  types 'Grüße'
  shows '> Grüße'
  keys C-c
  keys C-d
  ends 0
done

it 'is plain where that is wanted'
printf '[%s]' "$fix" >"$dir/scripts.json"
for plain in 'LC_ALL=C.UTF-8 -- --plain' 'NO_COLOR=1 --' 'TERM=dumb --' 'TERM=no-such-terminal --'; do
  start_server "$dir/scripts.json"
  # shellcheck disable=SC2086 # several words
  session 80 24 $plain --endpoint "$url" --workspace .
  enter 'let main return 0'
  shows 'It returns 0 now.'
  screen -e | grep -q $'\e\\[[0-9;]*m' && fail "there are colours with $plain"
  screen | grep -qi 'terminal' && fail "there are words about the terminal with $plain"
  keys C-d
  ends 0
  stop_server
done
picture plain

it 'is no session without a terminal'
run --local </dev/null
expect_error 2 'the prompt is empty'

finish
