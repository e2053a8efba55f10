#!/usr/bin/env bash
# Runs the fuzzers of the preset `fuzz`, each for some seconds.
#   scripts/fuzz.sh [SECONDS] [NAME]
# New inputs stay in build/fuzz/corpus; a crash is written to build/fuzz/crashes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-60}
only=${2:-}
if [ ! -d build/fuzz/fuzz ]; then
  cmake --preset fuzz
  cmake --build --preset fuzz
fi
mkdir -p build/fuzz/crashes
found=0
for fuzzer in build/fuzz/fuzz/fuzz_*; do
  name=${fuzzer##*/fuzz_}
  [[ -x $fuzzer && -f $fuzzer && $name != *_corpus ]] || continue
  [[ -z $only || $name == "$only" ]] || continue
  found=1
  mkdir -p "build/fuzz/corpus/$name"
  echo "fuzz $name for $seconds s"
  "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="build/fuzz/crashes/$name-" \
    "build/fuzz/corpus/$name" "fuzz/corpus/$name" 2>&1 | tail -n 12
done
if [ "$found" -eq 0 ]; then
  echo "fuzz: no fuzzer${only:+ of the name $only}" >&2
  exit 1
fi
