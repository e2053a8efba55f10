#include "acp/editor.h"

#include <utility>

#include "acp/errors.h"

namespace cursor_acp {
namespace {

using cursorwire::jsonrpc::PeerAnswer;
using cursorwire::jsonrpc::PeerComplaint;
using cursorwire::jsonrpc::PeerError;
using cursorwire::jsonrpc::PeerEvent;

// Source: schema of version 1, `$/cancel_request`.
constexpr char kCancelMethod[] = "$/cancel_request";

// An error of the editor in a message is for the model and for logs.
constexpr size_t kMaxEditorErrorBytes = 300;

absl::Status Gone() { return absl::UnavailableError("the editor has closed the connection"); }

absl::Status EditorError(const char* method, const PeerError& error) {
  const std::string message = std::string("the editor refuses ") + method + ": " +
                              OneShortLine(error.message, kMaxEditorErrorBytes);
  return error.code == kResourceNotFound ? absl::NotFoundError(message)
                                         : absl::AbortedError(message);
}

}  // namespace

Editor::Editor()
    : peer_({.cancel_method = kCancelMethod, .max_sent_line_bytes = kMaxEditorLineBytes}) {}

void Editor::Receive(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  peer_.Receive(bytes);
}

std::optional<PeerEvent> Editor::Next() {
  std::unique_lock lock(mutex_);
  while (std::optional<PeerEvent> event = peer_.Next()) {
    if (auto* answer = std::get_if<PeerAnswer>(&*event)) {
      TakeAnswer(std::move(*answer), lock);
    } else if (!std::holds_alternative<PeerComplaint>(*event)) {
      changed_.notify_all();  // a line before it may have been answered with an error
      return event;
    }
  }
  changed_.notify_all();
  return std::nullopt;
}

void Editor::TakeAnswer(PeerAnswer answer, std::unique_lock<std::mutex>& lock) {
  const auto waiting = answers_.find(answer.request_id);
  if (waiting != answers_.end()) {
    waiting->second = std::move(answer.outcome);
    changed_.notify_all();
    return;
  }
  const auto late = late_.extract(answer.request_id);
  const auto* const result = std::get_if<std::string>(&answer.outcome);
  if (!late || result == nullptr) return;
  const Json json = Json::parse(*result, nullptr, /*allow_exceptions=*/false);
  lock.unlock();
  late.mapped()(json);
  lock.lock();
}

absl::Status Editor::WaitForRoom(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  changed_.wait(lock, stop, [this] { return closed_ || !waits_ || has_room(); });
  if (closed_) return Gone();
  return has_room() ? absl::OkStatus() : absl::CancelledError("no longer wanted");
}

absl::Status Editor::Notify(const char* method, const Json& params, const std::stop_token& stop) {
  const std::string text = WriteJson(params);
  std::unique_lock lock(mutex_);
  if (absl::Status room = WaitForRoom(lock, stop); !room.ok()) return room;
  absl::Status sent = peer_.Notify(method, text);
  changed_.notify_all();
  return sent;
}

absl::StatusOr<Json> Editor::Call(const char* method, const Json& params,
                                  std::chrono::milliseconds timeout, const std::stop_token& stop,
                                  OnLate on_late) {
  const std::string text = WriteJson(params);
  std::unique_lock lock(mutex_);
  if (absl::Status room = WaitForRoom(lock, stop); !room.ok()) return room;
  if (stop.stop_requested() || !waits_) return absl::CancelledError("no longer wanted");
  const absl::StatusOr<uint64_t> id = peer_.Call(method, text);
  if (!id.ok()) return id.status();
  Answer& answer = answers_[*id];
  changed_.notify_all();
  changed_.wait_for(lock, stop, timeout, [this, &answer] { return closed_ || !waits_ || answer; });
  const Answer came = std::move(answer);
  answers_.erase(*id);
  if (came) {
    if (const auto* error = std::get_if<PeerError>(&*came)) return EditorError(method, *error);
    return Json::parse(std::get<std::string>(*came), nullptr, /*allow_exceptions=*/false);
  }
  if (closed_) return Gone();
  GiveUp(*id, std::move(on_late));
  changed_.notify_all();
  if (stop.stop_requested() || !waits_) return absl::CancelledError("no longer wanted");
  return absl::DeadlineExceededError(std::string("the editor does not answer ") + method);
}

void Editor::GiveUp(uint64_t request_id, OnLate on_late) {
  if (!on_late) {
    peer_.Cancel(request_id);
    return;
  }
  // Peer::Cancel() would forget the request.
  peer_.Notify(kCancelMethod, WriteJson({{"requestId", request_id}})).IgnoreError();
  late_.emplace(request_id, std::move(on_late));
  if (late_.size() <= kMaxLateAnswers) return;
  peer_.Forget(late_.begin()->first);
  late_.erase(late_.begin());
}

void Editor::Post(const char* method, const Json& params) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  // An editor that never answers must not fill the table of open requests.
  if (const auto id = peer_.Call(method, WriteJson(params)); id.ok()) peer_.Forget(*id);
  changed_.notify_all();
}

void Editor::Respond(const std::string& id_json, const Outcome& outcome) {
  std::variant<std::string, PeerError> text;
  if (const auto* error = std::get_if<PeerError>(&outcome)) {
    text = *error;
  } else {
    text = WriteJson(std::get<Json>(outcome));
  }
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  peer_.Respond(id_json, text);
  changed_.notify_all();
}

bool Editor::AwaitRoom(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return WaitForRoom(lock, stop).ok();
}

void Editor::AwaitNoRoom(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, stop, [this] { return closed_ || !waits_ || !has_room(); });
}

std::string Editor::TakeOutput() {
  std::unique_lock lock(mutex_);
  in_flight_ = 0;
  changed_.notify_all();
  changed_.wait(lock, [this] { return closed_ || peer_.output_bytes() > 0; });
  std::string output = peer_.TakeOutput();
  in_flight_ = output.size();
  return output;
}

void Editor::StopWaiting() {
  const std::lock_guard lock(mutex_);
  waits_ = false;
  changed_.notify_all();
}

void Editor::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

}  // namespace cursor_acp
