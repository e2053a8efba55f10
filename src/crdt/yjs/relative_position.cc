#include "crdt/yjs/relative_position.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/primitives.h"

namespace cursorwire::yjs {
namespace {

constexpr uint64_t kYjsPositionItem = 0;
constexpr uint64_t kYjsPositionRoot = 1;
constexpr uint64_t kYjsPositionType = 2;

void TakeYjsPlace(crdt::ByteReader& reader, RelativePosition& position) {
  switch (TakeNumber(reader)) {
    case kYjsPositionItem:
      position.item = TakeId(reader);
      return;
    case kYjsPositionRoot:
      position.root_name = std::string(TakeText(reader));
      return;
    case kYjsPositionType:
      position.type = TakeId(reader);
      return;
    default:
      reader.Fail();
  }
}

}  // namespace

absl::StatusOr<RelativePosition> ReadRelativePosition(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  RelativePosition position;
  TakeYjsPlace(reader, position);
  if (!reader.empty()) position.assoc = TakeSignedNumber(reader);
  if (reader.failed() || !reader.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a relative position of Yjs of ", bytes.size(),
                                                   " bytes does not follow the format"));
  }
  return position;
}

std::string WriteRelativePosition(const RelativePosition& position) {
  std::string out;
  if (position.item) {
    crdt::AppendUint(out, kYjsPositionItem);
    AppendId(out, *position.item);
  } else if (position.root_name) {
    crdt::AppendUint(out, kYjsPositionRoot);
    crdt::AppendString(out, *position.root_name);
  } else if (position.type) {
    crdt::AppendUint(out, kYjsPositionType);
    AppendId(out, *position.type);
  } else {
    return out;
  }
  AppendSignedNumber(out, position.assoc);
  return out;
}

}  // namespace cursorwire::yjs
