#!/usr/bin/env bash
# Builds everything and runs all tests. Needs no account, and no network except for packages. If
# Node is installed, npm also downloads connect-node, so that tests can call a server of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh tests
cmake --preset dev
echo "Building the library, the programs and the tests. From nothing, that takes about ten minutes on"
echo "two cores; the steps done, the steps in all and the seconds so far stand in front of each line."
NINJA_STATUS='[%f/%t, %e s] ' cmake --build --preset dev
# Tests wait for timers and sockets more than they compute.
ctest --preset dev -j "$((2 * $(nproc)))"
