// Reads what a stranger sends in the formats of Yjs. What was read is written as it was.
//
// Input: byte 0 says what the rest is. 0: an update. 1: a state vector. 2: a message of the
// exchange. 3: an awareness update. 4: a relative position.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/yjs/awareness.h"
#include "crdt/yjs/content.h"
#include "crdt/yjs/relative_position.h"
#include "crdt/yjs/sync_message.h"
#include "crdt/yjs/update.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::yjs::AwarenessEntry;
using cursorwire::yjs::AwarenessStates;
using cursorwire::yjs::ClientStructs;
using cursorwire::yjs::Content;
using cursorwire::yjs::ContentHalf;
using cursorwire::yjs::ContentKind;
using cursorwire::yjs::Id;
using cursorwire::yjs::RelativePosition;
using cursorwire::yjs::RootName;
using cursorwire::yjs::StateVector;
using cursorwire::yjs::Struct;
using cursorwire::yjs::StructKind;
using cursorwire::yjs::SyncMessage;
using cursorwire::yjs::Update;

bool HasLength(ContentKind kind) {
  return kind == ContentKind::kDeleted || kind == ContentKind::kJson ||
         kind == ContentKind::kString || kind == ContentKind::kAny;
}

// A half stands in an update as the whole did.
void CheckHalf(ContentKind kind, const ContentHalf& half) {
  const Struct item{.length = half.length,
                    .parent = RootName{.name = "t"},
                    .content = {.kind = kind, .length = half.length, .bytes = half.bytes}};
  const std::string bytes =
      cursorwire::yjs::WriteUpdate({.clients = {{.client = 1, .clock = 0, .structs = {item}}}});
  const absl::StatusOr<Update> update = cursorwire::yjs::ReadUpdate(bytes);
  Check(update.ok() && update->clients[0].structs[0].length == half.length);
  Check(WriteUpdate(*update) == bytes);
}

void CutInTheMiddle(const Struct& item) {
  if (item.kind != StructKind::kItem) return;
  const Content& content = item.content;
  Check(content.length == item.length);
  if (content.length < 2 || !HasLength(content.kind)) return;
  const uint64_t units = content.length / 2;
  const auto [left, right] = CutContent(content, units);
  Check(left.length == units && left.length + right.length == content.length);
  CheckHalf(content.kind, left);
  CheckHalf(content.kind, right);
}

void ReadAnUpdate(std::string_view bytes) {
  const absl::StatusOr<Update> update = cursorwire::yjs::ReadUpdate(bytes);
  if (!update.ok()) return;
  Check(WriteUpdate(*update) == bytes);
  for (const ClientStructs& client : update->clients) {
    uint64_t clock = client.clock;
    for (const Struct& item : client.structs) {
      Check(item.id == Id{.client = client.client, .clock = clock} && item.length != 0);
      clock += item.length;
      CutInTheMiddle(item);
    }
  }
}

void ReadAStateVector(std::string_view bytes) {
  const absl::StatusOr<StateVector> clocks = cursorwire::yjs::ReadStateVector(bytes);
  if (clocks.ok()) Check(WriteStateVector(*clocks) == bytes);
}

void ReadAMessage(std::string_view bytes) {
  const absl::StatusOr<SyncMessage> message = cursorwire::yjs::ReadSyncMessage(bytes);
  if (message.ok()) Check(WriteSyncMessage(*message) == bytes);
}

void ReadAnAwarenessUpdate(std::string_view bytes) {
  const absl::StatusOr<std::vector<AwarenessEntry>> entries = cursorwire::yjs::ReadAwareness(bytes);
  if (!entries.ok()) return;
  Check(WriteAwareness(*entries).size() <= bytes.size());
  const AwarenessStates::TimePoint start{std::chrono::hours(1)};
  AwarenessStates states(1);
  states.SetOwn("{}");
  for (const AwarenessEntry& entry : *entries) (void)states.Apply({&entry, 1}, start);
  Check(states.Apply(*entries, start).size() <= entries->size());
  const std::string all = WriteAwareness(states.All());
  const absl::StatusOr<std::vector<AwarenessEntry>> again = cursorwire::yjs::ReadAwareness(all);
  Check(again.ok() && *again == states.All());
  const std::optional<std::string> own = states.TakeUpdate(start);
  Check(own && cursorwire::yjs::ReadAwareness(*own).ok());
  states.OnDeadline(start + AwarenessStates::kForgetAfter);
  Check(states.All().size() == 1);
}

void ReadAPosition(std::string_view bytes) {
  const absl::StatusOr<RelativePosition> position = cursorwire::yjs::ReadRelativePosition(bytes);
  if (!position.ok()) return;
  const absl::StatusOr<RelativePosition> again =
      cursorwire::yjs::ReadRelativePosition(WriteRelativePosition(*position));
  Check(again.ok() && *again == *position);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr void (*kReaders[])(std::string_view) = {ReadAnUpdate, ReadAStateVector, ReadAMessage,
                                                    ReadAnAwarenessUpdate, ReadAPosition};
  FuzzedInput input(data, size);
  const auto reader = kReaders[input.TakeByte() % std::size(kReaders)];
  reader(input.TakeRest());
  return 0;
}
