#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ASSISTANT_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ASSISTANT_H_

#include <absl/status/status.h>

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/connect/time_point.h"
#include "upstream/assistant/folder_look.h"
#include "upstream/assistant/transcript.h"

namespace cursorwire::upstream {

// The server's part in one run, message by message, without I/O. It follows the order of a real
// turn (docs/protocol.md, end of a run). Its answer depends on the request: it looks into the
// user's folder by execs if it is asked to, and remembers what was said in earlier turns.
//
// Order: On() for each message of the client; after each, and after OnDeadline(), PollMessage()
// until nullopt. Once done() and all messages are polled, end_status() goes into the end-stream.
// Thread-compatible.
class Assistant {
 public:
  using TimePoint = connect::TimePoint;

  explicit Assistant(std::chrono::milliseconds word_interval) : word_interval_(word_interval) {}

  //   kInvalidArgument  the protocol does not allow this message here; the run has ended
  absl::Status On(const ::agent::v1::AgentClientMessage& message, TimePoint now);
  std::optional<::agent::v1::AgentServerMessage> PollMessage();

  bool done() const { return done_; }
  const absl::Status& end_status() const { return end_status_; }

  std::optional<TimePoint> NextDeadline() const { return next_word_; }
  void OnDeadline(TimePoint now);

 private:
  absl::Status OnRunRequest(const ::agent::v1::AgentRunRequest& request);
  absl::Status OnKv(const ::agent::v1::KvClientMessage& message, TimePoint now);
  absl::Status OnSaved(const ::agent::v1::SetBlobResult& result);
  absl::Status OnExecResult(const ::agent::v1::ExecClientMessage& message);
  absl::Status OnContext(const ::agent::v1::RequestContextResult& result);
  absl::Status OnExecControl(const ::agent::v1::ExecClientControlMessage& message, TimePoint now);
  void OnCancel();

  const std::string& prompt() const;
  ::agent::v1::AgentServerMessage& Add();
  void AskFor(::agent::v1::ExecServerMessage exec);
  // Looks on, and answers once it has seen everything.
  void GoOn(TimePoint now);
  void Answer(TimePoint now);
  void SayWords(TimePoint now);
  void SayWord(const std::string& word);
  void SaveTurn();
  // Has the client store `blob`; returns its id.
  std::string Save(const std::string& blob);
  void SayTail();
  void SayCheckpoint(const ::agent::v1::ConversationStateStructure& state);
  void End(absl::Status status);

  // Execs run one at a time; for each, its result comes first, then its close.
  struct Exec {
    uint32_t id = 0;
    bool answered = false;
  };

  const std::chrono::milliseconds word_interval_;
  std::deque<::agent::v1::AgentServerMessage> messages_;

  bool started_ = false;
  ::agent::v1::AgentRunRequest request_;
  ::agent::v1::ConversationStateStructure state_;
  std::map<uint32_t, std::string> wanted_blobs_;  // by the id of the kv message
  std::map<uint32_t, std::string> prompt_blobs_;  // likewise; blobs that have arrived
  std::set<uint32_t> saving_;                     // ids of set_blobs without an answer yet
  uint32_t next_kv_ = 0;
  std::optional<Exec> exec_;
  uint32_t next_exec_ = 1;

  std::string workspace_ = ".";  // as reported by the client
  Transcript transcript_;
  std::optional<FolderLook> look_;  // set once blobs and context have arrived
  std::vector<std::string> words_;
  size_t next_word_index_ = 0;
  std::optional<TimePoint> next_word_;
  bool done_ = false;
  absl::Status end_status_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_ASSISTANT_H_
