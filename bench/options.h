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

enum class Format { kTable, kMarkdown, kJson };

// A client of another implementation: how it is called in the tables, and what starts it.
struct PeerCommand {
  std::string name{};
  std::string command{};
};

struct Options {
  std::vector<std::string> shapes{};   // empty: all that are measured by messages
  std::vector<std::string> clients{};  // empty: all clients of this program
  std::vector<PeerCommand> peers{};
  size_t messages = 0;  // 0: the shape's default
  size_t bytes = 0;     // 0: the shape's default
  size_t streams = 1;
  size_t warm_up = 100;
  size_t repetitions = 11;
  size_t idle = 0;  // 0: messages are measured
  bool serve = false;
  size_t server_port = 0;  // 0: a server of its own
  std::string ca_file{};
  Format format = Format::kTable;
};

// The options, or the exit code if the program is done: after --help, or a usage error.
std::variant<Options, int> ParseOptions(int argc, char** argv);

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_OPTIONS_H_
