#!/usr/bin/env bash
# Compiles each public header alone, then all of them against an Abseil whose string_view, optional
# and the like are the standard library's, as other systems build it.
# opentelemetry-cpp is the double of the tests.
# Usage: headers_test.sh SOURCE_DIR SCRATCH_DIR COMPILER
set -euo pipefail

source=$1
scratch=$2
cxx=$3
check=("$cxx" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  -I "$source/include" -isystem "$source/tests/otel/api_double")

mapfile -t headers < <(cd "$source/include" && find cursorwire -name '*.h' | sort)
[ "${#headers[@]}" -ge 30 ]
rm -rf "$scratch"
mkdir -p "$scratch/alone" "$scratch/include"
for header in "${headers[@]}"; do
  echo "#include <$header>" | tee -a "$scratch/all.cc" >"$scratch/alone/${header//\//_}.cc"
done
printf '%s\0' "$scratch"/alone/*.cc | xargs -0 -n 4 -P "$(nproc)" "${check[@]}"

options=$(echo '#include <absl/base/options.h>' | "$cxx" -std=c++20 -E -x c++ - |
  sed -nE 's/^# 1 "(.*absl\/base\/options\.h)".*/\1/p' | head -n 1)
cp -r "${options%/base/options.h}" "$scratch/include/"
sed -i -E 's/^(#define ABSL_OPTION_USE_STD_(ANY|OPTIONAL|STRING_VIEW|VARIANT)) [02]/\1 1/' \
  "$scratch/include/absl/base/options.h"
cat >>"$scratch/all.cc" <<'END'
#include <absl/strings/string_view.h>
#include <absl/types/optional.h>
#include <type_traits>
static_assert(std::is_same_v<absl::string_view, std::string_view>);
static_assert(std::is_same_v<absl::optional<int>, std::optional<int>>);
END
"${check[@]}" -isystem "$scratch/include" -I "$source/src" \
  "$scratch/all.cc" "$source/src/base/strings.cc"
