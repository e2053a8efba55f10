#ifndef CURSORWIRE_TESTS_COLLAB_REPO_DOCUMENT_SERVER_H_
#define CURSORWIRE_TESTS_COLLAB_REPO_DOCUMENT_SERVER_H_

#include <absl/status/status.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/repo/document_id.h"
#include "collab/repo/repo_message.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_message.h"
#include "crdt/automerge/sync_state.h"
#include "crdt/automerge/waiting_changes.h"

namespace cursorwire::test {

// A server of documents, as npm's does it: one exchange with each client for each document, which
// it knows from the first message on; ephemeral messages go to all, and back to their sender. No
// I/O: whole messages in and out.
class DocumentServer {
 public:
  static constexpr const char* kPeerId = "server";

  class Connection {
   public:
    // In their order.
    std::vector<std::string> TakeMessages() { return std::exchange(messages_, {}); }

   private:
    friend class DocumentServer;
    std::string client_{};  // its peer id; empty until it joins
    std::map<std::string, std::unique_ptr<automerge::SyncState>, std::less<>> states_{};
    std::vector<std::string> messages_{};
  };

  // Valid until Disconnect().
  Connection& Connect() {
    connections_.push_back(std::make_unique<Connection>());
    return *connections_.back();
  }
  void Disconnect(const Connection& connection) {
    std::erase_if(connections_, [&connection](const auto& it) { return it.get() == &connection; });
  }

  // Any connection may have messages then.
  //   kFailedPrecondition  it comes before the client has joined, or is for somebody else
  //   else                 as of ReadRepoMessage(), ReadSyncMessage() and SyncState::Receive()
  absl::Status OnMessage(Connection& from, std::string_view bytes) {
    const absl::StatusOr<collab::RepoMessage> message = collab::ReadRepoMessage(bytes);
    if (!message.ok()) return message.status();
    if (const auto* join = std::get_if<collab::JoinMessage>(&*message)) {
      from.client_ = join->sender;
      from.messages_.push_back(collab::WriteRepoMessage(
          collab::PeerMessage{.sender = kPeerId, .target = from.client_, .version = "1"}));
      return absl::OkStatus();
    }
    if (from.client_.empty()) return absl::FailedPreconditionError("nobody has joined");
    if (const auto* sync = std::get_if<collab::DocumentMessage>(&*message)) {
      return sync->target == kPeerId ? OnSync(from, *sync)
                                     : absl::FailedPreconditionError("for somebody else");
    }
    if (const auto* ephemeral = std::get_if<collab::EphemeralMessage>(&*message)) {
      for (const auto& connection : connections_) {
        collab::EphemeralMessage copy = *ephemeral;
        copy.target = connection->client_;
        connection->messages_.push_back(collab::WriteRepoMessage(copy));
      }
    }
    return absl::OkStatus();
  }

  // nullptr where nobody has told of it.
  const automerge::Document* Find(const collab::DocumentId& id) const {
    const auto place = documents_.find(id.ToString());
    return place == documents_.end() ? nullptr : &place->second->document;
  }

 private:
  struct Served {
    Served() : document(kPeerId), waiting(document) {}
    automerge::Document document;
    automerge::WaitingChanges waiting;
  };

  absl::Status OnSync(Connection& from, const collab::DocumentMessage& message) {
    const absl::StatusOr<automerge::SyncMessage> sync = automerge::ReadSyncMessage(message.data);
    if (!sync.ok()) return sync.status();
    auto& served = documents_[message.document];
    if (served == nullptr) {
      served = std::make_unique<Served>();
      if (message.request) {
        from.messages_.push_back(collab::WriteRepoMessage(collab::UnavailableMessage{
            .sender = kPeerId, .target = from.client_, .document = message.document}));
      }
    }
    auto& state = from.states_[message.document];
    if (state == nullptr) {
      state = std::make_unique<automerge::SyncState>(served->document, served->waiting);
    }
    const absl::Status status = state->Receive(*sync);
    for (const auto& connection : connections_) SendAll(*connection, message.document);
    return status;
  }

  static void SendAll(Connection& to, const std::string& name) {
    const auto state = to.states_.find(name);
    if (state == to.states_.end()) return;
    while (const auto message = state->second->Next()) {
      to.messages_.push_back(collab::WriteRepoMessage(
          collab::DocumentMessage{.sender = kPeerId,
                                  .target = to.client_,
                                  .document = name,
                                  .data = automerge::WriteSyncMessage(*message)}));
    }
  }

  // In this order: the exchanges of a connection refer to the documents.
  std::map<std::string, std::unique_ptr<Served>, std::less<>> documents_;
  std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_COLLAB_REPO_DOCUMENT_SERVER_H_
