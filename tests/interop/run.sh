#!/usr/bin/env bash
# Starts server.mjs with a new certificate and runs the interoperability tests against it.
#   run.sh FOLDER DESCRIPTORS INTEROP_TEST [CONNECT_UNARY]
# FOLDER is made; packages stay in the folder above for the next time. Options for the test program, such
# as a filter, may be given in GTEST_FILTER and the like. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
descriptors=$(realpath "$2")
tests=$(realpath "$3")
example=${4:+$(realpath "$4")}

test_name='interop'
# shellcheck source=tests/npm/npm.sh
source "$source/../npm/npm.sh"
need_node openssl
enter_node_folder "$source" "$folder"

scratch=$(mktemp -d)
server=
cleanup() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
  -subj '/CN=interop' -addext 'subjectAltName=IP:127.0.0.1' \
  -keyout "$scratch/key.pem" -out "$scratch/certificate.pem" 2>"$scratch/openssl.log" ||
  { cat "$scratch/openssl.log"; exit 1; }

mkfifo "$scratch/input" "$scratch/output"
node server.mjs "$descriptors" "$scratch/certificate.pem" "$scratch/key.pem" \
  <"$scratch/input" >"$scratch/output" &
server=$!
exec 3>"$scratch/input" 4<"$scratch/output" # the server ends when this script does
read -r _ h2c _ tls <&4 || { echo 'interop: the server did not start'; exit 1; }

export INTEROP_H2C_URL=http://127.0.0.1:$h2c INTEROP_TLS_URL=https://127.0.0.1:$tls
export INTEROP_CA=$scratch/certificate.pem
"$tests" 3>&- 4<&-

if [ -n "$example" ]; then
  said=$("$example" "$INTEROP_H2C_URL" 'Hello, server.' 3>&- 4<&-)
  [ "$said" = 'You said: Hello, server.' ] || { echo "connect_unary said: $said"; exit 1; }
fi

kill "$server" 2>/dev/null || { echo 'interop: the server is gone'; exit 1; }
wait "$server" || true
server=
