#include "parent_output.h"

#include <algorithm>
#include <utility>

#include "frame.h"

namespace h2_bridge {
namespace {

// A drained queue frees memory above this.
constexpr size_t kKeptCapacity = size_t{256} * 1024;

}  // namespace

void ParentOutput::Add(std::string_view message) {
  Append(message, 0);
  grows_ = false;
}

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
    AppendBody(piece, share);
    credit -= share;
  }
}

void ParentOutput::Seal() {
  sealed_ = view().size();
  ForgetCredit();
}

void ParentOutput::AppendBody(std::string_view piece, size_t credit) {
  if (CanMerge(piece)) return Merge(piece, credit);
  Append(piece, credit);
  grows_ = true;
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

// A server may send single bytes, each of which would be a message with a prefix and a record.
bool ParentOutput::CanMerge(std::string_view piece) const {
  if (!grows_ || messages_.empty() || messages_.back().started) return false;
  const size_t bytes = messages_.back().left - kFramePrefixBytes;
  if (bytes + piece.size() > kMaxOutputMessageBytes) return false;
  return !kDoneSentinel.ends_with(piece) ||
         view().substr(view().size() - bytes) !=
             kDoneSentinel.substr(0, kDoneSentinel.size() - piece.size());
}

void ParentOutput::Merge(std::string_view piece, size_t credit) {
  Message& message = messages_.back();
  const size_t start = buffer_.size() - message.left;
  message.left += piece.size();
  message.credit += credit;
  const auto prefix = FramePrefix(static_cast<uint32_t>(message.left - kFramePrefixBytes));
  std::copy(prefix.begin(), prefix.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(start));
  buffer_.append(piece);
}

size_t ParentOutput::Consume(size_t bytes) {
  begin_ += bytes;
  sealed_ -= std::min(sealed_, bytes);
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

void ParentOutput::DropUnsealed() {
  while (!messages_.empty() && !messages_.back().started && view().size() > sealed_) {
    buffer_.resize(buffer_.size() - messages_.back().left);
    messages_.pop_back();
  }
  ForgetCredit();
}

void ParentOutput::ForgetCredit() {
  for (Message& message : messages_) message.credit = 0;
  grows_ = false;
}

}  // namespace h2_bridge
