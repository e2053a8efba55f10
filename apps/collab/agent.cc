#include "agent.h"

#include <absl/strings/str_cat.h>
#include <cursorwire/chat_observer.h>
#include <cursorwire/client.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "answer_writer.h"
#include "base/strings.h"
#include "common/exit_code.h"
#include "common/read_file.h"
#include "common/usage_json.h"
#include "prompt_text.h"
#include "service.h"
#include "share.h"

namespace cursor_collab {
namespace {

using Clock = std::chrono::steady_clock;
using cursorwire::collab::SharedText;
using cursorwire::collab::TextEvent;

// How long a lost connection is waited for.
constexpr std::chrono::seconds kMaxLost{60};
// For the server to have all, once the answer is complete.
constexpr std::chrono::seconds kMaxSync{30};
// So that others see the last state of the cursor.
constexpr std::chrono::milliseconds kLastCursor{150};
// For how long events are taken at once: others may send faster than that, and the answer waits.
constexpr std::chrono::milliseconds kMaxTaking{20};
constexpr size_t kMaxPromptBytes = size_t{1} * 1024 * 1024;

// What the agent says, from the client's thread to the one that writes.
class Answer final : public cursorwire::ChatObserver {
 public:
  explicit Answer(SharedText& text) : text_(text) {}

  void OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold /*hold*/) override {
    const std::lock_guard lock(mutex_);
    if (const auto* delta = event.As<cursorwire::TextDelta>()) said_ += delta->text;
    if (const auto* ended = event.As<cursorwire::TurnEnded>()) usage_ = ended->usage;
  }
  void OnBatchEnd() override { text_.Wake(); }
  void OnEnd(absl::Status status) override {
    {
      const std::lock_guard lock(mutex_);
      end_ = std::move(status);
    }
    text_.Wake();
  }

  // What was said since the last call, and whether that is all.
  std::string Take(std::optional<absl::Status>& end) {
    const std::lock_guard lock(mutex_);
    end = end_;
    return std::exchange(said_, {});
  }
  std::optional<cursorwire::Usage> usage() {
    const std::lock_guard lock(mutex_);
    return usage_;
  }

 private:
  SharedText& text_;
  std::mutex mutex_;
  std::string said_;
  std::optional<cursorwire::Usage> usage_;
  std::optional<absl::Status> end_;
};

// A line that is not in the text: nobody can guess it.
std::string NewFence() {
  std::random_device random;
  return absl::StrCat("~~~ document ", absl::Hex(random(), absl::kZeroPad8),
                      absl::Hex(random(), absl::kZeroPad8));
}

size_t ByteOf(std::string_view text, uint32_t code_points) {
  size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((text[at] & 0xC0) != 0x80 && code_points-- == 0) break;
  }
  return at;
}

// One answer, written into the text.
class AgentRun {
 public:
  AgentRun(const Options& options, cursor_apps::Interrupt& interrupt, SharedText& text,
           Output& output)
      : options_(options), interrupt_(interrupt), text_(text), output_(output) {}

  absl::Status AwaitText();
  absl::Status Write(const cursorwire::Client& client, const std::string& prompt);
  absl::Status AwaitSync();

 private:
  cursorwire::ChatRequest RequestFor(const std::string& prompt, const AnswerWriter& writer) const;
  // Waits until then for what happens to the text, and takes it; or until something else is to be
  // done.
  absl::Status Follow(Clock::time_point until);
  absl::Status On(const TextEvent& event);
  absl::Status WritePending(AnswerWriter& writer);
  bool is_interrupted() const { return interrupt_.signal() != 0 || output_.reader_is_gone(); }

  const Options& options_;
  cursor_apps::Interrupt& interrupt_;
  SharedText& text_;
  Output& output_;
  std::optional<Clock::time_point> lost_;
  ServerTrouble trouble_;
};

absl::Status AgentRun::On(const TextEvent& event) {
  trouble_.Note(event);
  if (std::holds_alternative<cursorwire::collab::TextConnected>(event)) lost_.reset();
  if (std::holds_alternative<cursorwire::collab::TextDisconnected>(event)) {
    if (!lost_) lost_ = Clock::now();
    if (absl::Status status = trouble_.refused_login(); !status.ok()) return status;
  }
  if (std::holds_alternative<cursorwire::collab::TextUnavailable>(event)) {
    return trouble_.UnavailableError(options_, text_.is_connected());
  }
  if (const auto* failed = std::get_if<cursorwire::collab::TextFailed>(&event)) {
    if (failed->is_final) return failed->status;
    output_.ErrorLine(failed->status);
  }
  const auto* problem = std::get_if<cursorwire::collab::TextProblem>(&event);
  if (problem == nullptr) return absl::OkStatus();
  const bool is_refusal = ServerTrouble::IsRefusal(*problem);
  if (!is_refusal && absl::IsFailedPrecondition(problem->status)) return problem->status;
  if (is_refusal) {
    if (!trouble_.is_first_refused())
      return absl::OkStatus();  // others may send as many as they like
    output_.Warn(trouble_.refused_message());
  }
  output_.ErrorLine(problem->status);
  return absl::OkStatus();
}

