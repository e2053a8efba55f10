#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
  cat <<'END'
Compiles files alone, since builds compile several at a time and do not see a
missing #include.
  scripts/alone.sh          one file in sixteen, others after each commit, and
                            those of the last commits
  scripts/alone.sh --all    each file
END
}

parts=16
case "${1:-}" in
  "") ;;
  --all) parts=1 ;;
  -h | --help)
    usage
    exit
    ;;
  *)
    usage >&2
    exit 2
    ;;
esac

build=$PWD/build/alone
mkdir -p "$build"
if ! { cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=clang++ \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCURSORWIRE_UNITY=OFF -DCURSORWIRE_WERROR=ON \
  -DCURSORWIRE_CCACHE=OFF &&
  ninja -C "$build" -t targets all | sed -nE 's/^([^:]*\.h): CUSTOM_COMMAND$/\1/p' |
  xargs ninja -C "$build"; } >"$build/prepare.log" 2>&1; then
  cat "$build/prepare.log" >&2
  exit 1
fi

# One in $parts of our files, plus those that recent commits changed, if the history is available.
slice() {
  local part
  part=$((0x$(git rev-parse HEAD | head -c 7) % parts))
  git ls-files '*.cc' | awk -v parts="$parts" -v part="$part" 'NR % parts == part'
  git diff --name-only --diff-filter=d HEAD~5 -- '*.cc' 2>/dev/null | head -n 20 || true
}

# The command that compiles a file, without its output; nothing for a file that is in no target.
command_of() { # FILE
  sed -nE "s|^ *\"command\": \"(.*) -o [^ ]+ -c $PWD/$1\",?\$|\1|p" "$build/compile_commands.json" |
    head -n 1 | sed -E 's|\\(.)|\1|g'
}

check() { # FILE
  local command
  command=$(command_of "$1")
  [ -n "$command" ] || return 0
  (cd "$build" && eval "$command -fsyntax-only $OLDPWD/$1")
}
export build
export -f command_of check

mapfile -t files < <(slice | sort -u)
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc)" bash -euo pipefail -c 'check "$1"' check
echo "alone: ${#files[@]} files, each names what it uses"
