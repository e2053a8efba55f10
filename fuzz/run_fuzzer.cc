// Runs one turn of the agent against a server that sends anything, while its host and its user do
// everything that the interface has.
//
// Input: byte 0 holds options, see OptionsOf(); the rest is a list of steps: a byte for the action,
// see Harness::Do(), and what that action takes.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "agent/v1/run.pb.h"
#include "base/strings.h"
#include "cursorwire/run.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using agent::v1::AgentClientMessage;
using cursorwire::CancelCall;
using cursorwire::ChatEvent;
using cursorwire::Checkpoint;
using cursorwire::CloseSend;
using cursorwire::ExecOutput;
using cursorwire::ExecPolicy;
using cursorwire::ExecRequest;
using cursorwire::Run;
using cursorwire::RunOptions;
using cursorwire::RunOutput;
using cursorwire::SendMessage;
using cursorwire::TextDelta;
using cursorwire::ThinkingDelta;
using cursorwire::TurnEnded;
using cursorwire::connect::CallEnd;
using cursorwire::connect::MessageView;
using cursorwire::connect::TimePoint;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

constexpr size_t kMaxExecs = 256;
constexpr size_t kMaxAnswersOfAMessage = 3;  // two of an exec and its close

class SameId final : public cursorwire::IdSource {
 public:
  std::string Uuid() override { return "00000000-0000-4000-8000-000000000000"; }
};

// Of byte 0: bit 0 hands execs out, bit 1 has no heartbeats.
RunOptions OptionsOf(uint8_t byte) {
  return {.token = "secret",
          .heartbeat_interval = std::chrono::milliseconds((byte & 2) == 0 ? 5000 : 0),
          .execs = (byte & 1) == 0 ? ExecPolicy::kRefuse : ExecPolicy::kHandOut};
}

template <size_t... kIndexes>
ExecOutput EmptyOutput(size_t index, std::index_sequence<kIndexes...>) {
  ExecOutput output;
  ((index == kIndexes ? void(output.emplace<kIndexes>()) : void()), ...);
  return output;
}

// An output of the kind `index`, with some text where the kind has it.
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
  }
  return output;
}

class Harness {
 public:
  explicit Harness(uint8_t options)
      : execs_are_handed_out_((options & 1) != 0),
        run_({.prompt = "Hi", .system = "Be short."}, OptionsOf(options), ids_, now_) {
    Drain();
    Check(sent_ == 1);  // the request
  }

  void Do(FuzzedInput& input) {
    const uint8_t action = input.TakeByte();
    switch (action % 8) {
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
      default:
        return Drain();
    }
  }

  void End() {
    Drain();
    EndCall(0);
    Drain();
    Check(run_.finished() && run_.ended());
    Check(!run_.PollOutput() && !run_.PollEvent() && !run_.PollExec() && !run_.NextDeadline());
    Check(turn_ended_ || failed_ || ended_well_);
    for (const uint32_t id : seen_execs_) Check(!run_.exec_pending(id));
  }

 private:
  void Receive(std::string_view message) {
    ++received_;
    run_.On(MessageView{.bytes = message}, now_);
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
    ++heartbeats_;
    run_.OnDeadline(now_);
    const auto next = run_.NextDeadline();
    Check(!next || *next > now_);  // the host would never sleep
  }

  // Answers the oldest exec that was handed out, with an output of its kind or of another, or with
  // an error.
  void AnswerExec(FuzzedInput& input) {
    const uint8_t how = input.TakeByte();
    const std::string text = cursorwire::ToUtf8(input.TakeShortString());
    if (execs_.empty()) return run_.AnswerExec(how, OutputOf(how, text));
    const ExecRequest request = std::move(execs_.front());
    execs_.erase(execs_.begin());
    if (how % 4 == 0) {
      run_.AnswerExec(request.id, absl::Status(absl::StatusCode(how / 4 % 16 + 1), text));
    } else {
      run_.AnswerExec(request.id, OutputOf(how % 4 == 1 ? how : request.args.index(), text));
    }
    Check(!run_.exec_pending(request.id));
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
    while (const auto event = run_.PollEvent()) On(*event);
  }

  void On(const RunOutput& output) {
    Check(!call_canceled_);
    if (const auto* send = std::get_if<SendMessage>(&output)) {
      AgentClientMessage message;
      Check(!send_closed_ && message.ParseFromString(send->message));
      Check(message.message_case() != AgentClientMessage::MESSAGE_NOT_SET);
      Check(message.has_run_request() == (sent_ == 0));
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
      Check(!turn_ended_);  // whatever comes behind it, the turn was a success
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
  SameId ids_;
  TimePoint now_ = TimePoint() + std::chrono::hours(1);
  size_t received_ = 0;
  size_t heartbeats_ = 0;  // at most
  size_t sent_ = 0;
  std::vector<ExecRequest> execs_;  // handed out, not answered
  std::set<uint32_t> seen_execs_;
  bool send_closed_ = false;
  bool call_canceled_ = false;
  bool turn_ended_ = false;
  bool failed_ = false;
  bool ended_well_ = false;  // the call
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
