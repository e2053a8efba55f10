#include "agent/history/state_blobs.h"

#include <absl/container/flat_hash_set.h>

#include <optional>
#include <utility>

#include "agent/v1/conversation.pb.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr size_t kIdBytes = 32;
// A state may hold states of sub-agents, which may hold others.
constexpr int kMaxStateDepth = 16;

class Walk {
 public:
  explicit Walk(const BlobStore& blobs) : blobs_(blobs) {}

  void AddState(const pb::ConversationStateStructure& state, int depth = 0) {
    for (const std::string& id : state.root_prompt_messages_json()) Add(id);
    for (const std::string& id : state.todos()) Add(id);
    Add(state.summary());
    Add(state.plan());
    for (const std::string& id : state.turns()) AddTurnBlob(id);
    AddArchive(state.summary_archive());
    for (const std::string& id : state.summary_archives()) AddArchive(id);
    for (const auto& [path, id] : state.file_states()) Add(id);
    for (const auto& [path, file] : state.file_states_v2()) {
      Add(file.content());
      Add(file.initial_content());
    }
    for (const auto& [name, id] : state.subagent_state_refs()) Add(id);
    for (const auto& [name, agent] : state.subagent_states()) {
      if (depth < kMaxStateDepth) AddState(agent.conversation_state(), depth + 1);
    }
  }

  StateBlobs Take() { return std::move(result_); }

 private:
  // True if the store has the blob and it was not seen before. Anything but an id is data that the
  // server keeps in the state itself.
  bool Add(const std::string& id) {
    if (id.size() != kIdBytes || seen_.contains(id)) return false;
    if (seen_.size() >= kMaxStateBlobs || !blobs_.Contains(id)) {
      if (seen_.size() < kMaxStateBlobs) seen_.insert(id);
      ++result_.missing;
      return false;
    }
    seen_.insert(id);
    result_.found.push_back(id);
    return true;
  }

  // A blob that names others: its message, unless it was seen or is not what it should be.
  template <typename Message>
  std::optional<Message> AddMessage(const std::string& id) {
    if (!Add(id)) return std::nullopt;
    Message message;
    if (!message.ParseFromString(blobs_.Peek(id).value_or(""))) return std::nullopt;
    return message;
  }

  void AddTurnBlob(const std::string& id) {
    const auto turn = AddMessage<pb::ConversationTurnStructure>(id);
    if (!turn) return;
    Add(turn->agent_conversation_turn().user_message());
    for (const std::string& step : turn->agent_conversation_turn().steps()) Add(step);
    Add(turn->shell_conversation_turn().shell_command());
    Add(turn->shell_conversation_turn().shell_output());
  }

  void AddArchive(const std::string& id) {
    const auto archive = AddMessage<pb::ConversationSummaryArchive>(id);
    if (!archive) return;
    for (const std::string& message : archive->summarized_messages()) Add(message);
    Add(archive->summary_message());
  }

  const BlobStore& blobs_;
  StateBlobs result_;
  absl::flat_hash_set<std::string> seen_;
};

}  // namespace

StateBlobs FindStateBlobs(std::string_view state, const BlobStore& blobs) {
  pb::ConversationStateStructure message;
  if (!message.ParseFromArray(state.data(), static_cast<int>(state.size()))) return {};
  Walk walk(blobs);
  walk.AddState(message);
  return walk.Take();
}

}  // namespace cursorwire::agent
