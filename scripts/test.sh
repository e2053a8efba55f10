#!/usr/bin/env bash
# Builds everything and runs all tests. Needs no account, and no network beyond packages. Where Node is
# installed, npm fetches connect-node, too, to call a server of it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh tests
cmake --preset dev
cmake --build --preset dev
ctest --preset dev -j "$(nproc)"
