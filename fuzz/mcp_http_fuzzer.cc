// The HTTP transport of the Model Context Protocol with a server that answers anything, in any
// order.
//
// Input: steps, each a byte and what it takes. The byte modulo 7 is
//   0  a call of the client's
//   1  the head of an answer: a byte, the exchange; a byte, the status; a byte, the type
//   2  a piece of its body: a byte, the exchange, and a short string
//   3  its end: a byte, the exchange; a byte, whether it is complete
//   4  time passes: two bytes, in seconds
//   5  a call is given up: a byte, its number
//   6  a line of the client's: a short string

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "mcp/http_dialog.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

namespace http = cursorwire::http;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using namespace cursorwire::mcp;
namespace jsonrpc = cursorwire::jsonrpc;

constexpr int kStatuses[] = {200, 202, 204, 307, 400, 401, 404, 405, 500, 0};
constexpr const char* kTypes[] = {"application/json", "text/event-stream", "text/plain", ""};

class Driver {
 public:
  Driver() {
    dialog_.Send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})"
                 "\n",
                 now_);
    Look();
  }

  void Play(FuzzedInput& input) {
    while (!input.empty()) {
      Step(input);
      Look();
    }
    dialog_.Close();
    Look();
    Check(open_.empty());
  }

 private:
  void Step(FuzzedInput& input) {
    switch (input.TakeByte() % 7) {
      case 0:
        return dialog_.Send(R"({"jsonrpc":"2.0","id":)" + std::to_string(++calls_) +
                                R"(,"method":"tools/call","params":{"name":"t"}})" + "\n",
                            now_);
      case 1: {
        http::Head head;
        const uint64_t id = Exchange(input);
        head.status = kStatuses[input.TakeByte() % std::size(kStatuses)];
        const uint8_t type = input.TakeByte();
        head.content_type = kTypes[type % std::size(kTypes)];
        if (type > 127) head.session_id = "session";
        return dialog_.OnEvent({id, head}, now_);
      }
      case 2: {
        const uint64_t id = Exchange(input);
        return dialog_.OnEvent({id, http::Body{std::string(input.TakeShortString())}}, now_);
      }
      case 3: {
        const uint64_t id = Exchange(input);
        const bool complete = input.TakeByte() % 2 == 0;
        dialog_.OnEvent({id, http::End{complete ? absl::OkStatus() : absl::UnknownError("cut")}},
                        now_);
        if (open_.erase(id) > 0) ended_.insert(id);
        return;
      }
      case 4: {
        const int seconds = input.TakeByte() * 256 + input.TakeByte();
        now_ += std::chrono::seconds(seconds);
        return dialog_.OnDeadline(now_);
      }
      case 5:
        return dialog_.Send(
            R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                std::to_string(input.TakeByte()) + "}}\n",
            now_);
      default:
        return dialog_.Send(std::string(input.TakeShortString()) + "\n", now_);
    }
  }

  // One that is open, if there is one.
  uint64_t Exchange(FuzzedInput& input) {
    const size_t index = input.TakeByte();
    if (open_.empty()) return index;
    return *std::next(open_.begin(), static_cast<std::ptrdiff_t>(index % open_.size()));
  }

  // Each exchange is begun once, and what is given up was begun. The client gets whole lines.
  void Look() {
    while (const auto id = dialog_.NextAbort()) Check(open_.erase(*id) + ended_.count(*id) == 1);
    while (const auto request = dialog_.NextRequest()) {
      Check(request->id > last_id_);
      last_id_ = request->id;
      Check(request->method == "POST" || request->method == "GET");
      Check((request->method == "POST") == !request->body.empty());
      for (const auto& [name, value] : request->headers) {
        for (const char c : value) Check(c >= 0x20 && c < 0x7F);
      }
      open_.insert(request->id);
    }
    const std::string output = dialog_.TakeOutput();
    Check(output.empty() || output.back() == '\n');
  }

  HttpDialog dialog_{http::Headers{{"X-Key", "k"}}};
  cursorwire::connect::TimePoint now_{};
  std::set<uint64_t> open_;
  std::set<uint64_t> ended_;
  uint64_t last_id_ = 0;
  int calls_ = 1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  Driver().Play(input);
  return 0;
}
