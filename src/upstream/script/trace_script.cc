#include "cursorwire/script.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "upstream/script/traced_end.h"
#include "upstream/script/traced_message.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using std::chrono::microseconds;
using upstream::AskId;

constexpr std::string_view kTracedPath = "/agent.v1.AgentService/Run";
// An answer that took longer, such as a user's, may take any time when the script is played.
constexpr std::chrono::seconds kQuickAnswer{10};

// Makes the script of one call.
class CallScript {
 public:
  explicit CallScript(const TraceCall& call) : call_(call) {
    script_.Name(absl::StrCat("call ", call.number));
  }

  absl::StatusOr<Script> Write() {
    FindPlaces();
    upstream::AddHeadSteps(call_, script_);
    for (size_t i = 0; i < call_.messages.size(); ++i) {
      const TraceMessage& message = call_.messages[i];
      if (message.from == TraceSide::kClient) {
        OnClient(message);
        continue;
      }
      if (message.is_cut) {
        return LocalError(absl::StatusCode::kFailedPrecondition,
                          absl::StrCat("call ", call_.number, " has a message of ", message.size,
                                       " bytes, and the trace the first ", message.bytes.size(),
                                       ": record it with a larger max_message_bytes"));
      }
      AwaitAnswered();
      OnServer(i, message);
    }
    AwaitAnswered();
    upstream::AddEndSteps(call_, script_);
    return script_;
  }

 private:
  void OnClient(const TraceMessage& traced) {
    const std::optional<pb::AgentClientMessage> message = Parse<pb::AgentClientMessage>(traced);
    if (!message) return;
    if (message->has_run_request()) {
      root_prompts_ = upstream::RootPromptsOf(message->run_request());
    }
    if (message->conversation_action().has_cancel_action()) script_.ExpectCancel();
    const std::optional<AskId> answered = upstream::AnsweredBy(*message);
    if (answered && open_.erase(*answered) > 0 && open_.empty()) must_await_ = true;
  }

  void OnServer(size_t place, const TraceMessage& traced) {
    const std::optional<pb::AgentServerMessage> message = Parse<pb::AgentServerMessage>(traced);
    if (!message) return Add(upstream::StepOfBytes(traced.bytes));
    Add(upstream::StepOf(*message, root_prompts_));
    const std::optional<AskId> asked = upstream::AskedBy(*message);
    if (!asked) return;
    const std::optional<size_t> answer = FindAnswer(place, *asked);
    if (answer && call_.messages[*answer].at - traced.at > kQuickAnswer) {
      script_.Within(std::chrono::milliseconds(0));
    }
    if (answer && WasAwaited(place, *answer)) return;
    script_.NoAwait();
    open_.insert(*asked);
  }

  // Finds where the service spoke, and where the client completed its answers.
  void FindPlaces() {
    for (size_t i = 0; i < call_.messages.size(); ++i) {
      if (call_.messages[i].from == TraceSide::kServer) {
        of_server_.push_back(i);
      } else if (const auto message = Parse<pb::AgentClientMessage>(call_.messages[i])) {
        const std::optional<AskId> answered = upstream::AnsweredBy(*message);
        if (answered) answers_[*answered].push_back(i);
      }
    }
  }

  // The place of the message that completes the answer; nullopt: there is none.
  std::optional<size_t> FindAnswer(size_t place, const AskId& asked) const {
    const auto found = answers_.find(asked);
    if (found == answers_.end()) return std::nullopt;
    const auto answer = std::upper_bound(found->second.begin(), found->second.end(), place);
    if (answer == found->second.end()) return std::nullopt;
    return *answer;
  }

  // The service waited for the answer: it said nothing before it.
  bool WasAwaited(size_t place, size_t answer) const {
    const auto next = std::upper_bound(of_server_.begin(), of_server_.end(), place);
    return next == of_server_.end() || *next > answer;
  }

  // Here the service had all answers that it had not waited for.
  void AwaitAnswered() {
    if (std::exchange(must_await_, false)) script_.AwaitAll();
  }

  void Add(const Script& step) {
    for (const Script::Members& members : step.steps()) {
      script_.Step(members[0].first, members[0].second);
      for (size_t i = 1; i < members.size(); ++i) {
        script_.With(members[i].first, members[i].second);
      }
    }
  }

  template <typename Message>
  static std::optional<Message> Parse(const TraceMessage& traced) {
    const google::protobuf::LogSilencer silencer;
    Message message;
    if (traced.is_cut || !message.ParseFromString(traced.bytes)) return std::nullopt;
    return message;
  }

  const TraceCall& call_;
  Script script_;
  upstream::RootPrompts root_prompts_;
  std::map<AskId, std::vector<size_t>> answers_;  // places of the messages that complete them
  std::vector<size_t> of_server_;
  std::set<AskId> open_;  // asked without waiting, and not answered yet
  bool must_await_ = false;
};

absl::StatusOr<Script> ScriptOf(const TraceCall& call) {
  if (call.is_continued) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      absl::StrCat("call ", call.number, " began in an older file of the trace"));
  }
  return CallScript(call).Write();
}

}  // namespace

absl::StatusOr<TraceScripts> ScriptsOfTrace(const TraceContent& trace) {
  TraceScripts result;
  for (const TraceCall& call : trace.calls) {
    if (call.path != kTracedPath || call.kind != connect::CallKind::kStreaming) continue;
    const absl::StatusOr<Script> script = ScriptOf(call);
    if (!script.ok()) {
      result.omitted.emplace_back(script.status().message());
      continue;
    }
    result.scripts.push_back(*script);
    if (upstream::WasRefusedTwice(call)) result.scripts.push_back(*script);
  }
  if (!result.scripts.empty()) return result;
  return LocalError(absl::StatusCode::kNotFound, result.omitted.empty()
                                                     ? "the trace has no call of AgentService/Run"
                                                     : result.omitted.front());
}

}  // namespace cursorwire
