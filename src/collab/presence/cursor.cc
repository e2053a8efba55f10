#include "collab/presence/cursor.h"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "base/strings.h"
#include "collab/cbor/cbor.h"
#include "collab/cbor/cbor_value.h"
#include "collab/presence/shown_text.h"

namespace cursorwire::collab {
namespace {

constexpr std::array<std::string_view, 10> kColors = {"#FF6B6B", "#4ECDC4", "#45B7D1", "#FFA07A",
                                                      "#98D8C8", "#F7DC6F", "#BB8FCE", "#85C1E2",
                                                      "#F8B739", "#52B788"};
constexpr std::string_view kAiColor = "#9333EA";
constexpr std::string_view kStreamingEditColor = "#F59E0B";
constexpr size_t kMaxPatternCharacters = 4096;
constexpr unsigned kHashShift = 5;
constexpr char32_t kFirstPair = 0x10000;  // above, two units of UTF-16

std::string TextOf(const CborValue& message, std::string_view key, size_t max_characters) {
  const CborValue* const value = message.Find(key);
  const auto* const text = value == nullptr ? nullptr : value->As<std::string>();
  return text == nullptr ? std::string() : ShownText(*text, max_characters);
}

std::optional<uint32_t> PlaceIn(const CborValue& message, std::string_view key) {
  const CborValue* const value = message.Find(key);
  const std::optional<double> number = value == nullptr ? std::nullopt : value->AsNumber();
  return number ? PositionOfNumber(*number) : std::nullopt;
}

// As JavaScript does it: the shift wraps to 32 bits, the sum does not.
int64_t HashOf(std::string_view peer_id) {
  int64_t hash = 0;
  const auto add = [&hash](uint32_t unit) {
    const auto wrapped = static_cast<int32_t>(static_cast<uint32_t>(hash) << kHashShift);
    hash = int64_t{unit} + wrapped - hash;
  };
  while (!peer_id.empty()) {
    const char32_t character = TakeCharacter(peer_id);
    if (character < kFirstPair) {
      add(static_cast<uint32_t>(character));
    } else {
      const auto rest = static_cast<uint32_t>(character - kFirstPair);
      add(0xd800 + (rest >> 10));
      add(0xdc00 + (rest & 0x3ff));
    }
  }
  return hash;
}

}  // namespace

std::string_view ColorOfPeer(std::string_view peer_id) {
  const int64_t hash = HashOf(peer_id);
  return kColors[static_cast<size_t>(std::abs(hash)) % kColors.size()];
}

std::string_view ColorOf(std::string_view type, std::string_view peer_id) {
  if (type == kAiCursor) return kAiColor;
  if (type == kStreamingEditCursor) return kStreamingEditColor;
  return ColorOfPeer(peer_id);
}

std::optional<Cursor> ReadCursor(std::string_view data, int64_t now) {
  const absl::StatusOr<CborValue> message = ReadCbor(data);
  if (!message.ok() || TextOf(*message, "type", kMaxTextCharacters) != "cursor")
    return std::nullopt;
  const std::optional<uint32_t> position = PlaceIn(*message, "position");
  Cursor cursor{.peer_id = TextOf(*message, "peerId", kMaxTextCharacters),
                .name = TextOf(*message, "name", kMaxTextCharacters),
                .type = TextOf(*message, "cursorType", kMaxTextCharacters),
                .position = position.value_or(0),
                .anchor = PlaceIn(*message, "anchor"),
                .color = TextOf(*message, "color", kMaxTextCharacters),
                .partial_pattern = TextOf(*message, "partialPattern", kMaxPatternCharacters),
                .operation_type = TextOf(*message, "operationType", kMaxTextCharacters),
                .timestamp = now};
  if (cursor.peer_id.empty() || !position) return std::nullopt;
  if (cursor.name.empty()) cursor.name = kNoName;
  if (cursor.type.empty()) cursor.type = kUserCursor;
  if (cursor.anchor == cursor.position) cursor.anchor.reset();
  if (!IsColor(cursor.color)) cursor.color = ColorOfPeer(cursor.peer_id);
  if (const CborValue* const timestamp = message->Find("timestamp")) {
    cursor.timestamp = timestamp->AsInteger().value_or(now);
  }
  return cursor;
}

std::string WriteCursor(const Cursor& cursor) {
  CborValue::Map map;
  const auto add = [&map](std::string_view key, CborValue value) {
    map.emplace_back(CborValue(key), std::move(value));
  };
  add("type", CborValue("cursor"));
  add("peerId", CborValue(cursor.peer_id));
  add("name", CborValue(cursor.name));
  add("cursorType", CborValue(cursor.type));
  add("position", CborValue(int64_t{cursor.position}));
  if (cursor.anchor && cursor.anchor != cursor.position) {
    add("anchor", CborValue(int64_t{*cursor.anchor}));
  }
  add("color", CborValue(cursor.color));
  if (!cursor.partial_pattern.empty()) add("partialPattern", CborValue(cursor.partial_pattern));
  if (!cursor.operation_type.empty()) add("operationType", CborValue(cursor.operation_type));
  add("timestamp", CborValue(cursor.timestamp));
  return WriteCbor(CborValue(std::move(map)));
}

}  // namespace cursorwire::collab
