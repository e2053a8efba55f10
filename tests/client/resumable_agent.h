#ifndef CURSORWIRE_TESTS_CLIENT_RESUMABLE_AGENT_H_
#define CURSORWIRE_TESTS_CLIENT_RESUMABLE_AGENT_H_

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "base/sha256.h"
#include "support/proto_text.h"
#include "support/test_server.h"

namespace cursorwire::test {

// The service in one turn with two tools and four checkpoints, which can be begun anywhere: by its
// prompt, from any of its checkpoints, or after what a client tells it of the turn. So a client
// that loses the connection at any byte can go on, and the whole is known.
class ResumableAgent {
 public:
  static constexpr char kText[] = "I look. First: r1. Second: r2. Done.";

  Behaviour behaviour() {
    return {.on_headers = [this](Exchange& exchange) { turns_[&exchange] = Turn(); },
            .on_body =
                [this](Exchange& exchange) {
                  for (const std::string& bytes : exchange.TakeMessages()) {
                    ::agent::v1::AgentClientMessage message;
                    EXPECT_TRUE(message.ParseFromString(bytes));
                    On(message, turns_[&exchange], exchange);
                  }
                }};
  }

 private:
  enum class Kind { kText, kTool, kCompleted, kCheckpoint, kEnd };
  struct Step {
    Kind kind;
    const char* text;
  };
  static const std::vector<Step>& Steps() {
    static const std::vector<Step> steps = {
        {Kind::kText, "I "},       {Kind::kText, "look. "},   {Kind::kCheckpoint, "s1"},
        {Kind::kText, "First: "},  {Kind::kTool, "1"},        {Kind::kCompleted, "1"},
        {Kind::kCheckpoint, "s2"}, {Kind::kText, "r1. Sec"},  {Kind::kText, "ond: "},
        {Kind::kTool, "2"},        {Kind::kCheckpoint, "s3"}, {Kind::kText, "r2. "},
        {Kind::kText, "Done."},    {Kind::kEnd, ""},          {Kind::kCheckpoint, "s4"}};
    return steps;
  }

  struct Turn {
    size_t next = 0;
    bool waits = true;  // for the request, or a tool
    // For a client that tells the turn: the blobs that are still to come, and what came.
    size_t blobs_to_come = 0;
    std::string told;
    bool over = false;
  };

  static size_t After(Kind kind, const std::string& text) {
    for (size_t i = 0; i < Steps().size(); ++i) {
      if (Steps()[i].kind == kind && Steps()[i].text == text) return i + 1;
    }
    ADD_FAILURE() << "there is no step " << text;
    return Steps().size();
  }

  static void Send(const char* text, Exchange& exchange) {
    exchange.SendMessage(FromText<::agent::v1::AgentServerMessage>(text).SerializeAsString());
  }

  void On(const ::agent::v1::AgentClientMessage& message, Turn& turn, Exchange& exchange) {
    if (message.has_run_request()) return Start(message.run_request(), turn, exchange);
    if (message.has_kv_client_message()) {
      turn.told += message.kv_client_message().get_blob_result().blob_data();
      if (turn.blobs_to_come > 0 && --turn.blobs_to_come == 0)
        StartBehindWhatWasTold(turn, exchange);
    } else if (message.has_exec_client_message()) {
      turn.waits = false;
      Go(turn, exchange);
    }
  }

  void Start(const ::agent::v1::AgentRunRequest& request, Turn& turn, Exchange& exchange) {
    ::agent::v1::ConversationStateStructure state;
    EXPECT_TRUE(state.ParseFromString(request.conversation_state()));
    if (request.action().has_resume_action()) {
      turn.next = After(Kind::kCheckpoint, state.agent_type());
    } else if (request.action().user_message_action().user_message().text() != "Look.") {
      turn.blobs_to_come = static_cast<size_t>(state.root_prompt_messages_json_size());
      for (const std::string& id : state.root_prompt_messages_json()) {
        ::agent::v1::AgentServerMessage ask;
        ask.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(id);
        exchange.SendMessage(ask.SerializeAsString());
      }
      return;
    }
    turn.waits = false;
    Go(turn, exchange);
  }

  void StartBehindWhatWasTold(Turn& turn, Exchange& exchange) {
    const bool second =
        turn.told.find(R"("toolCallId":"c2","toolName":"mcp_cursorwire_look","result":"r2")") !=
        std::string::npos;
    EXPECT_NE(turn.told.find(R"("toolCallId":"c1","toolName":"mcp_cursorwire_look","result":"r1")"),
              std::string::npos)
        << turn.told;
    turn.next = After(Kind::kTool, second ? "2" : "1");
    turn.waits = false;
    Go(turn, exchange);
  }

  void Go(Turn& turn, Exchange& exchange) {
    while (!turn.waits && turn.next < Steps().size()) Do(Steps()[turn.next++], turn, exchange);
    if (!turn.waits && !std::exchange(turn.over, true)) {
      exchange.EndStream("{}");
      exchange.Finish();
    }
  }

  static void Do(const Step& step, Turn& turn, Exchange& exchange) {
    const std::string text = step.text;
    switch (step.kind) {
      case Kind::kText:
        return Send(("interaction_update { text_delta { text: '" + text + "' } }").c_str(),
                    exchange);
      case Kind::kCheckpoint:
        return exchange.SendMessage(Checkpoint(text));
      case Kind::kTool:
        turn.waits = true;
        Send(("interaction_update { tool_call_started { call_id: 'c" + text +
              "' tool_call { mcp_tool_call { args { name: 'look' } } } } }")
                 .c_str(),
             exchange);
        return Send(("exec_server_message { id: " + text +
                     " mcp_args { name: 'look' tool_call_id: 'c" + text + "' } }")
                        .c_str(),
                    exchange);
      case Kind::kCompleted:
        return Send(("interaction_update { tool_call_completed { call_id: 'c" + text +
                     "' tool_call { mcp_tool_call { args { name: 'look' } } } } }")
                        .c_str(),
                    exchange);
      case Kind::kEnd:
        return Send("interaction_update { turn_ended {} }", exchange);
    }
  }

  static std::string Checkpoint(const std::string& mark) {
    ::agent::v1::ConversationStateStructure state;
    state.set_agent_type(mark);
    ::agent::v1::AgentServerMessage message;
    message.set_conversation_checkpoint_update(state.SerializeAsString());
    return message.SerializeAsString();
  }

  std::map<Exchange*, Turn> turns_;  // used by the server's thread
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_CLIENT_RESUMABLE_AGENT_H_
