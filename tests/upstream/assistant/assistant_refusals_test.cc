#include "upstream/assistant/assistant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/assistant/assistant_client.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;
using test::FromText;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// --- what is not allowed

// The good request, changed.
pb::AgentClientMessage Changed(void (*change)(pb::AgentRunRequest&)) {
  pb::AgentClientMessage message = FirstMessage("p");
  change(*message.mutable_run_request());
  return message;
}

TEST(Assistant, RefusesAFirstMessageThatIsNoRunRequest) {
  const char* const messages[] = {
      "",
      "client_heartbeat {}",
      "kv_client_message { id: 0 get_blob_result {} }",
      "exec_client_message { id: 1 request_context_result { success {} } }",
      "exec_client_control_message { stream_close { id: 1 } }",
      "conversation_action { cancel_action {} }",
      "interaction_response { id: 1 }",
  };
  for (const char* message : messages) {
    SCOPED_TRACE(message);
    Client client;
    EXPECT_THAT(client.Send(message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("first message")));
    EXPECT_THAT(client.messages(), IsEmpty());
  }
}

TEST(Assistant, RefusesARunRequestThatLacksSomething) {
  struct Case {
    const char* name;
    pb::AgentClientMessage message;
    const char* expected;
  };
  const Case cases[] = {
      {"empty", FromText<pb::AgentClientMessage>("run_request {}"), "user message"},
      {"no action", Changed([](pb::AgentRunRequest& r) { r.clear_action(); }), "user message"},
      {"resume",
       Changed([](pb::AgentRunRequest& r) { r.mutable_action()->mutable_resume_action(); }),
       "user message"},
      {"no text", Changed([](pb::AgentRunRequest& r) {
         r.mutable_action()->mutable_user_message_action()->mutable_user_message()->clear_text();
       }),
       "text"},
      {"no message_id", Changed([](pb::AgentRunRequest& r) {
         r.mutable_action()
             ->mutable_user_message_action()
             ->mutable_user_message()
             ->clear_message_id();
       }),
       "message_id"},
      {"no conversation_id", Changed([](pb::AgentRunRequest& r) { r.clear_conversation_id(); }),
       "conversation_id"},
      {"no model", Changed([](pb::AgentRunRequest& r) { r.clear_requested_model(); }), "model"},
      {"broken state", Changed([](pb::AgentRunRequest& r) { r.set_conversation_state("\xFF"); }),
       "conversation_state"},
      {"inline data in place of a blob id", Changed([](pb::AgentRunRequest& r) {
         pb::ConversationStateStructure state;
         state.add_root_prompt_messages_json(kSystemBlob);
         r.set_conversation_state(state.SerializeAsString());
       }),
       "blob id"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Client client;
    EXPECT_THAT(client.Send(c.message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.expected)));
  }
}

TEST(Assistant, RefusesWhatTheProtocolDoesNotAllowWithinARun) {
  struct Case {
    const char* name;
    std::vector<const char*> messages;  // after the run request; the last is refused
    const char* expected;
  };
  constexpr char kContext[] = "exec_client_message { id: 1 request_context_result { success {} } }";
  constexpr char kClose[] = "exec_client_control_message { stream_close { id: 1 } }";
  constexpr char kBlobAnswer[] = "kv_client_message { id: 0 get_blob_result { blob_data: \"a\" } }";
  const Case cases[] = {
      {"empty message", {""}, "without a message"},
      {"wrong kv id",
       {"kv_client_message { id: 2 get_blob_result { blob_data: \"a\" } }"},
       "kv answer 2"},
      {"same blob twice", {kBlobAnswer, kBlobAnswer}, "kv answer 0"},
      {"set_blob_result to a get", {"kv_client_message { set_blob_result {} }"}, "kv answer 0"},
      {"kv answer without a result", {"kv_client_message {}"}, "kv answer 0"},
      {"blob not matching its id",
       {"kv_client_message { get_blob_result { blob_data: \"b\" } }"},
       "does not match"},
      {"empty blob for one that is not",
       {"kv_client_message { get_blob_result { blob_data: \"\" } }"},
       "does not match"},
      {"wrong exec id",
       {"exec_client_message { id: 2 request_context_result { success {} } }"},
       "exec 2"},
      {"exec result twice", {kContext, kContext}, "exec 1"},
      {"another type of result",
       {"exec_client_message { id: 1 ls_result { rejected {} } }"},
       "request context"},
      {"kv answer to the turn twice",
       {kContext, kBlobAnswer, kClose, "kv_client_message { id: 1 set_blob_result {} }",
        "kv_client_message { id: 1 set_blob_result {} }"},
       "kv answer 1"},
      {"context without success",
       {"exec_client_message { id: 1 request_context_result {} }"},
       "request context"},
      {"close before the result", {kClose}, "exec control"},
      {"close of another exec",
       {kContext, "exec_client_control_message { stream_close { id: 2 } }"},
       "exec control"},
      {"close twice", {kContext, kClose, kClose}, "exec control"},
      {"heartbeat of another exec",
       {"exec_client_control_message { heartbeat { id: 2 } }"},
       "exec control"},
      {"heartbeat after the result",
       {kContext, "exec_client_control_message { heartbeat { id: 1 } }"},
       "exec control"},
      {"throw for the context",
       {"exec_client_control_message { throw { id: 1 error: \"x\" } }"},
       "exec control"},
      {"another action", {"conversation_action { user_message_action {} }"}, "cancel"},
      {"answer to no query", {"interaction_response { id: 1 }"}, "interaction_response"},
      {"turn not stored",
       {kContext, kBlobAnswer, kClose,
        "kv_client_message { id: 1 set_blob_result { error { message: \"full\" } } }"},
       "full"},
      {"get_blob_result to a set",
       {kContext, kBlobAnswer, kClose, "kv_client_message { id: 1 get_blob_result {} }"},
       "kv answer 1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Client client;
    ASSERT_THAT(client.Send(FirstMessage("p", {"a"})), IsOk());
    for (size_t i = 0; i + 1 < c.messages.size(); ++i) {
      ASSERT_THAT(client.Send(c.messages[i]), IsOk());
    }
    EXPECT_THAT(client.Send(c.messages.back()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.expected)));
  }
}

TEST(Assistant, RefusesASecondRunRequest) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p")), IsOk());
  EXPECT_THAT(client.Send(FirstMessage("p")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("second run_request")));
}

TEST(Assistant, EndsWithBlobNotFoundForABlobThatTheClientDoesNotHave) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p", {"not kept"})), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(),
              StatusIs(absl::StatusCode::kInternal, StartsWith("Blob not found")));
  EXPECT_EQ(client.CountOf("text_delta"), 0u);
}

}  // namespace
}  // namespace cursorwire::upstream
