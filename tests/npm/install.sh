#!/usr/bin/env bash
# Installs the packages of npm that tests use, so that these find them there.
#   install.sh FOLDER
# FOLDER is made. Exit code 77: skipped.
set -euo pipefail

test_name='npm packages'
# shellcheck source=tests/npm/npm.sh
source "$(dirname "$(realpath "${BASH_SOURCE[0]}")")/npm.sh"
need_node
install_packages "$1"
