# Sourced by the tests that run an agent for the terminal, not interactively, against cursor-gateway in front of scripts.
# Such programs take hundreds of megabytes, so that they are not installed here: a variable names the program, otherwise
# it is looked for in PATH. Each gets a home of its own, and a proxy that is not there for all addresses but the gateway's.
#   find_agent VARIABLE COMMAND     sets agent, or skips the test (exit code 77)
#   start_agent_gateway CURSOR_GATEWAY LOCAL_UPSTREAM SCRIPTS [OPTION...]
#                                   sets url; for "WORK" in the scripts stands the folder of the agent, with note.txt
#   in_work [VAR=VALUE...] COMMAND  runs there
#   run COMMAND...                  fails unless it succeeds; sets told, its output
#   expect TEXT                     fails unless that is in the output

tests=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
# shellcheck source=tests/apps/gateway/gateway_processes.sh
source "$tests/gateway_processes.sh"
mkdir "$scratch/home" "$scratch/work"
echo 'The answer is forty-two.' >"$scratch/work/note.txt"

find_agent() {
  agent=${!1:-$(command -v "$2" || true)}
  [ -n "$agent" ] && return
  echo "$what: SKIPPED, nothing was tested: it is not installed; $1 may name the program"
  exit 77
}

start_agent_gateway() {
  sed "s|WORK|$scratch/work|" "$3" >"$scratch/scripts.json"
  start_gateway "$(realpath "$1")" "$(realpath "$2")" "$scratch/scripts.json" "${@:4}"
}

in_work() {
  (cd "$scratch/work" && env -i PATH="$PATH" HOME="$scratch/home" NO_PROXY=127.0.0.1 \
    HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 "$@" </dev/null)
}

fail() {
  echo "$what: $1; it said:"
  echo "$told"
  cat "$scratch/errors" "$scratch/log" "$scratch/violations"
  exit 1
}

run() {
  told=$("$@" 2>"$scratch/errors") || fail "failed: $*"
}

expect() {
  [[ $told == *"$1"* ]] || fail "expected: $1"
}
