#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <system_error>

#include "clients.h"
#include "shape.h"

namespace cursorwire::bench {
namespace {

constexpr char kFooter[] = R"(
Clients: raw is a bare loop over nghttp2 and OpenSSL that cuts envelopes, on a blocking socket;
stream is connect::Stream, stream-2 the same with IoThread::kChannelOnly (two threads); observer is connect::CallObserver.
Shapes: pingpong sends 64 bytes and waits for them; paced takes 64 bytes each millisecond; frame
takes a DATA frame for each 64 bytes, packed into TLS records of 16 KiB; record takes a TLS record
for each 64 bytes; 64k takes messages of 64 KiB.

The server is a process of its own. Clients take turns, so that what disturbs the machine disturbs
all of them: compare ratios within a run, not times of two. In parentheses: the median of the ratios
to raw in the same repetition. CPU is that of the client process, user and system.

Exit codes: 0 ok; 1 a call failed; 2 usage.
)";

constexpr size_t kMaxRepetitions = 100'000;

std::vector<std::string> ShapeNames() {
  std::vector<std::string> names;
  for (const Shape& shape : kShapes) names.emplace_back(shape.name);
  return names;
}

// Decimal only: CLI11 by itself reads 0100 as 64.
CLI::Option* AddCount(CLI::App& app, const std::string& name, size_t max, size_t& value,
                      const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    const char* end = text.data() + text.size();
    size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < 1 || number > max) {
      throw CLI::ValidationError(
          name, "must be a whole number from 1 to " + std::to_string(max) + ", not '" + text + "'");
    }
    value = number;
  };
  return app.add_option_function<std::string>(name, parse, description)->type_name("N");
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app("Measures what a message of a stream costs the client.", "stream-bench");
  app.footer(kFooter);
  app.add_option("--shape", options.shapes, "Shapes to measure (default: all)")
      ->check(CLI::IsMember(ShapeNames()));
  app.add_option("--client", options.clients, "Clients to measure (default: all)")
      ->check(CLI::IsMember(ClientNames()));
  AddCount(app, "--messages", kMaxMessages, options.messages,
           "Messages a call (default: by shape)");
  AddCount(app, "--repetitions", kMaxRepetitions, options.repetitions,
           "Calls of each kind (default 11)");
  app.add_flag("--json", options.json, "Print JSON instead of a table");
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    std::cerr << "stream-bench: error: " << error.what() << " (see stream-bench --help)\n";
    return kExitUsage;
  }
  return options;
}

}  // namespace cursorwire::bench
