#include "parent_output.h"

#include <algorithm>

#include "frame.h"

namespace h2_bridge {
namespace {

// A drained queue frees memory above this.
constexpr size_t kKeptCapacity = size_t{256} * 1024;

}  // namespace

void ParentOutput::Add(std::string_view message) { Append(message, 0); }

void ParentOutput::AddBody(std::string_view bytes, size_t credit) {
  if (bytes == kDoneSentinel) {
    // The parent would take it for the end of the response.
    Append(bytes.substr(0, 1), 0);
    bytes.remove_prefix(1);
  }
  while (!bytes.empty()) {
    std::string_view piece = bytes.substr(0, kMaxOutputMessageBytes);
    if (piece.size() < bytes.size() && bytes.substr(piece.size()) == kDoneSentinel) {
      piece.remove_suffix(1);
    }
    bytes.remove_prefix(piece.size());
    const size_t share = bytes.empty() ? credit : std::min(credit, piece.size());
    Append(piece, share);
    credit -= share;
  }
}

void ParentOutput::Append(std::string_view message, size_t credit) {
  if (begin_ > 0 && begin_ >= buffer_.size() - begin_) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const auto prefix = FramePrefix(static_cast<uint32_t>(message.size()));
  buffer_.append(prefix.data(), prefix.size()).append(message);
  messages_.push_back({.left = prefix.size() + message.size(), .credit = credit});
}

size_t ParentOutput::Consume(size_t bytes) {
  begin_ += bytes;
  if (empty()) {
    begin_ = 0;
    if (buffer_.capacity() > kKeptCapacity) {
      buffer_ = std::string();
    } else {
      buffer_.clear();
    }
  }
  size_t credit = 0;
  while (bytes > 0) {
    Message& message = messages_.front();
    const size_t taken = std::min(bytes, message.left);
    message.left -= taken;
    message.started = true;
    bytes -= taken;
    if (message.left > 0) break;
    credit += message.credit;
    messages_.pop_front();
  }
  return credit;
}

void ParentOutput::DropUnwritten() {
  while (!messages_.empty() && !messages_.back().started) {
    buffer_.resize(buffer_.size() - messages_.back().left);
    messages_.pop_back();
  }
}

}  // namespace h2_bridge
