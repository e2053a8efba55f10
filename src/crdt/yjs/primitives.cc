#include "crdt/yjs/primitives.h"

#include "base/strings.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::yjs {
namespace {

// The first byte of a number with a sign has 6 bits of its value. Those that follow have 7, as in a
// number without a sign.
constexpr uint8_t kYjsMore = 0x80;
constexpr uint8_t kYjsNegative = 0x40;
constexpr unsigned kYjsFirstBits = 6;
constexpr uint8_t kYjsFirstMask = (1U << kYjsFirstBits) - 1;

}  // namespace

uint64_t TakeNumber(crdt::ByteReader& reader) {
  const uint64_t number = reader.TakeUint();
  if (number > kHighestNumber) reader.Fail();
  return reader.failed() ? 0 : number;
}

int64_t TakeSignedNumber(crdt::ByteReader& reader) {
  const uint8_t first = reader.TakeByte();
  uint64_t number = first & kYjsFirstMask;
  if ((first & kYjsMore) != 0) {
    const uint64_t rest = TakeNumber(reader);
    // Without a rest the first byte would have said that nothing follows.
    if (rest == 0 || rest > kHighestNumber >> kYjsFirstBits) reader.Fail();
    number |= rest << kYjsFirstBits;
  }
  if (reader.failed()) return 0;
  const auto value = static_cast<int64_t>(number);
  return (first & kYjsNegative) != 0 ? -value : value;
}

void AppendSignedNumber(std::string& out, int64_t value) {
  const uint64_t number =
      value < 0 ? ~static_cast<uint64_t>(value) + 1 : static_cast<uint64_t>(value);
  const uint64_t rest = number >> kYjsFirstBits;
  auto first = static_cast<uint8_t>(number & kYjsFirstMask);
  if (value < 0) first |= kYjsNegative;
  if (rest != 0) first |= kYjsMore;
  out.push_back(static_cast<char>(first));
  if (rest != 0) crdt::AppendUint(out, rest);
}

std::string_view TakeText(crdt::ByteReader& reader) {
  const std::string_view text = reader.TakeString();
  if (!IsUtf8(text)) reader.Fail();
  return reader.failed() ? std::string_view() : text;
}

Id TakeId(crdt::ByteReader& reader) {
  Id id;
  id.client = TakeNumber(reader);
  id.clock = TakeNumber(reader);
  return id;
}

void AppendId(std::string& out, const Id& id) {
  crdt::AppendUint(out, id.client);
  crdt::AppendUint(out, id.clock);
}

}  // namespace cursorwire::yjs
