#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_ENCODER_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_ENCODER_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/change_codec.h"
#include "crdt/automerge/change_log.h"
#include "crdt/automerge/op_columns.h"
#include "crdt/automerge/op_log.h"
#include "crdt/automerge/single_op_columns.h"

namespace cursorwire::automerge {

// Makes the bytes of a change from what a document knows of it. Thread-compatible.
class ChangeEncoder {
 public:
  ChangeEncoder(const ActorTable& actors, const OpLog& ops, const ChangeLog& changes)
      : actors_(actors), ops_(ops), changes_(changes) {}

  // The body of the change number `seq` of its actor. Valid until the next call.
  std::string_view BodyOf(const ChangeLog::Info& info, uint64_t seq, std::span<const uint32_t> deps,
                          const ChangeExtra& extra);

 private:
  static constexpr uint32_t kNotNamed = UINT32_MAX;

  // Whether the change is one key of a keyboard; then its columns are in head_.
  bool EncodeSingle(const ChangeLog::Info& info);
  void CollectActors(const ChangeLog::Info& info);
  void SortActors();
  void NoteActor(OpId id, uint32_t own);
  void AppendRun(const OpLog::Run& run, uint32_t actor);
  // With the actor as the change numbers it.
  OpId ToLocal(OpId id, uint32_t own) const;

  const ActorTable& actors_;
  const OpLog& ops_;
  const ChangeLog& changes_;
  ChangeWriter writer_;
  OpWriter ops_writer_;
  SingleOpColumns single_;
  // Of the change in hand; kept, so that they are not allocated for each.
  ChangeHead head_;
  std::vector<uint32_t> others_;
  std::vector<uint32_t> local_;  // of each actor, where it is in `others_`, from 1; or kNotNamed
  std::vector<OpId> predecessors_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_ENCODER_H_
