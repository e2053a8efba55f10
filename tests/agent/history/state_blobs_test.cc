#include "agent/history/state_blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/conversation.pb.h"
#include "base/sha256.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

// A state that names a blob in each of its places, and the ids in order.
struct Everything {
  MemoryBlobStore blobs;
  std::vector<std::string> ids;
  pb::ConversationStateStructure state;

  std::string Put(const std::string& bytes) {
    ids.push_back(blobs.Put(bytes));
    return ids.back();
  }

  Everything() {
    state.add_root_prompt_messages_json(Put("message"));
    state.add_todos(Put("todo"));
    state.set_summary(Put("summary"));
    state.set_plan(Put("plan"));
    pb::ConversationTurnStructure turn;
    turn.mutable_agent_conversation_turn()->set_user_message(Put("user"));
    turn.mutable_agent_conversation_turn()->add_steps(Put("step"));
    state.add_turns(Put(turn.SerializeAsString()));
    pb::ConversationTurnStructure shell;
    shell.mutable_shell_conversation_turn()->set_shell_command(Put("command"));
    shell.mutable_shell_conversation_turn()->set_shell_output(Put("output"));
    state.add_turns(Put(shell.SerializeAsString()));
    pb::ConversationSummaryArchive archive;
    archive.add_summarized_messages(Put("old message"));
    archive.set_summary_message(Put("summary message"));
    state.add_summary_archives(Put(archive.SerializeAsString()));
    state.set_summary_archive(Put("archive that does not parse \xFF"));
    (*state.mutable_file_states())["a"] = Put("file");
    (*state.mutable_file_states_v2())["b"].set_content(Put("file 2"));
    (*state.mutable_file_states_v2())["b"].set_initial_content(Put("file 2 before"));
    (*state.mutable_subagent_state_refs())["r"] = Put("state of a sub-agent");
    (*state.mutable_subagent_states())["s"].mutable_conversation_state()->add_todos(
        Put("todo of a sub-agent"));
  }
};

// docs/protocol.md, checkpoints.
TEST(FindStateBlobs, FollowsEveryPlaceThatNamesABlob) {
  const Everything all;
  const StateBlobs found = FindStateBlobs(all.state.SerializeAsString(), all.blobs);
  EXPECT_EQ(found.missing, 0u);
  EXPECT_THAT(found.found, UnorderedElementsAreArray(all.ids));
}

TEST(FindStateBlobs, CountsWhatIsMissing) {
  const Everything all;
  // What a missing turn names is not known.
  EXPECT_EQ(FindStateBlobs(all.state.SerializeAsString(), MemoryBlobStore()).missing, 13u);

  for (const std::string& id : all.ids) {
    MemoryBlobStore without;
    for (const std::string& other : all.ids) {
      if (other != id) without.Put(*all.blobs.Get(other));
    }
    EXPECT_GT(FindStateBlobs(all.state.SerializeAsString(), without).missing, 0u);
  }
}

TEST(FindStateBlobs, CountsABlobOnceAndTakesNothingElseForAnId) {
  MemoryBlobStore blobs;
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(blobs.Put("m"));
  state.add_root_prompt_messages_json(blobs.Put("m"));
  state.add_todos(Sha256("missing"));
  state.add_todos(Sha256("missing"));
  state.add_todos("data of the server");
  const StateBlobs found = FindStateBlobs(state.SerializeAsString(), blobs);
  EXPECT_THAT(found.found, SizeIs(1));
  EXPECT_EQ(found.missing, 1u);
}

TEST(FindStateBlobs, FindsNothingInWhatIsNoState) {
  const StateBlobs found = FindStateBlobs("\x0A\x7F", MemoryBlobStore());
  EXPECT_THAT(found.found, IsEmpty());
  EXPECT_EQ(found.missing, 0u);
}

}  // namespace
}  // namespace cursorwire::agent
