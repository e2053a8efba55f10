#!/usr/bin/env bash
# Builds cursor-chat and asks the built-in local upstream. Needs no account, and no network except
# for packages.
#   scripts/demo.sh [PROMPT]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

prompt=${*:-"What happens between my question and your answer?"}

scripts/install-deps.sh build
cmake --preset release >build-demo.log 2>&1 || { cat build-demo.log >&2; exit 1; }
rm -f build-demo.log
echo "Building cursor-chat and what it needs. The first time, that takes about three minutes on two"
echo "cores; the steps done, the steps in all and the seconds so far stand in front of each line."
NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset release --target cursor-chat

echo
echo "\$ cursor-chat --local \"$prompt\""
build/release/bin/cursor-chat --local "$prompt"
echo
