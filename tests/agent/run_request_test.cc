#include "agent/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "agent/blob_store.h"
#include "agent/known_ids.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "support/hex.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::Golden;
using test::KnownIds;
using ::testing::Eq;
using ::testing::Optional;
using ::testing::SizeIs;

constexpr char kSystemMessage[] = R"({"role":"system","content":"You are an agent."})";

pb::ConversationStateStructure StateOf(const pb::AgentClientMessage& message) {
  pb::ConversationStateStructure state;
  EXPECT_TRUE(state.ParseFromString(message.run_request().conversation_state()));
  return state;
}

TEST(MakeRunRequest, MatchesTheGolden) {
  KnownIds ids;
  ids.Uuid();  // that of the request headers
  BlobStore blobs;
  const pb::AgentClientMessage message = MakeRunRequest({.prompt = "Say hi."}, ids, blobs);
  EXPECT_EQ(message.SerializeAsString(), Golden("agent_run_request.hex"));
}

TEST(MakeRunRequest, MatchesTheGoldenWithRules) {
  KnownIds ids;
  ids.Uuid();
  BlobStore blobs;
  const pb::AgentClientMessage message =
      MakeRunRequest({.prompt = "Gr\u00FC\u00DFe",
                      .model = "model-x",
                      .system = "Answer \"briefly\".",
                      .conversation_id = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d"},
                     ids, blobs);
  EXPECT_EQ(message.SerializeAsString(), Golden("agent_run_request_rules.hex"));
}

TEST(MakeRunRequest, PutsTheBlobsThatItNames) {
  KnownIds ids;
  BlobStore blobs;
  const pb::ConversationStateStructure state =
      StateOf(MakeRunRequest({.prompt = "p", .system = "Answer \"briefly\"."}, ids, blobs));
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(2));
  EXPECT_THAT(blobs.Get(state.root_prompt_messages_json(0)), Optional(Eq(kSystemMessage)));
  EXPECT_THAT(
      blobs.Get(state.root_prompt_messages_json(1)),
      Optional(Eq(
          R"({"role":"user","content":[{"type":"text","text":"<rules>\nAnswer \"briefly\".\n</rules>"}]})")));
}

TEST(MakeRunRequest, SendsNoRulesWithoutSystemText) {
  KnownIds ids;
  BlobStore blobs;
  const pb::ConversationStateStructure state = StateOf(MakeRunRequest({.prompt = "p"}, ids, blobs));
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(1));
  EXPECT_THAT(blobs.Get(state.root_prompt_messages_json(0)), Optional(Eq(kSystemMessage)));
}

TEST(MakeRunRequest, KeepsThePromptOutOfTheBlobs) {
  // docs/protocol.md, root prompt messages: the text of the current message is not in the list.
  KnownIds ids;
  BlobStore blobs;
  const pb::AgentClientMessage message = MakeRunRequest({.prompt = "p"}, ids, blobs);
  EXPECT_THAT(StateOf(message).turns(), SizeIs(0));
  EXPECT_FALSE(message.run_request().has_mcp_tools());
  EXPECT_THAT(message.run_request().pre_fetched_blobs(), SizeIs(0));
}

}  // namespace
}  // namespace cursorwire::agent
