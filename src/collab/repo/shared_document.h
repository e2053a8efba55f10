#ifndef CURSORWIRE_SRC_COLLAB_REPO_SHARED_DOCUMENT_H_
#define CURSORWIRE_SRC_COLLAB_REPO_SHARED_DOCUMENT_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "collab/repo/document_id.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/automerge/waiting_changes.h"

namespace cursorwire::collab {

// A document that a RepoSession follows, and how far that is.
struct SharedDocument {
  SharedDocument(const DocumentId& of_id, std::string_view actor,
                 const automerge::DocumentLimits& limits)
      : id(of_id), name(id.ToString()), document(actor, limits), waiting(document, limits) {}

  const DocumentId id;
  const std::string name;  // in messages
  automerge::Document document;
  automerge::WaitingChanges waiting;
  std::optional<automerge::SyncState> state{};  // while there is a connection
  bool opened = false;
  bool unavailable = false;
  bool awaits_answer = false;
  // When it counts as unavailable; when edits are sent.
  std::optional<std::chrono::steady_clock::time_point> open_deadline{};
  std::optional<std::chrono::steady_clock::time_point> send_deadline{};
  std::optional<std::string> waiting_ephemeral{};
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_REPO_SHARED_DOCUMENT_H_
