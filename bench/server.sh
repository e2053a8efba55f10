# For scripts that measure against the server of stream-bench; sourced by them. `bin` is the folder of
# the programs.

scratch=$(mktemp -d) # a folder that goes away with the script
server=
leave() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi
  rm -rf "$scratch"
}
trap leave EXIT

# Sets `port`, `ca_file`, and `bench`, the command that measures there. The server ends with
# stop_server, or with the script.
start_server() {
  local line
  ca_file=$scratch/ca.pem
  mkfifo "$scratch/to-server" "$scratch/from-server"
  "$bin/stream-bench" --serve --ca-file "$ca_file" <"$scratch/to-server" >"$scratch/from-server" &
  server=$!
  exec 3>"$scratch/to-server"
  read -r line <"$scratch/from-server"
  port=${line##*:}
  bench=("$bin/stream-bench" --server "$port" --ca-file "$ca_file")
}

stop_server() {
  exec 3>&-
  wait "$server"
  server=
}

# Before a program: counts its instructions.
counter=(valgrind --tool=callgrind --callgrind-out-file=/dev/null)
# The instructions that such a COMMAND counts.
instructions_of() { # COMMAND ARGUMENT...
  "$@" 2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}
