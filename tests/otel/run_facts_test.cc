#include "otel/run_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "agent/v1/run.pb.h"

namespace cursorwire::otel {
namespace {

namespace pb = ::agent::v1;

RunFacts FactsOfSent(const pb::AgentClientMessage& message) {
  RunFacts facts;
  AddSent(message.SerializeAsString(), facts);
  return facts;
}

pb::AgentClientMessage Request() {
  pb::AgentClientMessage message;
  pb::AgentRunRequest& run = *message.mutable_run_request();
  run.set_conversation_state("state");
  run.set_conversation_id("conversation");
  run.mutable_model_details()->set_model_id("details");
  run.mutable_requested_model()->set_model_id("gpt");
  return message;
}

pb::AgentServerMessage Text(const std::string& text, bool notice = false) {
  pb::AgentServerMessage message;
  pb::TextDeltaUpdate& delta = *message.mutable_interaction_update()->mutable_text_delta();
  delta.set_text(text);
  delta.set_is_server_notice(notice);
  return message;
}

TEST(RunFacts, AreReadFromTheRequest) {
  const RunFacts facts = FactsOfSent(Request());
  EXPECT_TRUE(facts.has_request);
  EXPECT_EQ(facts.model, "gpt");
  EXPECT_EQ(facts.conversation_id, "conversation");
  pb::AgentClientMessage old = Request();
  old.mutable_run_request()->clear_requested_model();
  EXPECT_EQ(FactsOfSent(old).model, "details");
}

TEST(RunFacts, AreReadFromTheFirstRequestAlone) {
  RunFacts facts = FactsOfSent(Request());
  pb::AgentClientMessage other = Request();
  other.mutable_run_request()->set_conversation_id("other");
  AddSent(other.SerializeAsString(), facts);
  EXPECT_EQ(facts.conversation_id, "conversation");
}

TEST(RunFacts, HaveNoIdThatIsTooLongOrNoText) {
  pb::AgentClientMessage message = Request();
  message.mutable_run_request()->mutable_requested_model()->set_model_id(std::string(256, 'm'));
  EXPECT_EQ(FactsOfSent(message).model, std::string(256, 'm'));
  message.mutable_run_request()->clear_model_details();
  message.mutable_run_request()->mutable_requested_model()->set_model_id(std::string(257, 'm'));
  EXPECT_EQ(FactsOfSent(message).model, "");
  RunFacts facts;
  AddSent(std::string("\x0a\x06\x4a\x04\x0a\x02\xff\xfe", 8), facts);
  EXPECT_TRUE(facts.has_request);
  EXPECT_EQ(facts.model, "");
}

TEST(RunFacts, KnowTheFirstText) {
  RunFacts facts;
  AddReceived(Text("").SerializeAsString(), facts);
  AddReceived(Text("notice", true).SerializeAsString(), facts);
  pb::AgentServerMessage thinking;
  thinking.mutable_interaction_update()->mutable_thinking_delta()->set_text("hm");
  AddReceived(thinking.SerializeAsString(), facts);
  EXPECT_FALSE(facts.has_text);
  AddReceived(Text("Hello").SerializeAsString(), facts);
  EXPECT_TRUE(facts.has_text);
}

TEST(RunFacts, KnowTheEndAndItsTokens) {
  pb::AgentServerMessage message;
  pb::TurnEndedUpdate& end = *message.mutable_interaction_update()->mutable_turn_ended();
  RunFacts without;
  AddReceived(message.SerializeAsString(), without);
  EXPECT_TRUE(without.is_ended);
  EXPECT_FALSE(without.input_tokens.has_value());
  end.set_input_tokens(7);
  end.set_output_tokens(0);
  RunFacts facts;
  AddReceived(message.SerializeAsString(), facts);
  EXPECT_EQ(facts.input_tokens, 7);
  EXPECT_EQ(facts.output_tokens, 0);
  end.set_input_tokens(-1);
  RunFacts negative;
  AddReceived(message.SerializeAsString(), negative);
  EXPECT_FALSE(negative.input_tokens.has_value());
}

TEST(RunFacts, KnowACancelBeforeTheEnd) {
  pb::AgentClientMessage cancel;
  cancel.mutable_conversation_action()->mutable_cancel_action()->set_reason("r");
  EXPECT_TRUE(FactsOfSent(cancel).is_cancelled);
  RunFacts ended{.is_ended = true};
  AddSent(cancel.SerializeAsString(), ended);
  EXPECT_FALSE(ended.is_cancelled);
  pb::AgentClientMessage resume;
  resume.mutable_conversation_action()->mutable_resume_action();
  EXPECT_FALSE(FactsOfSent(resume).is_cancelled);
}

// Every prefix of a message, and every message with a byte changed.
TEST(RunFacts, SurviveBrokenBytes) {
  const std::string request = Request().SerializeAsString();
  for (size_t i = 0; i < request.size(); ++i) {
    RunFacts facts;
    AddSent(request.substr(0, i), facts);
    AddReceived(request.substr(0, i), facts);
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = request;
      changed[i] = static_cast<char>(byte);
      AddSent(changed, facts);
      AddReceived(changed, facts);
    }
  }
}

TEST(RunFacts, ReadNoMoreFieldsThanTheyNeed) {
  std::string many;
  for (int i = 0; i < 64; ++i) many += std::string("\x10\x01", 2);
  RunFacts facts;
  AddReceived(many + Text("Hello").SerializeAsString(), facts);
  EXPECT_FALSE(facts.has_text);
  AddReceived(many.substr(2) + Text("Hello").SerializeAsString(), facts);
  EXPECT_TRUE(facts.has_text);
}

}  // namespace
}  // namespace cursorwire::otel
