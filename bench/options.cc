#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <map>
#include <system_error>

#include "clients.h"
#include "shape.h"

namespace cursorwire::bench {
namespace {

constexpr char kFooter[] = R"(
Clients: raw is a bare loop over nghttp2 and OpenSSL that cuts envelopes, on a blocking socket;
arena is the same and parses each message with protobuf on an arena; stream is connect::Stream,
stream-2 the same with IoThread::kChannelOnly (two threads); observer is connect::CallObserver; chat
is Client::Chat, read with ChatStream. With --streams, calls run at the same time: stream and chat
read them in turns.
Shapes: pingpong sends 64 bytes and waits for them; paced takes 64 bytes each millisecond; frame
takes a DATA frame for each 64 bytes, packed into TLS records of 16 KiB; record takes a TLS record
for each 64 bytes; 64k takes messages of 64 KiB. All but the ping-pong are agent.v1.AgentServerMessage
with a piece of text; no turn is a ping-pong, so chat leaves it out.

The server is a process of its own. Clients take turns, so that what disturbs the machine disturbs
all of them: compare ratios within a run, not times of two. In parentheses: the median of the ratios
to raw in the same repetition. CPU is that of the client process, user and system.

To count instructions, let the server run outside of valgrind, make one call of exactly N messages,
and take the difference of two numbers of messages, in which start and end of the program cancel out:
  stream-bench --serve --ca-file ca.pem   # in another terminal; prints the port
  for n in 10000 20000; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null stream-bench --server PORT \
      --ca-file ca.pem --client chat --shape frame --messages $n --warm-up 0 --repetitions 1
  done   # instructions a message: the difference of both "Collected" / 10000
bench/compare.sh does so for all clients.

--peer 'NAME=COMMAND' measures another client beside ours; bench/peer_client.h says what it must do.
--idle K opens K calls for each client that wait for their next message, and measures the memory of
the process for each of them. The server allows 1,000 on a connection.

Exit codes: 0 ok; 1 a call failed; 2 usage.
)";

constexpr size_t kMaxRepetitions = 100'000;
constexpr size_t kMaxStreams = 1000;  // that the server allows
constexpr size_t kMaxIdle = 100'000;

std::vector<std::string> ShapeNames() {
  std::vector<std::string> names;
  for (const Shape& shape : kShapes) {
    if (shape.kind != ShapeKind::kIdle) names.emplace_back(shape.name);
  }
  return names;
}

struct Range {
  size_t min;
  size_t max;
};

// Decimal only: CLI11 by itself reads 0100 as 64.
CLI::Option* AddCount(CLI::App& app, const std::string& name, Range range, size_t& value,
                      const std::string& description) {
  const auto parse = [=, &value](const std::string& text) {
    const char* end = text.data() + text.size();
    size_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end || number < range.min || number > range.max) {
      throw CLI::ValidationError(name, "must be a whole number from " + std::to_string(range.min) +
                                           " to " + std::to_string(range.max) + ", not '" + text +
                                           "'");
    }
    value = number;
  };
  return app.add_option_function<std::string>(name, parse, description)->type_name("N");
}

void AddPeer(const std::string& text, std::vector<PeerCommand>& peers) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw CLI::ValidationError("--peer", "must be NAME=COMMAND, not '" + text + "'");
  }
  peers.push_back({.name = text.substr(0, equals), .command = text.substr(equals + 1)});
}

void AddServer(CLI::App& app, Options& options) {
  constexpr size_t kMaxPort = 65535;
  CLI::Option* ca_file =
      app.add_option(
             "--ca-file", options.ca_file,
             "The certificate authority of the server: --serve writes it, --server reads it")
          ->type_name("FILE");
  CLI::Option* serve = app.add_flag("--serve", options.serve,
                                    "Serve until the standard input ends, and measure nothing")
                           ->needs(ca_file);
  AddCount(app, "--server", {1, kMaxPort}, options.server_port,
           "Port of a --serve of another process (default: a server of its own)")
      ->needs(ca_file)
      ->excludes(serve);
}

void AddWork(CLI::App& app, Options& options) {
  AddCount(app, "--messages", {1, kMaxMessages}, options.messages,
           "Messages a call (default: by shape)");
  AddCount(app, "--bytes", {kMinMessageBytes, kMaxMessageBytes}, options.bytes,
           "Bytes a message (default: by shape)");
  AddCount(app, "--streams", {1, kMaxStreams}, options.streams,
           "Calls at a time on one connection (default 1)");
  AddCount(app, "--warm-up", {0, kMaxMessages}, options.warm_up,
           "Messages of a call before, which is not measured; 0: no such call (default 100)");
  AddCount(app, "--repetitions", {1, kMaxRepetitions}, options.repetitions,
           "Calls of each kind (default 11)");
  AddCount(app, "--idle", {1, kMaxIdle}, options.idle,
           "Measure the memory of so many calls that wait, instead of messages");
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
  app.add_option_function<std::vector<std::string>>(
         "--peer",
         [&options](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) AddPeer(text, options.peers);
         },
         "Another client to measure, NAME=COMMAND; may be repeated")
      ->type_name("TEXT");
  AddWork(app, options);
  AddServer(app, options);
  app.add_option("--format", options.format, "table, markdown or json (default table)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Format>{
          {"table", Format::kTable}, {"markdown", Format::kMarkdown}, {"json", Format::kJson}}))
      ->type_name("FORMAT");
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
