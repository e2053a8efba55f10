#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_OPERATION_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_OPERATION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace cursorwire::automerge {

// Who made an operation, as an index into a list of actors that depends on the place, and its
// number among all operations that its maker knew. Counter 0 is no operation: the root as an
// object, the head of a sequence as an element.
struct OpId {
  uint32_t counter = 0;
  uint32_t actor = 0;

  bool is_none() const { return counter == 0; }

  friend bool operator==(const OpId&, const OpId&) = default;
};

// The numbers are those of the format: docs/collab/automerge.md, "Operations".
enum class Action : uint64_t {
  kMakeMap = 0,
  kSet = 1,
  kMakeList = 2,
  kDelete = 3,
  kMakeText = 4,
  kIncrement = 5,
  kMakeTable = 6,
  kMark = 7,
};

// Types of values. Others may come, and are kept.
enum class ValueType : uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kUint = 3,
  kInt = 4,
  kFloat64 = 5,
  kString = 6,
  kBytes = 7,
  kCounter = 8,
  kTimestamp = 9,
};

struct ValueView {
  ValueType type = ValueType::kNull;
  std::string_view bytes{};  // as the type has them
};

// One operation. The views are into the bytes that it was read from, or into a document.
struct OpView {
  OpId object{};                              // none: the root
  std::optional<std::string_view> map_key{};  // of a map; else `element` counts
  // The element of a sequence: for an insertion the one after which it goes, else the one that it
  // is about.
  OpId element{};
  bool insert = false;
  Action action = Action::kSet;
  ValueView value{};
  // The operations that this one overwrites.
  std::span<const OpId> predecessors{};
  // Of marks.
  bool expand = false;
  std::optional<std::string_view> mark_name{};
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_OPERATION_H_
