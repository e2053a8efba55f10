#ifndef CURSORWIRE_SRC_CRDT_YJS_RELATIVE_POSITION_H_
#define CURSORWIRE_SRC_CRDT_YJS_RELATIVE_POSITION_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crdt/yjs/id.h"

namespace cursorwire::yjs {

// A place in a text that stays where it is while others write: docs/collab/yjs.md, "Relative
// positions". In binary form only the first of `item`, `root_name` and `type` that is there is
// written; in JSON `item` stands beside one of the others.
struct RelativePosition {
  std::optional<Id> item{};                // a unit of the text; without it: an end of the text
  std::optional<std::string> root_name{};  // of the text, UTF-8
  std::optional<Id> type{};                // the item that holds the text
  int64_t assoc = 0;                       // below 0: behind the unit, or at the start

  friend bool operator==(const RelativePosition&, const RelativePosition&) = default;
};

// `assoc` may be missing, as old peers have it.
//   kInvalidArgument  it does not follow the format, is cut off, or has more than its end
absl::StatusOr<RelativePosition> ReadRelativePosition(std::string_view bytes);
// Empty if it names nothing.
std::string WriteRelativePosition(const RelativePosition& position);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_RELATIVE_POSITION_H_
