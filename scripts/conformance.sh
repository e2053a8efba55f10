#!/usr/bin/env bash
# Runs the client tests of the Connect conformance suite. Options are those of the runner, such as
# --filter and --verbose.
#   scripts/conformance.sh [RUNNER OPTIONS]
set -euo pipefail

usage() {
  cat <<'END'
usage: scripts/conformance.sh [RUNNER OPTIONS]

Builds conformance-client and runs it against a checkout of the conformance
runner beside the repository: all test cases of its default configuration, then
those for GET, its own suites and its strict checks. Every test case has to pass.

Without the runner, or without Node 20 or later, it says so and exits with 0.
The exit code is otherwise that of the runner: 0 if all passed.

  CONFORMANCE_RUNNER  folder of the runner (../shared/conformance)
  CONFORMANCE_BUILD   build folder, configured already; without it, the preset dev

Options, such as --filter GLOB and --verbose, are passed on to the runner.
END
}

if [ "${1:-}" = --help ]; then
  usage
  exit 0
fi

called_from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

skip() {
  echo "conformance: SKIPPED, nothing was tested: $1"
  exit 0
}

runner=${CONFORMANCE_RUNNER:-../shared/conformance}
case $runner in /*) ;; *) [ -z "${CONFORMANCE_RUNNER:-}" ] || runner=$called_from/$runner ;; esac
if [ ! -f "$runner/run-client-tests.mjs" ]; then
  # A folder that was requested by name must exist.
  [ -z "${CONFORMANCE_RUNNER:-}" ] || { echo "conformance: no runner in $runner" >&2; exit 1; }
  skip "no conformance runner in $runner"
fi
command -v node >/dev/null || skip 'Node is not installed'
node_version=$(node --version)
major=${node_version#v}
major=${major%%.*}
[ "$major" -ge 20 ] || skip "Node $node_version is older than 20"

build=build/dev
if [ -n "${CONFORMANCE_BUILD:-}" ]; then
  case $CONFORMANCE_BUILD in
    /*) build=$CONFORMANCE_BUILD ;;
    *) build=$called_from/$CONFORMANCE_BUILD ;;
  esac
elif [ ! -f build/dev/build.ninja ]; then
  cmake --preset dev
fi
cmake --build "$build" --target conformance-client

# Nothing is written to the runner's folder: it runs from a copy, which keeps its packages.
cache=build/conformance
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
(cd "$runner" && tar -c --exclude=./node_modules .) | tar -x -C "$copy"
mkdir -p "$cache"
if ! cmp -s "$copy/package-lock.json" "$cache/node_modules/.installed-lock.json"; then
  cp "$copy/package.json" "$copy/package-lock.json" "$cache/"
  (cd "$cache" && npm ci --omit=dev --no-audit --no-fund)
  cp "$copy/package-lock.json" "$cache/node_modules/.installed-lock.json"
fi
ln -s "$(realpath "$cache/node_modules")" "$copy/node_modules"

client=$(realpath "$build/bin/conformance-client")
failed=0
run() {
  echo "conformance: node run-client-tests.mjs $*"
  (cd "$called_from" && node "$copy/run-client-tests.mjs" "$@" -- "$client") || failed=1
}
run "$@"
run --connect-get --extra --strict "$@"
exit "$failed"
