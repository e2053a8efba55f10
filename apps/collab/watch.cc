#include "watch.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "common/exit_code.h"
#include "share.h"

namespace cursor_collab {
namespace {

using cursorwire::collab::SharedText;
using cursorwire::collab::TextCursor;
using cursorwire::collab::TextEvent;

ordered_json CursorLine(const TextCursor& cursor) {
  ordered_json line = {{"type", "cursor"},      {"peerId", cursor.peer_id},
                       {"name", cursor.name},   {"cursorType", cursor.type},
                       {"color", cursor.color}, {"position", cursor.position}};
  if (cursor.anchor) line["anchor"] = *cursor.anchor;
  if (!cursor.partial_pattern.empty()) line["partialPattern"] = cursor.partial_pattern;
  if (!cursor.operation_type.empty()) line["operationType"] = cursor.operation_type;
  if (cursor.hidden) line["hidden"] = true;
  return line;
}

class Watcher {
 public:
  Watcher(const Options& options, SharedText& text, Output& output)
      : options_(options), text_(text), output_(output) {}

  // nullopt: it goes on.
  std::optional<int> On(const TextEvent& event) {
    // Changes that come together are one line.
    changed_ |= std::holds_alternative<cursorwire::collab::TextChanged>(event);
    if (!std::holds_alternative<cursorwire::collab::TextChanged>(event)) TellChanged();
    trouble_.Note(event);
    return std::visit([this](const auto& kind) { return Tell(kind); }, event);
  }
  void TellChanged() {
    if (!std::exchange(changed_, false)) return;
    output_.Line(
        ordered_json{{"type", "changed"}, {"content", text_.text()}, {"heads", text_.heads()}});
  }

 private:
  std::optional<int> Tell(const cursorwire::collab::TextConnected& /*event*/) {
    output_.Line(ordered_json{{"type", "connected"}, {"peerId", text_.peer_id()}});
    return std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextOpened& /*event*/) {
    if (problem_) return output_.Fail(*problem_);
    output_.Line(ordered_json{
        {"type", "opened"}, {"docId", text_.document_url()}, {"content", text_.text()}});
    return options_.once ? std::optional<int>(cursor_apps::kExitOk) : std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextUnavailable& /*event*/) {
    return output_.Fail(trouble_.UnavailableError(options_, text_.is_connected()));
  }
  std::optional<int> Tell(const cursorwire::collab::TextChanged& /*event*/) { return std::nullopt; }
  std::optional<int> Tell(const cursorwire::collab::TextCursorChanged& event) {
    output_.Line(CursorLine(event.cursor));
    return std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextCursorRemoved& event) {
    output_.Line(
        ordered_json{{"type", "cursor_removed"}, {"peerId", event.peer_id}, {"reason", "stale"}});
    return std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextDisconnected& event) {
    if (absl::Status status = trouble_.refused_login(); !status.ok()) return output_.Fail(status);
    output_.Line(ordered_json{{"type", "disconnected"}, {"retry_ms", event.delay.count()}});
    return std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextProblem& event) {
    if (ServerTrouble::IsRefusal(event)) {
      if (!trouble_.is_first_refused())
        return std::nullopt;  // others may send as many as they like
      output_.Warn(trouble_.refused_message());
    } else if (absl::IsFailedPrecondition(event.status)) {  // there is no text to open
      problem_ = event.status;
    }
    if (text_.is_opened()) output_.ErrorLine(event.status);
    return std::nullopt;
  }
  std::optional<int> Tell(const cursorwire::collab::TextFailed& event) {
    if (event.is_final) return output_.Fail(event.status);
    output_.ErrorLine(event.status);
    return std::nullopt;
  }

  const Options& options_;
  SharedText& text_;
  Output& output_;
  bool changed_ = false;
  ServerTrouble trouble_;
  std::optional<absl::Status> problem_;
};

}  // namespace

int Watch(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  absl::StatusOr<std::unique_ptr<SharedText>> text = OpenText(options, "watch-", "");
  if (!text.ok()) return output.Fail(text.status());
  const cursor_apps::Interrupt::Scope scope(interrupt, [&text, &output] {
    output.StopWaiting();
    (*text)->Wake();
  });
  const auto goes_on = [&interrupt, &output] {
    return interrupt.signal() == 0 && !output.reader_is_gone();
  };
  Watcher watcher(options, **text, output);
  while (goes_on()) {
    const std::optional<TextEvent> event = (*text)->Next(kLongWait);
    if (!event) continue;
    std::optional<int> exit_code = watcher.On(*event);
    // Others may send faster than it is taken.
    while (!exit_code && goes_on()) {
      const std::optional<TextEvent> next = (*text)->TakeEvent();
      if (!next) break;
      exit_code = watcher.On(*next);
    }
    if (exit_code) return *exit_code;
    watcher.TellChanged();
  }
  return cursor_apps::kExitOk;
}

}  // namespace cursor_collab
