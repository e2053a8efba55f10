// Runs one turn of the agent against a server that sends anything. Its host and its user call every
// function of the interface.
//
// Input: byte 0 holds options, see OptionsOf(); the rest is a list of steps: a byte for the action,
// see Harness::Do(), followed by what that action takes.

#include <google/protobuf/stubs/logging.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/exec/answered_execs.h"
#include "agent/v1/run.pb.h"
#include "base/strings.h"
#include "cursorwire/run.h"
#include "cursorwire/tools.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using agent::v1::AgentClientMessage;
using agent::v1::AgentServerMessage;
using agent::v1::ExecServerMessage;
using cursorwire::CancelCall;
using cursorwire::ChatEvent;
using cursorwire::Checkpoint;
using cursorwire::CloseSend;
using cursorwire::ExecOutput;
using cursorwire::ExecRequest;
using cursorwire::QueryOutput;
using cursorwire::QueryRequest;
using cursorwire::Run;
using cursorwire::RunOptions;
using cursorwire::RunOutput;
using cursorwire::SendMessage;
using cursorwire::TextDelta;
using cursorwire::ThinkingDelta;
using cursorwire::ToolCall;
using cursorwire::ToolRegistry;
using cursorwire::ToolResult;
using cursorwire::TurnEnded;
using cursorwire::agent::AnsweredExecs;
using cursorwire::connect::CallEnd;
using cursorwire::connect::MessageView;
using cursorwire::connect::TimePoint;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

constexpr size_t kMaxExecs = 256;
constexpr size_t kMaxQueries = 64;
// The start of a stream, two held-back pieces, two for the rest, the stream's end, and the close.
constexpr size_t kMaxAnswersOfAMessage = 7;

class SameId final : public cursorwire::IdSource {
 public:
  std::string Uuid() override { return "00000000-0000-4000-8000-000000000000"; }
};

// Byte 0: bit 0 hands execs out, bit 1 turns heartbeats off, bit 2 hands questions out, bit 3 turns
// the watchdog off.
RunOptions OptionsOf(uint8_t byte) {
  RunOptions options{.token = "secret"};
  options.hand_out_execs = (byte & 1) != 0;
  if ((byte & 2) != 0) options.heartbeat_interval = options.exec_heartbeat_interval = {};
  options.hand_out_queries = (byte & 4) != 0;
  if ((byte & 8) != 0) options.watchdog = {{}, {}, {}};
  return options;
}

// Two tools; the model's name for one of them looks like the other's name.
const ToolRegistry& Tools() {
  static const ToolRegistry tools = [] {
    const auto answer = [](const ToolCall&) { return ToolResult::Text(""); };
    ToolRegistry two;
    two.Add({.name = "a"}, answer).Add({.name = "mcp_cursorwire_a"}, answer);
    return two;
  }();
  return tools;
}

// Byte 0: bit 4 offers tools, bit 5 keeps tags in the text.
cursorwire::ChatRequest RequestOf(uint8_t byte) {
  cursorwire::ChatRequest request{.prompt = "Hi", .system = "Be short."};
  if ((byte & 16) != 0) request.tools = Tools();
  if ((byte & 32) != 0) request.think_tags = cursorwire::ThinkTags::kKeep;
  return request;
}

template <size_t... kIndexes>
ExecOutput EmptyOutput(size_t index, std::index_sequence<kIndexes...>) {
  ExecOutput output;
  ((index == kIndexes ? void(output.emplace<kIndexes>()) : void()), ...);
  return output;
}

// An output of the kind `index`, with `text` in it if the kind has text.
ExecOutput OutputOf(size_t index, const std::string& text) {
  constexpr size_t kKinds = std::variant_size_v<ExecOutput>;
  ExecOutput output = EmptyOutput(index % kKinds, std::make_index_sequence<kKinds>());
  if (auto* read = std::get_if<cursorwire::ReadOutput>(&output)) {
    read->content = text;
  } else if (auto* grep = std::get_if<cursorwire::GrepOutput>(&output)) {
    grep->files.push_back({.path = text, .lines = {{.number = 1, .text = text}}, .count = 1});
  } else if (auto* ls = std::get_if<cursorwire::LsOutput>(&output)) {
    ls->root.folders.push_back({.path = text, .files = {text}, .listed = true});
  } else if (auto* shell = std::get_if<cursorwire::ShellOutput>(&output)) {
    shell->out = text;
    shell->signal = text;
  } else if (auto* result = std::get_if<ToolResult>(&output)) {
    result->content = {text, cursorwire::ToolImage{.bytes = text}};
  }
  return output;
}

QueryOutput AnswerOf(size_t index, const std::string& text) {
  switch (index % 4) {
    case 0:
      return cursorwire::QueryApproved{};
    case 1:
      return cursorwire::QuestionAnswers{.answers = {{.question_id = text, .text = text}}};
    case 2:
      return cursorwire::PlanAccepted{.plan_uri = text};
    default:
      return cursorwire::PullRequestDone{.url = text, .message = text};
  }
}

// How often an id was asked, answered, and aborted by the server.
struct Tally {
  size_t asked = 0;
  size_t answered = 0;
  size_t aborted = 0;
};

