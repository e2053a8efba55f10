#include "agent/run/run_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/run/known_ids.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/chat.h"
#include "support/hex.h"
#include "support/status_matchers.h"
#include "wire/selected_context.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::FromHex;
using test::Golden;
using test::KnownIds;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kSystemMessage[] = R"({"role":"system","content":"You are an agent."})";

pb::ConversationStateStructure StateOf(const pb::AgentClientMessage& message) {
  pb::ConversationStateStructure state;
  EXPECT_TRUE(state.ParseFromString(message.run_request().conversation_state()));
  return state;
}

const ToolOffer kNoTools{ToolRegistry()};

TEST(MakeRunRequest, MatchesTheGolden) {
  KnownIds ids;
  ids.Uuid();  // that of the request headers
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message =
      MakeRunRequest({.prompt = "Say hi."}, {}, {}, kNoTools, ids, blobs);
  EXPECT_EQ(message.SerializeAsString(), Golden("agent_run_request.hex"));
}

TEST(MakeRunRequest, MatchesTheGoldenWithRules) {
  KnownIds ids;
  ids.Uuid();
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message = MakeRunRequest(
      {.prompt = "Gr\u00FC\u00DFe", .model = "model-x", .system = "Answer \"briefly\"."},
      {.id = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d"}, {}, kNoTools, ids, blobs);
  EXPECT_EQ(message.SerializeAsString(), Golden("agent_run_request_rules.hex"));
}

TEST(MakeRunRequest, AsksForTheModelWithItsParameters) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message =
      MakeRunRequest({.prompt = "p",
                      .model = "acme-5.5",
                      .max_mode = true,
                      .model_parameters = {{"context", "1m"}, {"reasoning", "high"}}},
                     {}, {}, kNoTools, ids, blobs);
  // docs/protocol.md, requested model: model_id, max_mode, two parameters.
  EXPECT_EQ(message.run_request().requested_model().SerializeAsString(),
            test::FromHex("0A 08 61636D652D352E35"
                          "10 01"
                          "1A 0D 0A 07 636F6E74657874 12 02 316D"
                          "1A 11 0A 09 726561736F6E696E67 12 04 68696768"));
}

TEST(MakeRunRequest, PutsTheBlobsThatItNames) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::ConversationStateStructure state = StateOf(MakeRunRequest(
      {.prompt = "p", .system = "Answer \"briefly\"."}, {}, {}, kNoTools, ids, blobs));
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(2));
  EXPECT_THAT(blobs.Get(state.root_prompt_messages_json(0)), Optional(Eq(kSystemMessage)));
  EXPECT_THAT(
      blobs.Get(state.root_prompt_messages_json(1)),
      Optional(Eq(
          R"({"role":"user","content":[{"type":"text","text":"<rules>\nAnswer \"briefly\".\n</rules>"}]})")));
}

TEST(MakeRunRequest, SendsNoRulesWithoutSystemText) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::ConversationStateStructure state =
      StateOf(MakeRunRequest({.prompt = "p"}, {}, {}, kNoTools, ids, blobs));
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(1));
  EXPECT_THAT(blobs.Get(state.root_prompt_messages_json(0)), Optional(Eq(kSystemMessage)));
}

TEST(MakeRunRequest, KeepsThePromptOutOfTheBlobs) {
  // docs/protocol.md, root prompt messages: the text of the current message is not in the list.
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message =
      MakeRunRequest({.prompt = "p"}, {}, {}, kNoTools, ids, blobs);
  EXPECT_THAT(StateOf(message).turns(), SizeIs(0));
  EXPECT_FALSE(message.run_request().has_mcp_tools());
  EXPECT_THAT(message.run_request().pre_fetched_blobs(), SizeIs(0));
}

TEST(MakeRunRequest, TellsWhereTheUserWorks) {
  KnownIds ids;
  MemoryBlobStore blobs;
  EXPECT_THAT(StateOf(MakeRunRequest({.prompt = "p"}, {}, {.workspace = "/a b/\u00FC"}, kNoTools,
                                     ids, blobs))
                  .previous_workspace_uris(),
              ElementsAre("file:///a%20b/%C3%BC"));
}

TEST(MakeRunRequest, GoesOnFromAStateVerbatim) {
  KnownIds ids;
  MemoryBlobStore blobs;
  // Whatever it is: fields that no schema has, in any order.
  const std::string state = FromHex("B2 3E 01 78  0A 02 61 62");
  const pb::AgentClientMessage message = MakeRunRequest(
      {.prompt = "p"}, {.id = "c", .state = state}, {.workspace = "/w"}, kNoTools, ids, blobs);
  EXPECT_EQ(message.run_request().conversation_state(), state);
  EXPECT_EQ(message.run_request().conversation_id(), "c");
}

