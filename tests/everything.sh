# For tests that use the reference server of the Model Context Protocol over HTTP; sourced by them,
# after npm/npm.sh.

# Starts it with its package in MODULES. Sets `web`, its process, and `port`; what it says goes to
# FOLDER/web_log. It takes its port from a variable: another process may be faster, then it ends.
#   start_everything MODULES FOLDER
start_everything() {
  local line
  cat >"$2/port.cjs" <<'END'
const server = require('net').createServer();
server.listen(0, '127.0.0.1', () => { console.log(server.address().port); server.close(); });
END
  for _ in 1 2 3; do
    port=$(node "$2/port.cjs")
    rm -f "$2/web"
    mkfifo "$2/web"
    PORT=$port node "$1/@modelcontextprotocol/server-everything/dist/index.js" streamableHttp \
      >"$2/web" 2>&1 &
    web=$!
    exec 8<"$2/web"
    while read -r line <&8 && ! [[ $line == *"listening on port"* ]]; do :; done
    [[ $line == *"listening on port"* ]] && break
  done
  cat <&8 >"$2/web_log" &
}
