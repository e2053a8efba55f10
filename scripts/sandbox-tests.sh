#!/usr/bin/env bash
# Runs the tests of the sandbox as this user, where that is root as an ordinary one, too, and where user
# namespaces are forbidden; says how many ran, and why others did not. Needs build/dev.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Not below /tmp, which is another folder inside. Others must be able to read it.
scratch=$(mktemp -d /var/tmp/sandbox-tests.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
cp build/dev/tests/sandbox_test build/dev/tests/sandbox_escapes "$scratch"
export CURSORWIRE_ESCAPES=$scratch/sandbox_escapes

filter='*'
run_as() {
  local who=$1
  shift
  local log=$scratch/$who.log
  if ! "$@" "$scratch/sandbox_test" --gtest_brief=0 --gtest_filter="$filter" >"$log" 2>&1; then
    cat "$log"
    return 1
  fi
  local ran skipped
  ran=$(grep -c '^\[       OK \]' "$log" || true)
  skipped=$(grep -c '^\[  SKIPPED \] .*ms)$' "$log" || true)
  echo "sandbox tests as $who: $ran ran, $skipped were skipped"
  grep -A1 'Skipped$' "$log" | grep -v -e 'Skipped$' -e '^--$' | sort | uniq -c || true
}

mkdir -m 755 "$scratch/own"
TEST_TMPDIR=$scratch/own run_as "$(id -un)" env
if [ "$(id -u)" -eq 0 ]; then
  mkdir "$scratch/nobody"
  chown nobody "$scratch/nobody"
  TEST_TMPDIR=$scratch/nobody HOME=$scratch/nobody \
    run_as nobody setpriv --reuid=nobody --regid=nogroup --clear-groups env
fi

# What it sets holds for the namespace that it makes alone.
if unshare -Ur true 2>/dev/null; then
  mkdir "$scratch/forbidden"
  filter='-PrivateFolderTest.*:FakeBwrapTest.*' # which are about another root, and other reasons
  TEST_TMPDIR=$scratch/forbidden run_as "root-without-namespaces" unshare -Ur sh -c \
    'echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"' sh
fi
