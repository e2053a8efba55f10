# Sourced by the tests that run clients of other languages against cursor-gateway, in front of
# local-upstream. Sets scratch, a folder for the test, which is removed at its end with the processes.
#   start_gateway CURSOR_GATEWAY LOCAL_UPSTREAM SCRIPTS [OPTION...]   sets url; options of the gateway
#   stop_gateway                                                      fails if anything was wrong

what=${what:-gateway clients}
scratch=$(mktemp -d)
gateway=
upstream=
cleanup() {
  for process in $gateway $upstream; do kill "$process" 2>/dev/null || true; done
  rm -rf "$scratch"
}
trap cleanup EXIT

# Each writes its first line when it can be asked.
start_gateway() {
  rm -f "$scratch/upstream" "$scratch/gateway"
  mkfifo "$scratch/upstream" "$scratch/gateway"
  "$2" --plaintext "$3" >"$scratch/upstream" 2>"$scratch/violations" &
  upstream=$!
  exec 3<"$scratch/upstream"
  read -r _ _ upstream_url <&3 || { echo "$what: no upstream"; cat "$scratch/violations"; exit 1; }
  CURSOR_ACCESS_TOKEN=a-token-of-this-test "$1" --endpoint "$upstream_url" "${@:4}" \
    >"$scratch/gateway" 2>"$scratch/log" 3<&- &
  gateway=$!
  exec 4<"$scratch/gateway"
  # shellcheck disable=SC2034 # for the test
  read -r _ _ _ url <&4 || { echo "$what: no gateway"; cat "$scratch/log"; exit 1; }
}

stop_gateway() {
  kill "$gateway"
  wait "$gateway" || { echo "$what: the gateway ended with $?"; exit 1; }
  gateway=
  kill "$upstream"
  wait "$upstream" || true
  upstream=
  if [ -s "$scratch/violations" ]; then
    cat "$scratch/violations"
    exit 1
  fi
  if grep -q a-token-of-this-test "$scratch/log"; then
    echo "$what: the token is in the log"
    exit 1
  fi
}
