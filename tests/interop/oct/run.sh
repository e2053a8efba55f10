#!/usr/bin/env bash
# Drives cursor-collab oct in rooms whose host is made of the npm packages of the Open Collaboration Tools.
#   run.sh FOLDER CURSOR_COLLAB LOCAL_UPSTREAM PART...
# FOLDER is made; packages stay in the folder above for the next time. PART is the name of a file here,
# without its end: oct or session. Exit code 77: skipped.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
collab=$(realpath "$2")
upstream=$(realpath "$3")
shift 3

test_name='interop_oct'
# shellcheck source=tests/npm/npm.sh
source "$here/../../npm/npm.sh"
need_node openssl
enter_node_folder "$here" "$folder"
# Programs that write lines, and what is left of a test.
cp "$here/../collab/peers.mjs" .
for part in "$@"; do
  # A signal that the shell ignores would be ignored by the program, too.
  env --default-signal=INT,QUIT node "$part.mjs" "$collab" "$upstream"
done
