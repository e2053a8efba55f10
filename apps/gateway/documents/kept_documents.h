#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_KEPT_DOCUMENTS_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_KEPT_DOCUMENTS_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "documents/document_session.h"
#include "state/state_keeper.h"

namespace cursor_gateway {

// What a claim of a conversation tells others: how long it makes sense to wait for it.
inline constexpr char kNoteBusy[] = "busy";
inline constexpr char kNoteEnding[] = "ending";  // its answer is complete
// The same for how long it lasts without being renewed: longer than kTurnEndWait.
inline constexpr std::chrono::seconds kEndingLease{5};

// Keeps conversations of documents in the state, from which any gateway goes on with them by their
// id. One that goes on is claimed; its session holds the claim. On the loop's thread.
class KeptDocuments {
 public:
  explicit KeptDocuments(StateKeeper& state) : state_(state) {}

  static StateKey KeyOf(const std::string& id) { return {StateKind::kDocument, id}; }

  // For DocumentSession::Keep: writes the conversation when a turn has joined it, and once more
  // with the service's last state of it, with which the claim ends. A turn that failed gives the
  // claim back.
  void Keep(const std::shared_ptr<DocumentSession>& session, DocumentSession::Moment moment,
            std::function<void()> kept);

 private:
  void ClaimNew(const std::shared_ptr<DocumentSession>& session, const std::string& id,
                std::function<void()> kept);
  void Write(const std::shared_ptr<DocumentSession>& session, StateKeeper::Claimed claimed,
             std::function<void()> kept);

  StateKeeper& state_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_KEPT_DOCUMENTS_H_
