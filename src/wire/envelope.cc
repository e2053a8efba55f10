#include "wire/envelope.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace cursorwire::wire {
namespace {

// `prefix` has at least kEnvelopePrefixBytes.
uint32_t LoadLength(const char* prefix) {
  const auto byte = [prefix](size_t i) { return uint32_t{static_cast<uint8_t>(prefix[i])}; };
  return byte(1) << 24 | byte(2) << 16 | byte(3) << 8 | byte(4);
}

}  // namespace

absl::Status AppendEnvelope(uint8_t flags, std::string_view payload, std::string& out) {
  if (payload.size() > std::numeric_limits<uint32_t>::max()) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("message of ", payload.size(),
                                   " bytes does not fit the 32-bit length of an envelope"));
  }
  const auto length = static_cast<uint32_t>(payload.size());
  const char prefix[kEnvelopePrefixBytes] = {
      static_cast<char>(flags), static_cast<char>(length >> 24), static_cast<char>(length >> 16),
      static_cast<char>(length >> 8), static_cast<char>(length)};
  out.append(prefix, sizeof(prefix));
  out.append(payload);
  return absl::OkStatus();
}

size_t EnvelopeDecoder::Feed(std::string_view bytes) {
  if (!error_.ok()) return 0;
  DropTaken();
  if (IsOneEnvelope(bytes)) {
    queue_.Append(bytes);
    ++complete_;
    return bytes.size();
  }
  completed_in_feed_ = 0;
  std::string_view rest = bytes;
  while (!rest.empty() && error_.ok()) {
    const bool in_prefix = prefix_size_ < kEnvelopePrefixBytes;
    rest.remove_prefix(in_prefix ? ScanPrefix(rest) : ScanPayload(rest));
  }
  // Bytes after a refused prefix are not kept, since the decoder stays failed.
  queue_.Append(bytes.substr(0, bytes.size() - rest.size()));
  return completed_in_feed_;
}

// The most frequent case of what is fed: a DATA frame with a message.
bool EnvelopeDecoder::IsOneEnvelope(std::string_view bytes) const {
  if (prefix_size_ != 0 || bytes.size() < kEnvelopePrefixBytes) return false;
  const size_t length = LoadLength(bytes.data());
  return length == bytes.size() - kEnvelopePrefixBytes && length <= max_message_bytes_;
}

size_t EnvelopeDecoder::LengthLimit(uint8_t flags) const {
  if ((flags & kEnvelopeCompressed) == 0) return max_message_bytes_;
  const size_t room = std::numeric_limits<size_t>::max() - max_message_bytes_;
  return max_message_bytes_ + std::min(compressed_slack_, room);
}

size_t EnvelopeDecoder::ScanPrefix(std::string_view bytes) {
  const size_t count = std::min(bytes.size(), kEnvelopePrefixBytes - prefix_size_);
  std::copy_n(bytes.data(), count, prefix_ + prefix_size_);
  prefix_size_ += count;
  if (prefix_size_ < kEnvelopePrefixBytes) return count;
  const uint32_t length = LoadLength(prefix_);
  const size_t limit = LengthLimit(static_cast<uint8_t>(prefix_[0]));
  if (length > limit) {
    error_ = MakeError(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat("message of ", length, " bytes is over the limit of ", limit, " bytes"),
        {.origin = connect::ErrorOrigin::kProtocol});
    return count;
  }
  payload_missing_ = length;
  if (length == 0) CompleteEnvelope();
  return count;
}

size_t EnvelopeDecoder::ScanPayload(std::string_view bytes) {
  const size_t count = std::min(bytes.size(), payload_missing_);
  payload_missing_ -= count;
  if (payload_missing_ == 0) CompleteEnvelope();
  return count;
}

void EnvelopeDecoder::CompleteEnvelope() {
  ++complete_;
  completed_in_feed_ += kEnvelopePrefixBytes + LoadLength(prefix_);
  prefix_size_ = 0;
}

absl::StatusOr<std::optional<EnvelopeView>> EnvelopeDecoder::Next() {
  DropTaken();
  if (complete_ > 0) return Take();
  if (!error_.ok()) return error_;
  return std::nullopt;
}

std::optional<EnvelopeView> EnvelopeDecoder::NextPlain() {
  DropTaken();
  if (complete_ == 0 || queue_.view().front() != 0) return std::nullopt;
  return Take();
}

void EnvelopeDecoder::DropTaken() {
  if (taken_bytes_ > 0) queue_.Consume(std::exchange(taken_bytes_, 0));
}

EnvelopeView EnvelopeDecoder::Take() {
  --complete_;
  const char* const prefix = queue_.view().data();
  const size_t length = LoadLength(prefix);
  taken_bytes_ = kEnvelopePrefixBytes + length;
  return {.flags = static_cast<uint8_t>(*prefix),
          .payload = {prefix + kEnvelopePrefixBytes, length},
          .credit = taken_bytes_};
}

absl::Status EnvelopeDecoder::Finish() const {
  if (!error_.ok()) return error_;
  if (prefix_size_ == 0) return absl::OkStatus();
  if (prefix_size_ < kEnvelopePrefixBytes) {
    return ProtocolError(
        absl::StrCat("body ended after ", prefix_size_, " of the 5 bytes of an envelope's prefix"));
  }
  const uint32_t length = LoadLength(prefix_);
  return ProtocolError(absl::StrCat("body ended after ", length - payload_missing_, " of the ",
                                    length, " bytes of an envelope's payload"));
}

}  // namespace cursorwire::wire