class Harness {
 public:
  explicit Harness(uint8_t options)
      : execs_are_handed_out_((options & (1 | 16)) != 0),
        queries_are_handed_out_((options & 4) != 0),
        run_(RequestOf(options), OptionsOf(options), ids_, now_) {
    Drain();
    Check(sent_ == 1);  // the request
  }

  void Do(FuzzedInput& input) {
    const uint8_t action = input.TakeByte();
    switch (action % 10) {
      case 0:
        return Receive(input.Take(input.TakeUint16()));
      case 1:
        return Receive(input.TakeShortString());
      case 2:
        return AnswerExec(input);
      case 3:
        return run_.Cancel(now_);
      case 4:
        return Advance(std::chrono::milliseconds(size_t{1} << (input.TakeByte() % 16)));
      case 5:
        return EndCall(input.TakeByte());
      case 6:
        return PollOutputs(input.TakeByte());
      case 7:
        return AnswerQuery(input);
      case 8:
        return AddOutput(input);
      default:
        return Drain();
    }
  }

  void End() {
    Drain();
    CheckAllAnswered();
    EndCall(0);
    Drain();
    Check(run_.finished() && run_.ended());
    Check(!run_.PollOutput() && !run_.PollEvent() && !run_.PollExec() && !run_.PollQuery());
    Check(!run_.NextDeadline());
    Check(turn_ended_ || failed_ || ended_well_);
    for (const uint32_t id : seen_execs_) Check(!run_.exec_pending(id));
    for (const auto& [id, tally] : queries_tally_) Check(!run_.query_pending(id));
  }

 private:
  void Receive(std::string_view message) {
    ++received_;
    if (!run_.ended()) Count(message);
    run_.On(MessageView{.bytes = message}, now_);
  }

  // Counts what the server asks for with this message.
  void Count(std::string_view bytes) {
    const google::protobuf::LogSilencer silencer;
    AgentServerMessage message;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return;
    if (message.has_exec_server_message()) CountExec(message.exec_server_message());
    if (message.exec_server_control_message().has_abort()) {
      ++execs_tally_[message.exec_server_control_message().abort().id()].aborted;
    }
    const uint32_t query = message.interaction_query().id();
    if (message.has_interaction_query() && !run_.query_pending(query)) {
      ++queries_tally_[query].asked;
    }
    if (message.has_kv_server_message()) ++blobs_tally_[message.kv_server_message().id()].asked;
  }

  // An exec that is sent again counts as the same one.
  void CountExec(const ExecServerMessage& exec) {
    const size_t fingerprint = AnsweredExecs::FingerprintOf(exec);
    if (run_.exec_pending(exec.id()) || answered_.contains(exec.id(), fingerprint)) return;
    ++execs_tally_[exec.id()].asked;
    fingerprints_[exec.id()] = fingerprint;
  }

  void Count(const AgentClientMessage& message) {
    if (message.exec_client_control_message().has_stream_close()) {
      ++execs_tally_[message.exec_client_control_message().stream_close().id()].answered;
    }
    if (message.has_interaction_response()) {
      ++queries_tally_[message.interaction_response().id()].answered;
    }
    if (message.has_kv_client_message()) ++blobs_tally_[message.kv_client_message().id()].answered;
  }

  // Each question must have one answer, be waiting at the host, or be aborted.
  void CheckAllAnswered() {
    const bool going_on = !run_.ended() && !send_closed_;
    for (const auto& [id, tally] : execs_tally_) {
      Check(tally.answered <= tally.asked);
      const size_t waiting = run_.exec_pending(id) ? 1 : 0;
      if (going_on) Check(tally.answered + tally.aborted + waiting >= tally.asked);
    }
    for (const auto& [id, tally] : queries_tally_) {
      Check(tally.answered <= tally.asked);
      const size_t waiting = run_.query_pending(id) ? 1 : 0;
      if (going_on) Check(tally.answered + waiting == tally.asked);
    }
    for (const auto& [id, tally] : blobs_tally_) {
      Check(tally.answered <= tally.asked);
      if (going_on) Check(tally.answered == tally.asked);
    }
  }

  void EndCall(uint8_t code) {
    const auto status =
        code == 0 ? absl::OkStatus() : absl::Status(absl::StatusCode(code % 17), "ended");
    ended_well_ = ended_well_ || status.ok();
    run_.On(CallEnd{.status = status}, now_);
    Check(run_.ended());
  }

  void Advance(std::chrono::milliseconds time) {
    now_ += time;
    heartbeats_ += 1 + kMaxExecs;
    run_.OnDeadline(now_);
    const auto next = run_.NextDeadline();
    Check(!next || *next > now_);  // or the host would never sleep
  }

  void NoteAnswered(uint32_t exec_id) {
    if (run_.exec_pending(exec_id)) answered_.Add(exec_id, fingerprints_[exec_id]);
  }

