// A document of ours for a program in another language: one command a line on standard input, one
// line of an answer for each.
//   make KEY                   makes a text
//   edit KEY AT DELETED HEX    places and lengths in UTF-16
//   text KEY                   in hex
//   heads                      in hex
//   next                       a sync message in hex, or -
//   receive HEX
//   reconnect                  forgets what is known of the other side
//   save | load HEX            a document
#include <absl/strings/escaping.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_state.h"

namespace {

using cursorwire::automerge::Document;
using cursorwire::automerge::SyncMessage;
using cursorwire::automerge::SyncState;
using cursorwire::automerge::WaitingChanges;
using cursorwire::crdt::Unit;

std::string FromHex(const std::string& hex) { return absl::HexStringToBytes(hex); }
std::string ToHex(const std::string& bytes) { return absl::BytesToHexString(bytes); }

class Peer {
 public:
  explicit Peer(const std::string& actor) : document_(actor), waiting_(document_) { Reconnect(); }

  std::string Do(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    std::string key;
    words >> command >> key;
    if (command == "make") return Done(document_.MakeText(key).status());
    if (command == "edit") return Edit(key, words);
    if (command == "text") return Text(key);
    if (command == "next") return Next();
    if (command == "receive") return Receive(FromHex(key));
    if (command == "save") return ToHex(*document_.Save());
    if (command == "load") return Done(waiting_.Add(FromHex(key)));
    if (command == "heads") {
      std::string heads;
      for (const auto& head : document_.heads()) heads += head.ToHex();
      return heads;
    }
    if (command == "reconnect") {
      Reconnect();
      return "ok";
    }
    return "error: no such command";
  }

 private:
  void Reconnect() { state_.emplace(document_, waiting_); }

  std::string Done(const absl::Status& status) {
    document_.Commit(1700000000);
    return status.ok() ? "ok" : "error: " + std::string(status.message());
  }

  std::string Edit(const std::string& key, std::istringstream& words) {
    uint32_t at = 0;
    uint32_t deleted = 0;
    std::string hex;
    words >> at >> deleted >> hex;
    const std::optional<Document::Value> value = document_.Get(key);
    if (!value) return "error: no such text";
    return Done(document_.Splice(value->id, Unit::kUtf16, at, deleted, FromHex(hex)));
  }

  std::string Text(const std::string& key) const {
    const std::optional<Document::Value> value = document_.Get(key);
    const auto* const text = value ? document_.FindSequence(value->id) : nullptr;
    return text == nullptr ? "none" : "text " + ToHex(text->Text());
  }

  std::string Next() {
    const std::optional<SyncMessage> message = state_->Next();
    return message ? ToHex(WriteSyncMessage(*message)) : "-";
  }

  std::string Receive(const std::string& bytes) {
    const absl::StatusOr<SyncMessage> message = cursorwire::automerge::ReadSyncMessage(bytes);
    if (!message.ok()) return Done(message.status());
    return Done(state_->Receive(*message));
  }

  Document document_;
  WaitingChanges waiting_;
  std::optional<SyncState> state_;
};

}  // namespace

int main(int argc, char** argv) {
  Peer peer(argc > 1 ? argv[1] : "peer");
  std::string line;
  while (std::getline(std::cin, line)) std::cout << peer.Do(line) << std::endl;
  return 0;
}
