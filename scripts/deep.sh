#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
What takes too long to guard each change: run it before a release, or overnight.
  scripts/deep.sh [SECONDS [ROUNDS]]
Compiles every file alone, tests included, so that a missing #include shows; runs
all tests with their sweeps whole instead of a slice of them, under the sanitizers
of clang and, those with threads, under ThreadSanitizer ROUNDS times (default 20);
makes calls of all kinds against a hostile server, from a new seed, for SECONDS
(default 600) under both; runs each fuzzer for SECONDS. About four hours on two cores.
Exit codes: 0 all in order; 1 a failure; 2 usage
END
}

case "${1:-}" in
  -h | --help)
    usage
    exit 0
    ;;
esac
seconds=${1:-600}
rounds=${2:-20}
if [[ ! $seconds =~ ^[1-9][0-9]*$ || ! $rounds =~ ^[1-9][0-9]*$ || $# -gt 2 ]]; then
  usage >&2
  exit 2
fi

whole_sweeps() { # PRESET CTEST-OPTION...
  cmake --preset "$1"
  cmake --build --preset "$1"
  CURSORWIRE_DEEP=1 ctest --preset "$1" -j "$(nproc)" "${@:2}"
}

stress() { # PRESET
  TSAN_OPTIONS=suppressions=$PWD/tests/tsan.supp "build/$1/tests/connect_stress" \
    --seconds "$seconds" --seed "$(date +%s)"
}

scripts/install-deps.sh all
scripts/alone.sh --all
whole_sweeps fuzz
whole_sweeps tsan --repeat "until-fail:$rounds"
stress fuzz
stress tsan
scripts/fuzz.sh "$seconds"
echo "deep: all in order"
