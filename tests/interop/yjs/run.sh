#!/usr/bin/env bash
# Exchanges updates with npm's yjs.
#   run.sh FOLDER YJS_PEER
# FOLDER is made; packages stay in the folder above for the next time. Exit code 77: skipped.
set -euo pipefail

here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
peer=$(realpath "$2")

test_name='interop_yjs'
# shellcheck source=tests/npm/npm.sh
source "$here/../../npm/npm.sh"
need_node
enter_node_folder "$here" "$folder"
node exchange.mjs "$peer"
