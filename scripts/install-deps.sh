#!/usr/bin/env bash
# Installs what the build needs, on Debian 12 or later, and only what is missing.
# Does nothing, and needs no rights, when everything is there.
set -euo pipefail

packages=(
  ca-certificates # a minimal system trusts no certificates
  g++ cmake ninja-build
  libnghttp2-dev libssl-dev libabsl-dev libre2-dev zlib1g-dev pkg-config
  libprotobuf-dev protobuf-compiler
  libcli11-dev nlohmann-json3-dev libsqlite3-dev libcurl4-openssl-dev libmd4c-dev libutf8proc-dev libedit-dev
  libcbor-dev
  libseccomp-dev # for the sandbox of commands
  libboost-dev # headers alone, for cursor-gateway
  libpq-dev    # PostgreSQL's client library, for its --state
)
# Tests need more; "all" adds the tools that check the main branch.
tests=(libgtest-dev libgmock-dev tmux bubblewrap)
guards=(clang libclang-rt-dev clang-format clang-tidy ccache
  libbenchmark-dev # for core_bench, which is not built without it
  tinyproxy-bin microsocks # for the tests of proxies, which are skipped without them
  postgresql) # for the tests of the gateway's state, which are skipped without it

case "${1:-build}" in
  build) ;;
  tests) packages+=("${tests[@]}") ;;
  all) packages+=("${tests[@]}" "${guards[@]}") ;;
  *)
    echo "usage: $0 [build|tests|all]" >&2
    exit 2
    ;;
esac

installed() {
  dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "install-deps: this is no Debian system; install by hand: ${missing[*]}" >&2
  exit 1
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "install-deps: run as root, or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  run=(sudo)
fi
echo "install-deps: installing ${missing[*]}"
"${run[@]}" apt-get update -q
"${run[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends "${missing[@]}"
