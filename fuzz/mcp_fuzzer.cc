// A session with a server that says anything, and a user who calls, cancels and waits.
//
// Input: steps, each a byte and what it takes. The byte modulo 6 is
//   0  a line of the server: a short string
//   1  bytes of the server: a short string, as they are
//   2  a call
//   3  a call is cancelled: a byte, its number among the calls
//   4  time passes: two bytes, in seconds
//   5  an answer to a request of ours: a byte, its id, and a short string, the result

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "mcp/call_result.h"
#include "mcp/resource_reader.h"
#include "mcp/session.h"
#include "mcp/tool_names.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using namespace cursorwire::mcp;
namespace jsonrpc = cursorwire::jsonrpc;

class Host {
 public:
  void Play(FuzzedInput& input) {
    while (!input.empty()) {
      Step(input);
      Look();
    }
    session_.OnClosed(absl::UnavailableError("the end"));
    Look();
    Check(failed_ && open_.empty());
  }

 private:
  void Step(FuzzedInput& input) {
    switch (input.TakeByte() % 6) {
      case 0:
        return session_.Receive(std::string(input.TakeShortString()) + "\n", now_);
      case 1:
        return session_.Receive(std::string(input.TakeShortString()), now_);
      case 2:
        return Call();
      case 3: {
        const size_t index = input.TakeByte();
        if (index >= calls_.size()) return;
        session_.CancelCall(calls_[index], "no");
        open_.erase(calls_[index]);
        return;
      }
      case 4:
        now_ += std::chrono::seconds(input.TakeUint16());
        return session_.OnDeadline(now_);
      default: {
        const std::string id = std::to_string(input.TakeByte());
        const std::string result(input.TakeShortString());
        return session_.Receive(
            "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":" + result + "}\n", now_);
      }
    }
  }

  void Call() {
    const absl::StatusOr<uint64_t> call = session_.CallTool("t", jsonrpc::Json::object(), now_);
    Check(!call.ok() || (ready_ && !failed_));
    if (!call.ok()) return;
    Check(open_.insert(*call).second);
    calls_.push_back(*call);
  }

  void Look() {
    while (auto event = session_.NextEvent()) {
      std::visit([this](auto& what) { Take(what); }, *event);
    }
    Check(session_.calls_under_way() == open_.size());
    Check(!failed_ || !session_.deadline());
    CheckOutput(session_.TakeOutput());
  }

  void Take(SessionReady& /*event*/) {
    Check(!ready_ && !failed_);
    ready_ = true;
    CheckTools();
  }
  void Take(ToolsChanged& /*event*/) {
    Check(ready_ && !failed_);
    CheckTools();
  }
  void Take(CallEnded& event) {
    Check(!failed_ && open_.erase(event.call) == 1);
    if (!event.result.ok()) return;
    Check(!ReadCallResult(*event.result).content.empty());
    CheckResources(*event.result);
  }
  void Take(SessionFailed& event) {
    Check(!failed_ && !event.status.ok());
    failed_ = true;
  }
  void Take(SessionNotice& event) {
    Check(cursorwire::IsUtf8(event.text) && event.text.find('\n') == std::string::npos);
  }

  // The same result as a page of resources, and as the contents of one.
  static void CheckResources(const jsonrpc::Json& result) {
    std::vector<cursorwire::McpResource> resources;
    if (AddResources(result, "s", resources).ok()) {
      Check(resources.size() <= kMaxResources);
      for (const auto& resource : resources) {
        Check(IsResourceUri(resource.uri) && cursorwire::IsUtf8(resource.description));
      }
    }
    const auto contents = ReadContents(result);
    if (!contents.ok()) return;
    Check(contents->content.size() <= size_t{5} * 1024 * 1024);
    Check(!contents->is_text || cursorwire::IsUtf8(contents->content));
  }

  void CheckTools() const {
    Check(session_.tools().size() <= kMaxServerTools);
    std::set<std::string> names;
    std::set<std::string> offered;
    for (const ServerTool& tool : session_.tools()) {
      Check(!tool.name.empty() && names.insert(tool.name).second);
      Check(ToolName("p", tool.name, offered).size() <= 58);
      Check(jsonrpc::ParseJsonText(tool.input_schema)->is_object());
      Check(tool.description.size() <= kMaxToolDescriptionBytes);
    }
  }

  static void CheckOutput(std::string_view output) {
    while (!output.empty()) {
      const size_t end = output.find('\n');
      Check(end != output.npos);
      const auto value = jsonrpc::ParseJsonText(output.substr(0, end));
      Check(value.ok());
      Check(std::holds_alternative<jsonrpc::Message>(jsonrpc::ReadMessage(*value)));
      output.remove_prefix(end + 1);
    }
  }

  cursorwire::connect::TimePoint now_ = cursorwire::connect::TimePoint() + std::chrono::hours(1);
  Session session_{{}, now_};
  bool ready_ = false;
  bool failed_ = false;
  std::vector<uint64_t> calls_;
  std::set<uint64_t> open_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  Host().Play(input);
  return 0;
}
