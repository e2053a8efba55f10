#!/usr/bin/env bash
# Runs bench/compare.sh with few messages: each client is in its tables, or it is named as left out.
#   compare_test.sh BUILD_FOLDER
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(realpath "${BASH_SOURCE[0]}")")")")
table=$(COMPARE_INSTRUCTIONS=0 COMPARE_STARTS=1 COMPARE_IDLE=20 \
  "$root/bench/compare.sh" "$1" --messages 20 --repetitions 1 --warm-up 10)
for client in raw arena observer stream chat libcurl gRPC-C++ node-http2 connect-node; do
  if grep -q "^Left out: .*$client" <<<"$table"; then continue; fi
  for line in "| record | $client | 20 |" "| 64k | $client | 20 |"; do
    grep -qF "$line" <<<"$table" || { echo "$table"; echo "compare_test: no '$line'"; exit 1; }
  done
  grep -qE "^\| ${client//+/\\+} \| [0-9.]+ \|" <<<"$table" ||
    { echo "$table"; echo "compare_test: no start of $client"; exit 1; }
done
grep -qE '^\| idle \| chat \| 20 \|' <<<"$table" || { echo "$table"; echo 'compare_test: no idle calls'; exit 1; }