  // Answers the oldest exec that was handed out: with an output of its kind or of another kind, or
  // with an error.
  void AnswerExec(FuzzedInput& input) {
    const uint8_t how = input.TakeByte();
    const std::string text = cursorwire::ToUtf8(input.TakeShortString());
    if (execs_.empty()) {
      NoteAnswered(how);
      return run_.AnswerExec(how, OutputOf(how, text), now_);
    }
    const ExecRequest request = std::move(execs_.front());
    execs_.erase(execs_.begin());
    NoteAnswered(request.id);
    if (how % 4 == 0) {
      run_.AnswerExec(request.id, absl::Status(absl::StatusCode(how / 4 % 16 + 1), text), now_);
    } else {
      run_.AnswerExec(request.id, OutputOf(how % 4 == 1 ? how : request.args.index(), text), now_);
    }
    Check(!run_.exec_pending(request.id));
  }

  void AnswerQuery(FuzzedInput& input) {
    const uint8_t how = input.TakeByte();
    const std::string text = cursorwire::ToUtf8(input.TakeShortString());
    if (queries_.empty()) return run_.AnswerQuery(how, AnswerOf(how, text), now_);
    const QueryRequest request = std::move(queries_.front());
    queries_.erase(queries_.begin());
    if (how % 2 == 0) {
      run_.AnswerQuery(request.id, absl::Status(absl::StatusCode(how / 2 % 16 + 1), text), now_);
    } else {
      run_.AnswerQuery(request.id, AnswerOf(how / 2, text), now_);
    }
    Check(!run_.query_pending(request.id));
  }

  // Adds any bytes, for the oldest exec or for one that may not exist.
  void AddOutput(FuzzedInput& input) {
    const uint8_t how = input.TakeByte();
    const std::string text(input.TakeShortString());
    ++received_;
    run_.AddShellOutput(execs_.empty() ? how : execs_.front().id, how % 2 == 0 ? text : "",
                        how % 2 == 0 ? "" : text, now_);
  }

  void PollOutputs(size_t count) {
    while (count-- > 0) {
      const auto output = run_.PollOutput();
      if (!output) return;
      On(*output);
    }
  }

  void Drain() {
    while (const auto output = run_.PollOutput()) On(*output);
    while (auto exec = run_.PollExec()) {
      Check(execs_are_handed_out_ && run_.exec_pending(exec->id));
      seen_execs_.insert(exec->id);
      execs_.push_back(*std::move(exec));
    }
    std::erase_if(execs_, [this](const ExecRequest& exec) { return !run_.exec_pending(exec.id); });
    Check(execs_.size() <= kMaxExecs);
    while (auto query = run_.PollQuery()) {
      Check(queries_are_handed_out_ && run_.query_pending(query->id));
      queries_.push_back(*std::move(query));
    }
    std::erase_if(queries_,
                  [this](const QueryRequest& query) { return !run_.query_pending(query.id); });
    Check(queries_.size() <= kMaxQueries);
    while (const auto event = run_.PollEvent()) On(*event);
  }

  void On(const RunOutput& output) {
    Check(!call_canceled_);
    if (const auto* send = std::get_if<SendMessage>(&output)) {
      AgentClientMessage message;
      Check(!send_closed_ && message.ParseFromString(send->message));
      Check(message.message_case() != AgentClientMessage::MESSAGE_NOT_SET);
      Check(message.has_run_request() == (sent_ == 0));
      Count(message);
      Check(++sent_ <= 2 + heartbeats_ + kMaxAnswersOfAMessage * received_);
    } else if (std::holds_alternative<CloseSend>(output)) {
      Check(!std::exchange(send_closed_, true));
    } else {
      call_canceled_ = true;
    }
  }

  void On(const absl::StatusOr<ChatEvent>& event) {
    Check(!failed_);
    if (!event.ok()) {
      Check(!turn_ended_);  // whatever comes after it, the turn was a success
      failed_ = true;
    } else if (const auto* text = event->As<TextDelta>()) {
      Check(cursorwire::IsUtf8(text->text));
    } else if (const auto* thought = event->As<ThinkingDelta>()) {
      Check(cursorwire::IsUtf8(thought->text));
    } else if (event->As<TurnEnded>() != nullptr) {
      turn_ended_ = true;
    }
  }

  const bool execs_are_handed_out_;
  const bool queries_are_handed_out_;
  SameId ids_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  size_t received_ = 0;
  size_t heartbeats_ = 0;  // upper limit of what may be sent
  size_t sent_ = 0;
  std::vector<ExecRequest> execs_;  // handed out, but not answered yet
  std::set<uint32_t> seen_execs_;
  std::vector<QueryRequest> queries_;
  std::map<uint32_t, size_t> fingerprints_;  // of the last exec with that id
  AnsweredExecs answered_;
  std::map<uint32_t, Tally> execs_tally_;
  std::map<uint32_t, Tally> queries_tally_;
  std::map<uint32_t, Tally> blobs_tally_;
  bool send_closed_ = false;
  bool call_canceled_ = false;
  bool turn_ended_ = false;
  bool failed_ = false;
  bool ended_well_ = false;  // true if the call ended well
  Run run_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  Harness harness(input.TakeByte());
  while (!input.empty()) harness.Do(input);
  harness.End();
  return 0;
}
