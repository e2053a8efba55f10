# For tests that run in Node, with packages of npm; sourced by them. `test_name` begins their messages.
# Packages are those of package.json beside this file, once for all tests.
npm_source=$(dirname "$(realpath "${BASH_SOURCE[0]}")")

skip() {
  echo "$test_name: SKIPPED, nothing was tested: $1"
  exit 77
}

# And these programs.
need_node() {
  local tool node_version major
  for tool in node npm "$@"; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  node_version=$(node --version)
  major=${node_version#v}
  [ "${major%%.*}" -ge 20 ] || skip "Node $node_version is older than 20"
}

# Installs them, or those of another package.json, below a folder, which is made, and where they stay for
# the next time.
#   install_packages FOLDER [FOLDER_OF_PACKAGE_JSON]
install_packages() {
  local source=${2:-$npm_source}
  mkdir -p "$1"
  exec 7>"$1/lock" # not for two at a time
  flock 7
  if ! cmp -s "$source/package-lock.json" "$1/node_modules/.installed-lock.json"; then
    cp "$source/package.json" "$source/package-lock.json" "$1/"
    (cd "$1" && npm ping --fetch-retries=0 --fetch-timeout=20000) >"$1/npm.log" 2>&1 ||
      skip "npm's registry is not reached, and its packages are not in $1"
    (cd "$1" && npm ci --no-audit --no-fund) >"$1/npm.log" 2>&1 || { cat "$1/npm.log"; exit 1; }
    cp "$source/package-lock.json" "$1/node_modules/.installed-lock.json"
  fi
  exec 7>&-
}

# Copies a test's files into a folder, goes there, and installs the packages into the folder above, which
# is the same for all tests. Node looks for packages there, too. Sets `modules`, where they are.
#   enter_node_folder SOURCE FOLDER
enter_node_folder() {
  mkdir -p "$2"
  find "$1" -maxdepth 1 -name '*.mjs' -exec cp {} "$2/" \;
  cd "$2"
  modules=$(realpath ..)/node_modules
  install_packages "$(realpath ..)"
}
