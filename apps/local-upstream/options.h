#ifndef CURSORWIRE_APPS_LOCAL_UPSTREAM_OPTIONS_H_
#define CURSORWIRE_APPS_LOCAL_UPSTREAM_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace local_upstream {

constexpr int kExitOk = 0;
constexpr int kExitViolations = 1;
constexpr int kExitUsage = 2;
constexpr int kExitUnavailable = 4;

struct Options {
  std::vector<std::string> scripts{};
  uint16_t port = 0;
  bool plaintext = false;
  std::string ca_file{};  // empty: a new file in the folder for temporary files
  std::chrono::milliseconds word_interval{20};
  size_t runs = 0;  // 0: runs until it is stopped
  bool check = false;
  std::string account_file{};  // empty: the usual account
};

// The options, or the exit code if the program is done: after --help, or a usage error.
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace local_upstream

#endif  // CURSORWIRE_APPS_LOCAL_UPSTREAM_OPTIONS_H_
