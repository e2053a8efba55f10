#!/usr/bin/env bash
# Makes the screens of docs/terminal.md anew: runs the test of the session, which notes them, and puts
# each after its mark `<!-- screen: NAME -->`. Needs tmux.
#   scripts/terminal-screens.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?the build folder}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

screens=$(mktemp -d)
trap 'rm -rf "$screens"' EXIT
SCREENS=$screens tests/apps/cursor-chat/terminal_session_test.sh \
  "$build/bin/cursor-chat" "$build/bin/local-upstream" "$build/tests/fake_mcp_server"

page=docs/terminal.md
awk -v screens="$screens" '
  function show(name,  file, line) {
    file = screens "/" name ".txt"
    print "\n```text"
    while ((getline line < file) > 0) print line
    close(file)
    print "```"
  }
  # The former screen is what stands between the mark and the end of its code.
  skipping && /^```$/ { skipping = 0; next }
  skipping { next }
  after_mark && /^$/ { held = 1; after_mark = 0; next }
  held && /^```text$/ { held = 0; skipping = 1; next }
  held { print ""; held = 0 }
  { print }
  /^<!-- screen: [a-z-]+ -->$/ { show($3); after_mark = 1 }
' "$page" >"$screens/page"
cp "$screens/page" "$page"
