# For tests that run in Node, with packages of npm; sourced by them. `test_name` begins their messages.

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

# Copies a test into a folder, goes there, and installs its packages, which stay for the next time.
#   install_packages SOURCE FOLDER
install_packages() {
  mkdir -p "$2"
  find "$1" -maxdepth 1 \( -name 'package*.json' -o -name '*.mjs' \) -exec cp {} "$2/" \;
  cd "$2"
  cmp -s package-lock.json node_modules/.installed-lock.json && return
  npm ping --fetch-retries=0 --fetch-timeout=20000 >npm.log 2>&1 ||
    skip "npm's registry is not reached, and its packages are not in $2"
  npm ci --no-audit --no-fund >npm.log 2>&1 || { cat npm.log; exit 1; }
  cp package-lock.json node_modules/.installed-lock.json
}
