// conformance-client: a client under test for the Connect conformance suite. Reads requests from
// standard input, makes the calls, and writes what came of them to standard output.

#include <iostream>
#include <list>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "compat_call.h"
#include "compat_stream.h"

namespace {

namespace pb = ::connectrpc::conformance::v1;
using cursorwire::conformance::MakeCall;
using cursorwire::conformance::MessageWriter;
using cursorwire::conformance::ReadMessage;

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    std::cerr << "usage: conformance-client < requests > responses\n"
                 "Started by the runner of the Connect conformance suite; scripts/conformance.sh "
                 "does that.\n";
    return 2;
  }
  MessageWriter writer(std::cout);
  std::list<std::jthread> calls;  // joined at the end; the runner bounds how many go on at a time
  while (const std::optional<std::string> bytes = ReadMessage(std::cin)) {
    pb::ClientCompatRequest request;
    if (!request.ParseFromString(*bytes)) {
      std::cerr << "conformance-client: a request does not decode\n";
      return 1;
    }
    calls.emplace_back(
        [&writer, request = std::move(request)] { writer.Write(MakeCall(request)); });
  }
  calls.clear();
  return std::cout.good() ? 0 : 1;
}
