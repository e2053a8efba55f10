// Gives the bytes of a peer to a Connection, whole and in pieces.
//
// Input: byte 0 chooses what becomes of bad lines (bit 0), of batches (bit 1), and whether each
// request is answered at once (bit 2); byte 1 is the number of requests of ours, at most 7; byte 2
// the size of the pieces (0 is 1); the rest is what the peer sends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "jsonrpc/connection.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using namespace cursorwire::jsonrpc;

constexpr size_t kLimit = 400;

struct Plan {
  ConnectionOptions options{};
  bool answers = false;
  uint64_t calls = 0;
};

// What a user of the connection sees.
struct Seen {
  std::vector<std::string> events;
  std::string output;

  friend bool operator==(const Seen&, const Seen&) = default;
};

class User {
 public:
  explicit User(const Plan& plan) : plan_(plan), connection_(plan.options) {
    for (uint64_t i = 0; i < plan.calls; ++i) Check(connection_.Call("call", {}).ok());
    connection_.TakeOutput();
  }

  void Receive(std::string_view bytes) {
    connection_.Receive(std::string(bytes));  // a temporary: no view of it must be kept
    while (auto event = connection_.Next()) {
      std::visit([this](auto& what) { Take(what); }, *event);
    }
    seen_.output += connection_.TakeOutput();
    Check(connection_.open_requests() + answered_.size() == plan_.calls);
    Check(connection_.open_peer_requests() == open_.size());
  }

  const Seen& seen() const { return seen_; }

 private:
  void Take(Request& request) {
    Check(open_.insert(request.id).second);
    Check(request.params.is_null() || request.params.is_structured());
    seen_.events.push_back("request " + WriteMessage(request));
    if (!plan_.answers) return;
    open_.erase(request.id);
    connection_.Respond(request.id, Json("fine"));
  }
  void Take(Notification& notification) {
    seen_.events.push_back("notification " + WriteMessage(notification));
  }
  void Take(Answer& answer) {
    Check(answer.request_id >= 1 && answer.request_id <= plan_.calls);
    Check(answered_.insert(answer.request_id).second);
    Check(answer.method == "call");
    seen_.events.push_back("answer " + std::to_string(answer.request_id));
  }
  void Take(Cancellation& cancellation) {
    Check(open_.contains(cancellation.request_id));
    seen_.events.push_back("cancel " + WriteJsonText(cancellation.request_id));
  }
  void Take(StrayError& stray) { seen_.events.push_back("stray " + stray.error.message); }
  void Take(StrayAnswer& stray) {
    seen_.events.push_back("stray answer " + WriteJsonText(stray.id));
  }
  void Take(Overlong& line) {
    Check(plan_.options.bad_lines == BadLines::kSkip);
    seen_.events.push_back("overlong " + line.reason);
  }
  void Take(Noise& noise) {
    Check(plan_.options.bad_lines == BadLines::kSkip);
    seen_.events.push_back("noise " + noise.line);
  }

  const Plan& plan_;
  Connection connection_;
  Seen seen_;
  std::set<Json> open_;
  std::set<uint64_t> answered_;
};

// Each line that goes out is a message.
void CheckOutput(std::string_view output) {
  while (!output.empty()) {
    const size_t end = output.find('\n');
    Check(end != output.npos);
    const std::string line(output.substr(0, end));
    Check(line.size() <= kLimit && cursorwire::IsUtf8(line));
    const auto value = ParseJsonText(line);
    Check(value.ok());
    const auto message = ReadMessage(*value);
    Check(std::holds_alternative<Message>(message));
    Check(WriteMessage(std::get<Message>(message)) == line);
    output.remove_prefix(end + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t choices = input.TakeByte();
  Plan plan;
  plan.options = {.bad_lines = (choices & 1) != 0 ? BadLines::kSkip : BadLines::kAnswer,
                  .batches = (choices & 2) != 0 ? Batches::kSplit : Batches::kRefuse,
                  .cancel_method = "cancel",
                  .max_line_bytes = kLimit,
                  .max_sent_line_bytes = kLimit,
                  .max_open_requests = 8};
  plan.answers = (choices & 4) != 0;
  plan.calls = input.TakeByte() % 8;
  const size_t piece = std::max<size_t>(1, input.TakeByte());
  std::string_view bytes = input.TakeRest();

  User whole(plan);
  whole.Receive(bytes);
  CheckOutput(whole.seen().output);
  User pieces(plan);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    pieces.Receive(bytes.substr(0, piece));
  }
  Check(pieces.seen() == whole.seen());
  return 0;
}
