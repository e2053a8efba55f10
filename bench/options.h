#ifndef CURSORWIRE_BENCH_OPTIONS_H_
#define CURSORWIRE_BENCH_OPTIONS_H_

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace cursorwire::bench {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

struct Options {
  std::vector<std::string> shapes{};   // empty: all shapes
  std::vector<std::string> clients{};  // empty: all clients
  size_t messages = 0;                 // 0: the shape's default
  size_t repetitions = 11;
  bool json = false;
};

// The options, or the exit code if the program is done: after --help, or a usage error.
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_OPTIONS_H_
