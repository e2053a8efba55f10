#include "acp/editor.h"

#include <utility>

#include "acp/errors.h"

namespace cursor_chat::acp {
namespace {

using cursorwire::jsonrpc::PeerAnswer;
using cursorwire::jsonrpc::PeerComplaint;
using cursorwire::jsonrpc::PeerError;
using cursorwire::jsonrpc::PeerEvent;

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

// Source: schema of version 1, `$/cancel_request`.
Editor::Editor()
    : peer_({.cancel_method = "$/cancel_request", .max_sent_line_bytes = kMaxEditorLineBytes}) {}

void Editor::Receive(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  peer_.Receive(bytes);
}

std::optional<PeerEvent> Editor::Next() {
  const std::lock_guard lock(mutex_);
  while (std::optional<PeerEvent> event = peer_.Next()) {
    if (auto* answer = std::get_if<PeerAnswer>(&*event)) {
      const auto waiting = answers_.find(answer->request_id);
      if (waiting != answers_.end()) waiting->second = std::move(answer->outcome);
      changed_.notify_all();
    } else if (!std::holds_alternative<PeerComplaint>(*event)) {
      changed_.notify_all();  // a line before it may have been answered with an error
      return event;
    }
  }
  changed_.notify_all();
  return std::nullopt;
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
                                  std::chrono::milliseconds timeout, const std::stop_token& stop) {
  const std::string text = WriteJson(params);
  std::unique_lock lock(mutex_);
  if (absl::Status room = WaitForRoom(lock, stop); !room.ok()) return room;
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
  peer_.Cancel(*id);
  changed_.notify_all();
  if (stop.stop_requested() || !waits_) return absl::CancelledError("no longer wanted");
  return absl::DeadlineExceededError(std::string("the editor does not answer ") + method);
}

void Editor::Post(const char* method, const Json& params) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  peer_.Call(method, WriteJson(params)).status().IgnoreError();  // its answer is ignored
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

}  // namespace cursor_chat::acp