absl::Status AgentRun::Follow(Clock::time_point until) {
  if (lost_) until = std::min(until, *lost_ + kMaxLost);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  std::optional<TextEvent> event = text_.Next(std::max(left, std::chrono::milliseconds(0)));
  const auto end = Clock::now() + kMaxTaking;
  while (event) {
    if (absl::Status status = On(*event); !status.ok()) return status;
    if (is_interrupted() || Clock::now() >= end) break;
    event = text_.TakeEvent();
  }
  if (is_interrupted()) return absl::CancelledError("interrupted");
  if (!lost_ || Clock::now() < *lost_ + kMaxLost) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("the server of documents was away for ", kMaxLost.count(), " s",
                   options_.storage.empty() ? "" : "; what was written is kept in --storage"));
}

absl::Status AgentRun::AwaitText() {
  while (!text_.is_opened()) {
    if (absl::Status status = Follow(Clock::now() + kLongWait); !status.ok()) return status;
  }
  // What else it has told, such as that there is no text in it.
  return Follow(Clock::now());
}

cursorwire::ChatRequest AgentRun::RequestFor(const std::string& prompt,
                                             const AnswerWriter& writer) const {
  const std::string& text = text_.text();
  const AnswerWriter::Range range = writer.range();
  const TextWindow window = WindowAround(text, ByteOf(text, range.begin), ByteOf(text, range.end));
  return {.prompt = PromptText(window, text_.document_url(), prompt, NewFence()),
          .model = options_.model,
          .system = SystemText(),
          .mode = cursorwire::AgentMode::kAsk};
}

absl::Status AgentRun::WritePending(AnswerWriter& writer) {
  const auto written = writer.Write(Clock::now());
  if (!written.ok()) return written.status();
  if (!*written) return absl::OkStatus();
  output_.Line(ordered_json{
      {"type", "inserted"}, {"position", (*written)->position}, {"length", (*written)->length}});
  return absl::OkStatus();
}

absl::Status AgentRun::Write(const cursorwire::Client& client, const std::string& prompt) {
  AnswerWriter writer(text_, options_.place);
  output_.Line(ordered_json{{"type", "started"},
                            {"docId", text_.document_url()},
                            {"peerId", text_.peer_id()},
                            {"position", writer.range().begin}});
  const auto answer = std::make_shared<Answer>(text_);
  const cursorwire::ChatCall call = client.Chat(RequestFor(prompt, writer), answer);
  // The observer uses the text, which must not go before the last call of it.
  std::optional<absl::Status> end;
  absl::Status status;
  while (!end) {
    if (status.ok()) {
      status = Follow(
          std::min(Clock::now() + kLongWait, writer.deadline().value_or(Clock::time_point::max())));
      if (!status.ok()) call.Cancel();
    } else {
      text_.Next(kLongWait);
    }
    const std::string said = answer->Take(end);
    if (!status.ok() || (end && !end->ok())) continue;
    writer.Add(said);
    const auto due = writer.deadline();
    if (!end && (!due || Clock::now() < *due)) continue;
    status = WritePending(writer);
    if (!status.ok()) call.Cancel();
  }
  if (!status.ok()) return status;
  if (!end->ok()) return *end;
  writer.ShowEnd();
  if (absl::Status synced = AwaitSync(); !synced.ok()) return synced;
  ordered_json done = {{"type", "done"}, {"characters", writer.written()}};
  if (const auto usage = answer->usage()) done["usage"] = cursor_apps::UsageJson(*usage);
  output_.Line(done);
  return absl::OkStatus();
}

absl::Status AgentRun::AwaitSync() {
  const auto shown = Clock::now() + kLastCursor;
  auto end = Clock::now() + kMaxSync;
  while (Clock::now() < shown || !text_.is_synced()) {
    if (lost_) end = Clock::now() + kMaxSync;  // from when the connection is back
    if (Clock::now() >= end) {
      return absl::UnavailableError("the server of documents does not say that it has the text");
    }
    const auto until = Clock::now() < shown ? shown : end;
    if (absl::Status status = Follow(until); !status.ok()) return status;
  }
  return absl::OkStatus();
}

std::string NameOf(const Options& options) {
  if (!options.name.empty()) return options.name;
  return options.model == "default" ? "Cursor" : options.model;
}

absl::StatusOr<std::string> ReadPrompt(const Options& options) {
  if (options.prompt != "-") return options.prompt;
  auto prompt = cursor_apps::ReadDescriptor(STDIN_FILENO, "standard input", kMaxPromptBytes);
  if (!prompt.ok()) return prompt.status();
  if (!cursorwire::IsUtf8(*prompt)) {
    return absl::InvalidArgumentError("the prompt on standard input is not UTF-8");
  }
  return prompt;
}

}  // namespace

int RunAgent(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  const absl::StatusOr<std::string> prompt = ReadPrompt(options);
  if (!prompt.ok() || prompt->empty()) {
    output.Fail(prompt.ok() ? absl::InvalidArgumentError("the prompt is empty") : prompt.status());
    return cursor_apps::kExitUsage;
  }
  absl::StatusOr<std::unique_ptr<SharedText>> text = OpenText(options, "ai-", NameOf(options));
  if (!text.ok()) return output.Fail(text.status());
  const cursor_apps::Interrupt::Scope scope(interrupt, [&text, &output] {
    output.StopWaiting();
    (*text)->Wake();
  });
  absl::StatusOr<Service> service = ConnectService(options);
  if (!service.ok()) return output.Fail(service.status());
  AgentRun run(options, interrupt, **text, output);
  absl::Status status = run.AwaitText();
  if (status.ok()) status = run.Write(*service->client, *prompt);
  (*text)->Close();
  if (status.ok() || interrupt.signal() != 0 || output.reader_is_gone())
    return cursor_apps::kExitOk;
  return output.Fail(status);
}

}  // namespace cursor_collab
