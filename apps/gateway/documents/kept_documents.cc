#include "documents/kept_documents.h"

#include <utility>

namespace cursor_gateway {

void KeptDocuments::Keep(const std::shared_ptr<DocumentSession>& session,
                         DocumentSession::Moment moment, std::function<void()> kept) {
  const std::shared_ptr<StateHold>& hold = session->hold();
  switch (moment) {
    case DocumentSession::Moment::kFailed:
      session->set_hold(nullptr);
      return kept();
    case DocumentSession::Moment::kOver:
      if (hold == nullptr) return kept();  // the state was away when the turn was complete
      return Write(session, StateKeeper::Claimed::kEnds, std::move(kept));
    case DocumentSession::Moment::kComplete:
      break;
  }
  const std::string id = session->conversation().id();
  if (hold != nullptr && hold->key().name == id) {
    hold->Change(kNoteEnding, kEndingLease);
    return Write(session, StateKeeper::Claimed::kStays, std::move(kept));
  }
  // A new conversation, or one that got a new id: nobody goes on by the former one.
  if (hold != nullptr) state_.Erase(hold->key());
  session->set_hold(nullptr);
  ClaimNew(session, id, std::move(kept));
}

void KeptDocuments::ClaimNew(const std::shared_ptr<DocumentSession>& session, const std::string& id,
                             std::function<void()> kept) {
  state_.Claim(KeyOf(id), kNoteEnding, kEndingLease, session->revision(),
               [this, session, kept = std::move(kept)](absl::StatusOr<StateClaimed> claimed) {
                 if (!claimed.ok() || claimed->hold == nullptr) return kept();
                 // The state was away when this turn began, and another gateway went on meanwhile:
                 // its conversation is the one.
                 if (claimed->entry && claimed->entry->revision != session->revision()) {
                   session->set_revision(-1);
                   return kept();
                 }
                 session->set_hold(std::move(claimed->hold));
                 Write(session, StateKeeper::Claimed::kStays, kept);
               });
}

void KeptDocuments::Write(const std::shared_ptr<DocumentSession>& session,
                          StateKeeper::Claimed claimed, std::function<void()> kept) {
  cursorwire::SavedConversation saved = session->conversation().Serialize();
  const int64_t revision = session->revision() + 1;
  session->set_revision(revision);
  const std::shared_ptr<StateHold> hold = session->hold();
  if (claimed == StateKeeper::Claimed::kEnds) session->set_hold(nullptr);
  state_.PutHeld(*hold,
                 {.owner = session->client_key(),
                  .revision = revision,
                  .value = std::move(saved.bytes),
                  .blobs = std::move(saved.blobs)},
                 kStateLife, claimed,
                 [hold, session, revision, kept = std::move(kept)](const absl::Status& status) {
                   if (status.code() == absl::StatusCode::kAborted) {
                     // This process slept, and another one went on: its conversation is the one.
                     session->set_revision(-1);
                     if (session->hold() == hold) session->set_hold(nullptr);
                   } else if (!status.ok() && session->revision() == revision) {
                     // Another gateway may write that revision.
                     session->set_revision(revision - 1);
                   }
                   kept();
                 });
}

}  // namespace cursor_gateway
