#include "client/turn/serving.h"

#include <algorithm>

namespace cursorwire {
namespace {

// Size of one piece of output, and the number of pieces that may wait for the turn.
constexpr size_t kMaxPieceBytes = size_t{16} * 1024;
constexpr size_t kMaxPieces = 8;

}  // namespace

void Serving::Started(const std::optional<SandboxPolicy>& sandbox) {
  const std::lock_guard lock(mutex_);
  sandbox_ = sandbox;
}

void Serving::Add(std::string_view bytes, std::string Piece::*stream) {
  while (!bytes.empty()) {
    Piece piece;
    const std::string_view part = bytes.substr(0, kMaxPieceBytes);
    (piece.*stream).assign(part);
    bytes.remove_prefix(part.size());
    {
      std::unique_lock lock(mutex_);
      taken_.wait(lock, [this] { return stopped() || pieces_.size() < kMaxPieces; });
      if (stopped()) return;
      piece.sandbox = std::exchange(sandbox_, std::nullopt);
      pieces_.push_back(std::move(piece));
    }
    WakeTurn();
  }
}

std::optional<Serving::Work> Serving::TakeWork() {
  const std::lock_guard lock(mutex_);
  return std::exchange(work_, std::nullopt);
}

void Serving::SetAnswer(Answer answer) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    answer_ = std::move(answer);
  }
  WakeTurn();
}

void Serving::WakeTurn() {
  connect::Call call;  // used without the lock: it may run callbacks
  {
    const std::lock_guard lock(mutex_);
    call = call_;
  }
  call.Wake();
}

void Serving::MoveTo(connect::Call call) {
  {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
  }
  WakeTurn();
}

void Serving::Stop() {
  stop_.request_stop();
  std::optional<Work> dropped;  // freed now, without the lock: the task may wait long
  // Notify under the lock, so that no Add() is between its check and its wait.
  const std::lock_guard lock(mutex_);
  // Not swap(), which is instantiated for each pair of kinds of work.
  if (work_) dropped.emplace(*std::move(work_));
  work_.reset();
  taken_.notify_all();
}

std::optional<Serving::Piece> Serving::TakePiece() {
  const std::lock_guard lock(mutex_);
  if (pieces_.empty()) return std::nullopt;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  taken_.notify_all();
  return piece;
}

std::optional<Serving::Answer> Serving::TakeAnswer() {
  const std::lock_guard lock(mutex_);
  if (!pieces_.empty()) return std::nullopt;
  return std::exchange(answer_, std::nullopt);
}

}  // namespace cursorwire