TEST(MakeRunRequest, AddsNewRulesBehindAStateOnce) {
  KnownIds ids;
  MemoryBlobStore blobs;
  ChatRequest request{.prompt = "p", .system = "Be brief."};
  RunConversation conversation{.id = "c", .state = "\x50\x01"};
  const std::string first = MakeRunRequest(request, conversation, {}, kNoTools, ids, blobs)
                                .run_request()
                                .conversation_state();
  EXPECT_THAT(first, StartsWith(conversation.state));
  pb::ConversationStateStructure state;
  ASSERT_TRUE(state.ParseFromString(first));
  EXPECT_EQ(state.mode(), pb::AGENT_MODE_AGENT);
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(1));
  EXPECT_THAT(blobs.Get(state.root_prompt_messages_json(0)), Optional(HasSubstr("Be brief.")));

  conversation.state = first;
  EXPECT_EQ(MakeRunRequest(request, conversation, {}, kNoTools, ids, blobs)
                .run_request()
                .conversation_state(),
            first);
  request.system = "Be long.";
  ASSERT_TRUE(state.ParseFromString(MakeRunRequest(request, conversation, {}, kNoTools, ids, blobs)
                                        .run_request()
                                        .conversation_state()));
  EXPECT_THAT(state.root_prompt_messages_json(), SizeIs(2));
}

TEST(MakeRunRequest, AddsRulesThatWereInForceBeforeOthers) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const auto ask = [&](const char* system, const std::string& state, const char* rules) {
    return MakeRunRequest({.prompt = "p", .system = system},
                          {.id = "c", .state = state, .rules = rules}, {}, kNoTools, ids, blobs)
        .run_request()
        .conversation_state();
  };
  const std::string first = ask("A", "\x50\x01", "");
  EXPECT_EQ(ask("A", first, "A"), first);
  EXPECT_NE(ask("A", "\x50\x01", "A"), "\x50\x01");  // they went another way, or got lost
  const std::string second = ask("B", first, "A");
  const std::string third = ask("A", second, "B");
  pb::ConversationStateStructure state;
  ASSERT_TRUE(state.ParseFromString(third));
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(3));
  EXPECT_EQ(state.root_prompt_messages_json(2), state.root_prompt_messages_json(0));
}

// docs/protocol.md, traps, 20: the server would not read it, in this turn and all that follow.
TEST(CheckRunRequest, RefusesAStateThatIsDamaged) {
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(std::string(32, 'b'));
  state.add_previous_workspace_uris("file:///w");
  state.set_mode(pb::AGENT_MODE_PLAN);
  const std::string whole = state.SerializeAsString();
  const ChatRequest request{.prompt = "p"};
  RunConversation conversation{.id = "c", .blobs = std::make_shared<MemoryBlobStore>()};
  int damaged = 0;
  for (size_t size = 1; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    conversation.state = whole.substr(0, size);
    pb::ConversationStateStructure parsed;
    if (parsed.ParseFromString(conversation.state)) {
      EXPECT_THAT(CheckRunRequest(request, conversation), test::IsOk());
    } else {
      ++damaged;
      EXPECT_THAT(CheckRunRequest(request, conversation),
                  test::StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("damaged")));
    }
  }
  EXPECT_GT(damaged, 30);
}

TEST(MakeRunRequest, LeavesRulesForTheRequestContextWhereTheyArePlacedThere) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::ConversationStateStructure state = StateOf(MakeRunRequest(
      {.prompt = "p", .system = "Be brief.", .system_placement = SystemPlacement::kCloudRule}, {},
      {}, kNoTools, ids, blobs));
  EXPECT_THAT(state.root_prompt_messages_json(), SizeIs(1));
}

TEST(MakeRunRequest, ShowsImagesWithTheirTypes) {
  struct Case {
    std::string bytes;
    const char* mime_type;
  };
  const Case cases[] = {{"\xFF\xD8\xFF\xE0rest", "image/jpeg"},
                        {"\x89PNG\r\n\x1A\nrest", "image/png"},
                        {"GIF87arest", "image/gif"},
                        {"GIF89arest", "image/gif"},
                        {std::string("RIFF\x10\x00\x00\x00WEBPrest", 16), "image/webp"}};
  ChatRequest request{.prompt = "p"};
  for (const Case& c : cases) request.images.push_back(c.bytes);
  ASSERT_THAT(CheckRunRequest(request, {}), test::IsOk());
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message = MakeRunRequest(request, {}, {}, kNoTools, ids, blobs);
  const pb::SelectedContext& context =
      message.run_request().action().user_message_action().user_message().selected_context();
  ASSERT_THAT(context.selected_images(), SizeIs(std::size(cases)));
  for (size_t i = 0; i < std::size(cases); ++i) {
    SCOPED_TRACE(cases[i].mime_type);
    const pb::SelectedImage& image = context.selected_images(static_cast<int>(i));
    EXPECT_EQ(image.data(), cases[i].bytes);
    EXPECT_EQ(image.mime_type(), cases[i].mime_type);
    EXPECT_THAT(image.uuid(), SizeIs(36));
  }
}

