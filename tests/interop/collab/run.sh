#!/usr/bin/env bash
# Drives cursor-collab beside npm's automerge-repo.
#   run.sh FOLDER CURSOR_COLLAB LOCAL_UPSTREAM PART...
# FOLDER is made; packages stay in the folder above for the next time. PART is the name of a file here,
# without its end. Exit code 77: skipped.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
collab=$(realpath "$2")
upstream=$(realpath "$3")
shift 3

test_name='interop_collab'
# shellcheck source=tests/npm/npm.sh
source "$here/../../npm/npm.sh"
need_node openssl
enter_node_folder "$here" "$folder"
for part in "$@"; do
  # A signal that the shell ignores would be ignored by the program, too.
  env --default-signal=INT,QUIT node "$part.mjs" "$collab" "$upstream"
done
