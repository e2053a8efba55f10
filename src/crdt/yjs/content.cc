#include "crdt/yjs/content.h"

#include <algorithm>
#include <limits>

#include "crdt/bytes/byte_writer.h"
#include "crdt/text/text_size.h"
#include "crdt/yjs/primitives.h"

namespace cursorwire::yjs {
namespace {

using crdt::ByteReader;

constexpr int kYjsMaxAnyDepth = 64;  // of objects and arrays within each other
constexpr std::string_view kYjsReplacement = "\xef\xbf\xbd";  // U+FFFD

// The first byte of an `any`: docs/collab/yjs.md, "Numbers".
enum class YjsAny : uint8_t {
  kBuffer = 116,
  kArray = 117,
  kObject = 118,
  kString = 119,
  kTrue = 120,
  kFalse = 121,
  kBigInt = 122,
  kDouble = 123,
  kFloat = 124,
  kInteger = 125,
  kNull = 126,
  kUndefined = 127,
};

// The types that have a name.
constexpr uint64_t kYjsXmlElement = 3;
constexpr uint64_t kYjsXmlHook = 5;
constexpr uint64_t kYjsLastType = 6;

// A count of elements that have at least `bytes` each.
uint64_t TakeYjsCount(ByteReader& reader, size_t bytes) {
  const uint64_t count = TakeNumber(reader);
  if (count > reader.rest().size() / bytes) reader.Fail();
  return reader.failed() ? 0 : count;
}

void SkipYjsAny(ByteReader& reader, int depth);

void SkipYjsObject(ByteReader& reader, int depth) {
  for (uint64_t count = TakeYjsCount(reader, 2); count > 0 && !reader.failed(); --count) {
    TakeText(reader);
    SkipYjsAny(reader, depth);
  }
}

void SkipYjsArray(ByteReader& reader, int depth) {
  for (uint64_t count = TakeYjsCount(reader, 1); count > 0 && !reader.failed(); --count) {
    SkipYjsAny(reader, depth);
  }
}

// `depth`: how many objects and arrays it is in.
void SkipYjsAny(ByteReader& reader, int depth) {
  const auto type = static_cast<YjsAny>(reader.TakeByte());
  const bool nested = type == YjsAny::kObject || type == YjsAny::kArray;
  if (nested && depth == kYjsMaxAnyDepth) reader.Fail();
  if (reader.failed()) return;
  switch (type) {
    case YjsAny::kBuffer:
      reader.TakeString();
      return;
    case YjsAny::kArray:
      return SkipYjsArray(reader, depth + 1);
    case YjsAny::kObject:
      return SkipYjsObject(reader, depth + 1);
    case YjsAny::kString:
      TakeText(reader);
      return;
    case YjsAny::kBigInt:
    case YjsAny::kDouble:
      reader.Take(sizeof(double));
      return;
    case YjsAny::kFloat:
      reader.Take(sizeof(float));
      return;
    case YjsAny::kInteger:
      TakeSignedNumber(reader);
      return;
    case YjsAny::kTrue:
    case YjsAny::kFalse:
    case YjsAny::kNull:
    case YjsAny::kUndefined:
      return;
  }
  reader.Fail();
}

void SkipYjsType(ByteReader& reader) {
  const uint64_t type = TakeNumber(reader);
  if (type > kYjsLastType) reader.Fail();
  if (type == kYjsXmlElement || type == kYjsXmlHook) TakeText(reader);
}

// An element of content that has `length` of them.
void SkipYjsElement(ByteReader& reader, ContentKind kind) {
  if (kind == ContentKind::kJson) {
    TakeText(reader);
  } else {
    SkipYjsAny(reader, 0);
  }
}

// Content of one unit.
void SkipYjsUnit(ByteReader& reader, ContentKind kind) {
  switch (kind) {
    case ContentKind::kBinary:
      reader.TakeString();
      return;
    case ContentKind::kEmbed:
      TakeText(reader);
      return;
    case ContentKind::kFormat:
      TakeText(reader);
      TakeText(reader);
      return;
    case ContentKind::kType:
      return SkipYjsType(reader);
    case ContentKind::kDocument:
      TakeText(reader);
      return SkipYjsAny(reader, 0);
    default:
      return reader.Fail();
  }
}

// The bytes of what was read since `before` was the rest.
std::string_view YjsBytesSince(std::string_view before, const ByteReader& reader) {
  return reader.failed() ? std::string_view()
                         : before.substr(0, before.size() - reader.rest().size());
}

void TakeYjsString(ByteReader& reader, Content& content) {
  content.bytes = TakeText(reader);
  if (content.bytes.size() > std::numeric_limits<uint32_t>::max()) return reader.Fail();
  content.length = crdt::Measure(content.bytes).utf16;
}

void TakeYjsElements(ByteReader& reader, Content& content) {
  content.length = TakeYjsCount(reader, 1);
  const std::string_view before = reader.rest();
  for (uint64_t i = 0; i < content.length && !reader.failed(); ++i) {
    SkipYjsElement(reader, content.kind);
  }
  content.bytes = YjsBytesSince(before, reader);
}

std::pair<ContentHalf, ContentHalf> CutYjsString(std::string_view text, uint64_t units) {
  const std::string_view left = crdt::PrefixOf(text, crdt::Unit::kUtf16, units);
  std::string_view right = text.substr(left.size());
  std::pair<ContentHalf, ContentHalf> halves{{.bytes = std::string(left)}, {}};
  if (crdt::Measure(left).utf16 < units) {
    right.remove_prefix(crdt::PrefixOf(right, crdt::Unit::kUtf16, 2).size());
    halves.first.bytes += kYjsReplacement;
    halves.second.bytes += kYjsReplacement;
  }
  halves.second.bytes += right;
  return halves;
}

std::pair<ContentHalf, ContentHalf> CutYjsElements(const Content& content, uint64_t units) {
  ByteReader reader(content.bytes);
  for (uint64_t i = 0; i < units; ++i) SkipYjsElement(reader, content.kind);
  const std::string_view left = YjsBytesSince(content.bytes, reader);
  return {{.bytes = std::string(left)}, {.bytes = std::string(content.bytes.substr(left.size()))}};
}

}  // namespace

Content TakeContent(ByteReader& reader, uint8_t kind) {
  Content content{.kind = static_cast<ContentKind>(kind)};
  switch (content.kind) {
    case ContentKind::kDeleted:
      content.length = TakeNumber(reader);
      break;
    case ContentKind::kString:
      TakeYjsString(reader, content);
      break;
    case ContentKind::kJson:
    case ContentKind::kAny:
      TakeYjsElements(reader, content);
      break;
    default:
      const std::string_view before = reader.rest();
      SkipYjsUnit(reader, content.kind);
      content.bytes = YjsBytesSince(before, reader);
      content.length = 1;
  }
  if (content.length == 0) reader.Fail();
  return reader.failed() ? Content() : content;
}

void AppendContent(std::string& out, const Content& content) {
  switch (content.kind) {
    case ContentKind::kDeleted:
      return crdt::AppendUint(out, content.length);
    case ContentKind::kString:
      return crdt::AppendString(out, content.bytes);
    case ContentKind::kJson:
    case ContentKind::kAny:
      crdt::AppendUint(out, content.length);
      break;
    default:
      break;
  }
  out += content.bytes;
}

std::pair<ContentHalf, ContentHalf> CutContent(const Content& content, uint64_t units) {
  std::pair<ContentHalf, ContentHalf> halves;
  if (content.kind == ContentKind::kString) {
    halves = CutYjsString(content.bytes, units);
  } else if (content.kind != ContentKind::kDeleted) {
    halves = CutYjsElements(content, units);
  }
  halves.first.length = units;
  halves.second.length = content.length - units;
  return halves;
}

Content FirstElements(const Content& content, uint64_t max_units, size_t max_bytes) {
  ByteReader reader(content.bytes);
  Content first{.kind = content.kind};
  while (first.length < std::min(max_units, content.length)) {
    SkipYjsElement(reader, content.kind);
    const std::string_view bytes = YjsBytesSince(content.bytes, reader);
    if (first.length > 0 && bytes.size() > max_bytes) break;
    ++first.length;
    first.bytes = bytes;
  }
  return first;
}

}  // namespace cursorwire::yjs