AttachedFolder SampleFolder() {
  LsFolder big{.path = "/w/src/big", .extension_counts = {{".cc", 7}}, .file_count = 7};
  return {.tree = {.path = "/w/src",
                   .folders = {std::move(big)},
                   .files = {"a.txt"},
                   .listed = true,
                   .file_count = 8},
          .relative_path = "src"};
}

TEST(MakeRunRequest, MatchesTheGoldenWithAttachments) {
  KnownIds ids;
  ids.Uuid();
  MemoryBlobStore blobs;
  const ChatRequest request{.prompt = "See.",
                            .attachments = {AttachedFile{.path = "/w/src/a.txt",
                                                         .relative_path = "src/a.txt",
                                                         .content = "one\ntwo\n"},
                                            SampleFolder()}};
  ASSERT_THAT(CheckRunRequest(request, {}), test::IsOk());
  const pb::AgentClientMessage message = MakeRunRequest(request, {}, {}, kNoTools, ids, blobs);
  const pb::UserMessage& user = message.run_request().action().user_message_action().user_message();
  EXPECT_EQ(user.SerializeAsString(), Golden("user_message_attachments.hex"));
  const std::optional<std::string> blob = blobs.Get(user.conversation_state_blob_id());
  ASSERT_TRUE(blob);
  EXPECT_THAT(DecodeSelectedContextBlob(*blob),
              test::IsOkAndHolds(SelectedContextBlob{
                  .root_prompt_blob_ids = {StateOf(message).root_prompt_messages_json(0)}}));
}

TEST(MakeRunRequest, NamesTheStateBeforeTheMessageOnlyWithAttachments) {
  KnownIds ids;
  MemoryBlobStore blobs;
  const pb::AgentClientMessage message =
      MakeRunRequest({.prompt = "p"}, {}, {}, kNoTools, ids, blobs);
  EXPECT_EQ(message.run_request()
                .action()
                .user_message_action()
                .user_message()
                .conversation_state_blob_id(),
            "");
}

TEST(MakeRunRequest, AttachesAgainWhereATurnIsToldAgain) {
  KnownIds ids;
  MemoryBlobStore blobs;
  RunConversation conversation;
  conversation.start = RunStart::kContinue;
  const pb::AgentClientMessage message = MakeRunRequest(
      {.prompt = "p", .attachments = {SampleFolder()}}, conversation, {}, kNoTools, ids, blobs);
  EXPECT_THAT(message.run_request()
                  .action()
                  .user_message_action()
                  .user_message()
                  .selected_context()
                  .folders(),
              SizeIs(1));
}

TEST(CheckRunRequest, RefusesAttachmentsAndRulesThatAreNoTextOrTooLarge) {
  const auto check = [](const ChatRequest& request) {
    return std::string(CheckRunRequest(request, {}).message());
  };
  const std::string large(17 << 20, 'x');
  EXPECT_THAT(check({.prompt = "p", .attachments = {AttachedFile{.content = "\xFF"}}}),
              HasSubstr("attachment 1 is not text"));
  EXPECT_THAT(check({.prompt = "p", .attachments = {AttachedFile{.content = large}}}),
              HasSubstr("larger than 16 MiB"));
  EXPECT_THAT(check({.prompt = "p", .attachments = std::vector<Attachment>(1001)}),
              HasSubstr("more than 1000 attachments"));
  EXPECT_THAT(check({.prompt = "p", .rules = {{.content = "\xFF"}}}),
              HasSubstr("rule 1 is not text"));
  EXPECT_THAT(check({.prompt = "p", .rules = {{.content = large}}}),
              HasSubstr("larger than 4 MiB"));
  EXPECT_THAT(check({.prompt = "p", .rules = std::vector<AgentRule>(1001)}),
              HasSubstr("more than 1000 rules"));
  EXPECT_THAT(check({.prompt = "p", .git_repositories = {{.branch = "\xFF"}}}),
              HasSubstr("git repository is not text"));
  EXPECT_THAT(check({.prompt = "p", .git_repositories = {{.status = large}}}),
              HasSubstr("larger than 4 MiB"));
  EXPECT_THAT(check({.prompt = "p", .project_layouts = {{.files = {large}}}}),
              HasSubstr("larger than 4 MiB"));
  EXPECT_THAT(check({.prompt = "p", .project_layouts = std::vector<LsFolder>(1001)}),
              HasSubstr("more than 1000 layouts"));
  EXPECT_EQ(check({.prompt = "p", .project_layouts = {{.path = "/w", .files = {"\xFF"}}}}), "");
}

}  // namespace
}  // namespace cursorwire::agent
