#!/usr/bin/env bash
# Opens the page of cursor-gateway in Chromium, in front of scripts, and uses it as a user does.
#   run.sh FOLDER CURSOR_GATEWAY LOCAL_UPSTREAM
# FOLDER is made; pictures of the page are left in FOLDER/screenshots, and npm's packages stay in the
# folder above for the next time. CHROMIUM names another browser than the first one that is found. Exit code 77: skipped.
set -euo pipefail

source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
folder=$1
gateway_program=$(realpath "$2")
upstream_program=$(realpath "$3")

test_name='gateway page'
# shellcheck source=tests/npm/npm.sh
source "$source/../../../npm/npm.sh"

browser=${CHROMIUM:-}
for name in chromium chromium-browser google-chrome-stable google-chrome; do
  [ -n "$browser" ] || browser=$(command -v "$name" || true)
done
[ -n "$browser" ] || skip 'Chromium is not installed'
need_node
enter_node_folder "$source" "$folder"

exec node page.mjs "$browser" "$gateway_program" "$upstream_program" "$source/scripts.json"
