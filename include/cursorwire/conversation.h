// Room: src/client/conversation
#ifndef CURSORWIRE_CONVERSATION_H_
#define CURSORWIRE_CONVERSATION_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/async_chat.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/chat.h"
#include "cursorwire/chat_observer.h"
#include "cursorwire/chat_stream.h"
#include "cursorwire/client.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/export.h"
#include "cursorwire/history.h"

namespace cursorwire {

// What a turn goes on from.
enum class StatePolicy {
  // The service's own state of the conversation, as long as it fits the history; else the history.
  kTrustCheckpoint,
  // The history, in every turn: the service may have shortened its state, or replaced parts of it.
  // What a history does not hold, such as files that the agent has read, is told anew each time.
  kRebuildEveryTurn,
};

// What is kept of a turn that ends before the service says that it is complete: one that is
// cancelled or fails. What is kept is part of history() with its `ending`, of Save() and
// Serialize(), and the agent is told of it in the next turn: what was asked, said and done, and
// that the turn was not completed. The service's own state stays that of the last completed turn.
enum class UnfinishedTurns {
  // Nothing: the next turn goes on as if it had not been.
  kForget,
  // One in which something was said, or an action was asked for: files may have changed.
  kKeepAnswered,
  // Also one of which only the question is known, for sessions in which a person says "try again":
  // but none that was refused as a request, which might be refused with every later turn, too.
  kKeepAsked,
};

// A value.
struct ConversationOptions {
  StatePolicy state_policy = StatePolicy::kTrustCheckpoint;
  UnfinishedTurns unfinished_turns = UnfinishedTurns::kKeepAnswered;
  // Where blobs are kept; several conversations may share it. nullptr: in memory.
  std::shared_ptr<BlobStore> blobs{};
  // A UUID; empty: one is made up.
  std::string id{};
};

// A conversation as bytes, for a program that keeps it in a store of its own. A value.
//
// The blobs are apart, since turn after turn has most of them again: a store that keeps each under
// the SHA-256 of its bytes keeps it once. Those that were used last stand last: when the service
// stores more than 128 MiB, others make room.
struct SavedConversation {
  std::string bytes{};  // what was said, and the state; no token
  // Those that the state needs, and others that the service has stored, each once.
  std::vector<std::string> blobs{};
};

// What a Conversation holds in memory, in bytes. A value.
struct ConversationBytes {
  size_t history = 0;  // its texts
  size_t state = 0;    // that of the service
  size_t blobs = 0;    // those that the service has stored, and 256 bytes more for each

  size_t total() const { return history + state + blobs; }
};

// Several turns with the agent, which remembers the turns before.
//
//   Conversation talk = client->NewConversation();
//   absl::StatusOr<ChatAnswer> first = talk.Chat({.prompt = "My name is Ada."}).Collect();
//   absl::StatusOr<ChatAnswer> second = talk.Chat({.prompt = "What is my name?"}).Collect();
//   absl::Status saved = talk.Save("ada.session");
//
// One turn at a time: a Chat() while another turn goes on ends at once with kFailedPrecondition. A
// turn goes on until its last element was taken. A turn joins the history when the service says
// that it is complete (TurnEnded), or when its last element says that it was cancelled or has
// failed (UnfinishedTurns). One that was given up (its stream was destroyed before) does not count:
// to stop a turn and keep what was said, call Cancel() and take the rest. Each turn sends a whole
// ChatRequest: model, rules, mode and tools may change.
//
// It remembers a turn as its text, tool calls and results (history()), and the service's own state
// as opaque bytes with their blobs. Where the state does not fit, the next turn is built from the
// history, and StateRebuilt says why. Source: docs/protocol.md, several turns.
//
// Thread-safe. It may outlive its Client, but its turns then end with kCancelled. One that was
// moved from may only be destroyed or assigned to; destroying it does not end its turn.
class CURSORWIRE_EXPORT Conversation {
 public:
  // Reads what Save() wrote. The file is as good as its user's word about what was said: if blobs
  // or the state are damaged or missing, the next turn is built from the history.
  //   kNotFound            there is no such file
  //   kFailedPrecondition  others than its owner may read it, or another process uses it
  //   kDataLoss            it is not a session, or its history is damaged
  //   kUnimplemented       a newer version of this library wrote it
  static absl::StatusOr<Conversation> Load(const Client& client, const std::string& file,
                                           ConversationOptions options = {});

  ~Conversation();
  Conversation(Conversation&&) noexcept;
  Conversation& operator=(Conversation&&) noexcept;

  // As of Client.
  ChatStream Chat(const ChatRequest& request);
  ChatCall Chat(const ChatRequest& request, std::shared_ptr<ChatObserver> observer);
  AsyncChat ChatAsync(const ChatRequest& request, connect::Executor executor = {});

  // The id that the service knows; it changes when the history was rewritten or its state is lost.
  // Empty before the first turn, unless ConversationOptions has one.
  std::string id() const;
  // The model of the last turn; empty before it.
  std::string model() const;
  // ChatRequest::system of the last completed turn, which the state has; empty before it.
  std::string rules() const;
  // The completed turns, and those that were kept although they were not (HistoryTurn::ending).
  std::vector<HistoryTurn> history() const;
  // For programs that hold many conversations, and want a bound of all. Takes the same short time
  // whatever is held. What a turn that goes on has stored so far is counted with the blobs.
  ConversationBytes bytes() const;
  // Puts another history in place: edited, shortened, or of another program. If it differs, the
  // next turn is built from it, with a new id.
  //   kFailedPrecondition  a turn goes on
  //   kInvalidArgument     a text is not UTF-8
  absl::Status SetHistory(std::vector<HistoryTurn> turns);
  // Another conversation that goes on after the first `turns` turns of this one. Both share the
  // blobs. More than there are means all.
  Conversation Fork(size_t turns) const;

  // Writes all of it into one file, which takes the place of the former one at once: whenever the
  // process ends, the file is whole. Mode 0600. What a turn that goes on does is not in it.
  //   kFailedPrecondition  others than its owner may read the file that is there, or another
  //   process
  //                        uses it (SessionFile in session_file.h holds it over many turns)
  //   and what the operating system says
  absl::Status Save(const std::string& file) const;

  // The same for a store of the caller's own: all of it as of now, without what a turn that goes on
  // does. It takes as long as copying the blobs.
  SavedConversation Serialize() const;
  // Goes on with what Serialize() returned, also in another process. As of Load(), a state that is
  // damaged, or that lacks some of its blobs, costs no more than the next turn: it is built from
  // the history.
  //   kDataLoss       these are not the bytes of a conversation, or its history is damaged
  //   kUnimplemented  a newer version of this library wrote them
  static absl::StatusOr<Conversation> Deserialize(const Client& client,
                                                  const SavedConversation& saved,
                                                  ConversationOptions options = {});

 private:
  friend class Client;
  friend class SessionFile;
  Conversation(std::weak_ptr<Client::Impl> client, std::shared_ptr<class ConversationCore> core);

  std::weak_ptr<Client::Impl> client_;
  std::shared_ptr<class ConversationCore> core_;  // shared with the turns
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CONVERSATION_H_
