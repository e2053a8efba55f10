#!/usr/bin/env bash
# Runs stream-bench as its users do: with a server of another process, with a client of another
# implementation, for calls that wait, and with options that are wrong.
#   stream_bench_test.sh STREAM_BENCH
set -euo pipefail
bench=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  echo "stream_bench_test: $1" >&2
  exit 1
}
expect() { # TEXT FILE
  grep -qF -- "$1" "$2" || { cat "$2"; fail "no '$1'"; }
}

# A peer that has measured what it was asked for.
cat >peer.sh <<'PEER'
[ -s "$2" ] || exit 1
while read -r shape messages bytes; do
  if [ "$shape" = record ]; then echo unsupported; else echo "$messages $bytes 0 0"; fi
done
PEER
"$bench" --client raw --peer 'fake=sh peer.sh' --shape frame --shape record --messages 7 \
  --bytes 99 --repetitions 1 --warm-up 1 --format json >peer.json
expect '"cpu_us": 7.0' peer.json
expect '"wall_us": 99.0' peer.json
[ "$(grep -c '"client": "fake"' peer.json)" = 1 ] || fail "a shape that the peer cannot do is shown"
if "$bench" --client raw --peer 'gone=false' --shape frame --messages 1 2>peer.err; then
  fail "a peer that ends is no failure"
fi
expect 'peer gone has ended' peer.err

# Exactly one call for each client, at a server that serves until its input ends.
mkfifo input output
"$bench" --serve --ca-file ca.pem <input >output &
server=$!
exec 3>input
read -r line <output
port=${line##*:}
"$bench" --server "$port" --ca-file ca.pem --messages 20 --warm-up 0 --repetitions 1 \
  --format markdown >all.md
for client in raw arena stream stream-2 observer chat; do
  expect "| 64k | $client | 20 |" all.md
done
"$bench" --server "$port" --ca-file ca.pem --shape frame --streams 30 --messages 5 \
  --repetitions 1 >streams.txt
"$bench" --server "$port" --ca-file ca.pem --idle 30 >idle.txt
expect 'KiB a stream' idle.txt
exec 3>&-
wait "$server" || fail "the server failed"

code=0
"$bench" --streams 1001 2>usage.err || code=$?
[ "$code" = 2 ] || fail "exit code $code for a wrong option"
expect 'from 1 to 1000' usage.err
