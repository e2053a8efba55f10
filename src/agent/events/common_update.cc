#include "agent/events/common_update.h"

#include <cstddef>

#include "base/strings.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

using Kind = CommonUpdate::Kind;
using wire::WireType;

// The first byte of a field whose number is below 16.
constexpr char FirstByte(int number, WireType type) {
  return static_cast<char>(number << 3 | static_cast<int>(type));
}

// Field numbers of AgentServerMessage, InteractionUpdate and the updates themselves.
constexpr char kUpdateField = FirstByte(1, WireType::kLength);
constexpr char kTextDeltaField = FirstByte(1, WireType::kLength);
constexpr char kThinkingDeltaField = FirstByte(4, WireType::kLength);
constexpr char kTokenDeltaField = FirstByte(8, WireType::kLength);
constexpr char kHeartbeatField = FirstByte(13, WireType::kLength);
constexpr std::string_view kMessageStartedAt = "\xC8\x01";  // 25, a varint
constexpr char kTextField = FirstByte(1, WireType::kLength);
constexpr char kThinkingStyleField = FirstByte(2, WireType::kVarint);
constexpr char kLastThinkingStyle = 3;  // THINKING_STYLE_GPT5
constexpr char kTokensField = FirstByte(1, WireType::kVarint);

// Longer varints, and thus larger numbers and lengths, are left to the parser.
constexpr size_t kUsualVarintBytes = 4;
// A time in milliseconds has 6 bytes.
constexpr size_t kUsualTimeBytes = 9;

// What is left of a message.
class Rest {
 public:
  explicit Rest(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  bool empty() const { return at_ == end_; }
  std::string_view view() const { return {at_, static_cast<size_t>(end_ - at_)}; }
  // The next byte, unless it is empty().
  char front() const { return *at_; }

  // Takes a number; false: it is longer than kUsualVarintBytes, or cut.
  bool TakeVarint(uint32_t& value) {
    value = 0;
    for (size_t shift = 0; at_ != end_ && shift < 7 * kUsualVarintBytes; shift += 7) {
      const auto byte = static_cast<uint8_t>(*at_++);
      value |= (byte & 0x7FU) << shift;
      if (byte < 0x80) return true;
    }
    return false;
  }
  // Takes a field that begins with this byte, and has a length; false: the next is another, or cut.
  bool TakeField(char first, std::string_view& value) {
    if (empty() || front() != first) return false;
    ++at_;
    uint32_t size = 0;
    if (!TakeVarint(size) || size > static_cast<size_t>(end_ - at_)) return false;
    value = {at_, size};
    at_ += size;
    return true;
  }
  void Skip() { ++at_; }

 private:
  const char* at_;
  const char* end_;
};

// What may stand after the update, which nobody uses.
bool IsStartTime(std::string_view bytes) {
  if (!bytes.starts_with(kMessageStartedAt)) return false;
  bytes.remove_prefix(kMessageStartedAt.size());
  if (bytes.empty() || bytes.size() > kUsualTimeBytes) return false;
  for (const char byte : bytes.substr(0, bytes.size() - 1)) {
    if (static_cast<uint8_t>(byte) < 0x80) return false;
  }
  return static_cast<uint8_t>(bytes.back()) < 0x80;
}

bool IsThinkingStyle(std::string_view bytes) {
  return bytes.size() == 2 && bytes[0] == kThinkingStyleField && bytes[1] >= 0 &&
         bytes[1] <= kLastThinkingStyle;
}

std::optional<CommonUpdate> ReadText(Kind kind, std::string_view delta) {
  Rest rest(delta);
  std::string_view text;
  if (!rest.TakeField(kTextField, text) || !IsUtf8(text)) return std::nullopt;
  const bool is_all = rest.empty() || (kind == Kind::kThinking && IsThinkingStyle(rest.view()));
  if (!is_all) return std::nullopt;
  return CommonUpdate{.kind = kind, .text = text};
}

std::optional<CommonUpdate> ReadTokens(std::string_view delta) {
  Rest rest(delta);
  if (rest.empty() || rest.front() != kTokensField) return std::nullopt;
  rest.Skip();
  uint32_t tokens = 0;
  if (!rest.TakeVarint(tokens) || !rest.empty()) return std::nullopt;
  return CommonUpdate{.kind = Kind::kTokens, .tokens = static_cast<int32_t>(tokens)};
}

std::optional<CommonUpdate> ReadUpdate(char tag, std::string_view update) {
  switch (tag) {
    case kTextDeltaField:
      return ReadText(Kind::kText, update);
    case kThinkingDeltaField:
      return ReadText(Kind::kThinking, update);
    case kTokenDeltaField:
      return ReadTokens(update);
    case kHeartbeatField:
      if (update.empty()) return CommonUpdate{.kind = Kind::kHeartbeat};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// The text of a message that is a short text and nothing else, which most are: each of its three
// levels begins with a byte and its length, of one byte as well. Empty: it is another.
std::string_view ShortText(std::string_view message) {
  constexpr size_t kHeads = 6;
  constexpr size_t kLongest = 127 + 2;
  if (message.size() <= kHeads || message.size() > kLongest) return {};
  const auto is_head = [message](size_t at, char field) {
    return message[at] == field && static_cast<size_t>(message[at + 1]) == message.size() - at - 2;
  };
  const bool is_text =
      is_head(0, kUpdateField) && is_head(2, kTextDeltaField) && is_head(4, kTextField);
  return is_text ? message.substr(kHeads) : std::string_view();
}

}  // namespace

std::optional<CommonUpdate> FindCommonUpdate(std::string_view message) {
  if (const std::string_view text = ShortText(message); !text.empty() && IsUtf8(text)) {
    return CommonUpdate{.kind = Kind::kText, .text = text};
  }
  Rest outer(message);
  std::string_view bytes;
  if (!outer.TakeField(kUpdateField, bytes) || !outer.empty()) return std::nullopt;
  if (bytes.empty()) return std::nullopt;
  Rest rest(bytes);
  const char first = rest.front();
  std::string_view update;
  if (!rest.TakeField(first, update)) return std::nullopt;
  if (!rest.empty() && !IsStartTime(rest.view())) return std::nullopt;
  return ReadUpdate(first, update);
}

}  // namespace cursorwire::agent
