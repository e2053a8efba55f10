#!/usr/bin/env bash
# Checks what users of the libraries get, beyond the tests of the static build: each header alone;
# shared libraries, their exports and their installation; the source tree as a subfolder of another
# project; the Connect client alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tests/install/headers_test.sh "$PWD" "$PWD/build/headers" "${CXX:-c++}"
cmake --preset shared
cmake --build --preset shared
version=$(sed -nE 's/^project\(cursorwire VERSION ([0-9]+\.[0-9]+)\..*/\1/p' CMakeLists.txt)
tests/install/exports_test.sh include src "$version" build/shared/src/lib*.so
cmake -DBUILD="$PWD/build/shared" -DSOURCE="$PWD" -DWORK="$PWD/build/shared/installed" \
  -DCXX="${CXX:-c++}" -DFLAGS= -P tests/install/install_test.cmake
cmake -DSOURCE="$PWD" -DWORK="$PWD/build/subproject" -DCXX="${CXX:-c++}" -DFULL=ON \
  -P tests/install/subproject_test.cmake
cmake -DSOURCE="$PWD" -DWORK="$PWD/build/connect-only" -DCXX="${CXX:-c++}" \
  -P tests/install/connect_only_test.cmake
echo "packaging: headers, shared libraries and the build within another project are in order"
