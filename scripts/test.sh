#!/usr/bin/env bash
# Builds everything and runs all tests. Needs no Node, no account, and no network beyond packages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/install-deps.sh tests
cmake --preset dev
cmake --build --preset dev
ctest --preset dev -j "$(nproc)"
