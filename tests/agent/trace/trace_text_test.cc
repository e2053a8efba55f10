#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "agent/trace/message_tree.h"
#include "agent/trace/visible_bytes.h"
#include "agent/v1/run.pb.h"
#include "base/error.h"
#include "cursorwire/trace_content.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using std::chrono::microseconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(VisibleBytes, EscapesWhatIsNotSeen) {
  EXPECT_EQ(VisibleLine("a\x1b[2J\n\xC3\xA4\xFF"), "a\\u001b[2J\\n\xC3\xA4\\xff");
  EXPECT_EQ(VisibleLine("\xE2\x80\xAE"), "\\u202e");
  EXPECT_EQ(QuotedText("a\"\\"), R"("a\"\\")");
  EXPECT_EQ(QuotedText(std::string(300, 'x')), "\"" + std::string(200, 'x') + "\"... (300 bytes)");
  EXPECT_EQ(QuotedBytes(""), "(0 bytes)");
  EXPECT_EQ(QuotedBytes("text"), "\"text\" (4 bytes)");
  EXPECT_EQ(QuotedBytes(std::string("\0\xFF", 2)), "00ff (2 bytes)");
  EXPECT_EQ(QuotedBytes(std::string(40, '\0')), std::string(64, '0') + "... (40 bytes)");
}

std::string TreeOf(const pb::AgentServerMessage& message) { return MessageTree(message, 0); }

TEST(MessageTree, ShowsFieldsByTheirNames) {
  pb::AgentServerMessage message;
  auto& exec = *message.mutable_exec_server_message();
  exec.set_id(7);
  exec.mutable_mcp_args()->set_name("get_weather");
  (*exec.mutable_mcp_args()->mutable_args())["city"] =
      "\x1a\x04"
      "Bern";
  EXPECT_EQ(KindOfMessage(message), "exec_server_message.mcp_args");
  EXPECT_THAT(TreeOf(message), HasSubstr("exec_server_message:\n  id: 7\n  mcp_args:\n"
                                         "    name: \"get_weather\"\n"
                                         "    args: {\"city\":\"Bern\"}\n"));
}

TEST(MessageTree, ShowsUnknownFieldsByTheirNumbers) {
  pb::AgentServerMessage message;
  auto& unknown = *message.mutable_interaction_update()->mutable_text_delta();
  unknown.set_text("a\x1b");
  auto& fields = *unknown.GetReflection()->MutableUnknownFields(&unknown);
  fields.AddVarint(25, 3);
  fields.AddFixed32(26, 4);
  fields.AddFixed64(27, 5);
  fields.AddLengthDelimited(28)->assign("x\xFF");
  fields.AddGroup(29)->AddVarint(1, 1);
  EXPECT_EQ(TreeOf(message),
            "interaction_update:\n  text_delta:\n    text: \"a\\u001b\"\n    25 (varint): 3\n"
            "    26 (32 bits): 4\n    27 (64 bits): 5\n    28 (length-delimited): 78ff (2 bytes)\n"
            "    29 (group):\n      1 (varint): 1\n");
}

TEST(MessageTree, LooksIntoAState) {
  pb::AgentServerMessage message;
  message.set_conversation_checkpoint_update("\x0a\x02hi");
  EXPECT_THAT(TreeOf(message), HasSubstr("conversation_checkpoint_update:\n  "));
  message.set_conversation_checkpoint_update("\xFF");
  EXPECT_EQ(TreeOf(message), "conversation_checkpoint_update: ff (1 bytes)\n");
}

TEST(MessageTree, IsBounded) {
  pb::AgentClientMessage message;
  for (int i = 0; i < 500; ++i) message.mutable_run_request()->add_pre_fetched_blobs();
  const std::string tree = MessageTree(message, 2);
  EXPECT_THAT(tree, HasSubstr("\n  ... (301 more lines)\n"));
}

TEST(MessageTree, WithoutASchemaHasNumbers) {
  const auto message = ParseTracedMessage("/other.S/M", TraceSide::kServer, "\x08\x07");
  ASSERT_NE(message, nullptr);
  EXPECT_EQ(KindOfMessage(*message), "");
  EXPECT_EQ(MessageTree(*message, 0), "1 (varint): 7\n");
  EXPECT_EQ(ParseTracedMessage("/other.S/M", TraceSide::kServer, "\x0a\x07"), nullptr);
}

TEST(DescribeTraceCall, IsAWaterfall) {
  connect::ErrorInfo info{.origin = connect::ErrorOrigin::kServer, .http_status = 200};
  info.details = {{.type = "a.D", .value = "v", .debug_json = "{}"}};
  pb::AgentServerMessage text;
  text.mutable_interaction_update()->mutable_text_delta()->set_text("Hel");
  const std::string bytes = text.SerializeAsString();
  const TraceCall call = {
      .number = 3,
      .path = "/agent.v1.AgentService/Run",
      .start_unix_us = 1'764'000'000'123'456,
      .headers = {{"authorization", "(redacted)"}},
      .head = TraceHead{.at = microseconds(500), .http_status = 200, .headers = {{"x", "\x1b"}}},
      .messages = {{.at = microseconds(1), .from = TraceSide::kClient, .size = 1, .bytes = "\xFF"},
                   {.at = microseconds(1000),
                    .from = TraceSide::kServer,
                    .size = bytes.size(),
                    .bytes = bytes}},
      .end = TraceEnd{.at = microseconds(2000),
                      .status = MakeError(absl::StatusCode::kNotFound, "none\n", info),
                      .trailers = {{"t", "v"}}}};
  EXPECT_EQ(DescribeTraceCall(call),
            "call 3: /agent.v1.AgentService/Run (streaming), 2025-11-24 16:00:00.123456 UTC\n"
            "  > authorization: (redacted)\n"
            "       0.001 ms  ->          1 B  |#.......................|  (not protobuf)\n"
            "      ff (1 bytes)\n"
            "       0.500 ms  <-               |......#.................|  HTTP status 200\n"
            "  < x: \\u001b\n"
            "       1.000 ms  <-          9 B  |............#...........|  "
            "interaction_update.text_delta\n"
            "      interaction_update:\n"
            "        text_delta:\n"
            "          text: \"Hel\"\n"
            "       2.000 ms  end              |.......................#|  not_found: none\\n "
            "(from: server, HTTP status 200)\n"
            "  < detail a.D: {}\n"
            "  < t: v\n");
}

TEST(DescribeTraceCall, SaysWhatIsMissing) {
  const TraceCall call = {.number = 1,
                          .path = "/a",
                          .is_continued = true,
                          .messages = {{.size = 9, .bytes = "x", .is_cut = true}}};
  const std::string text = DescribeTraceCall(call);
  EXPECT_THAT(text, HasSubstr("it began in an older file of the trace\n"));
  EXPECT_THAT(text, HasSubstr("(the trace has the first 1 bytes)\n      \"x\" (1 bytes)\n"));
  EXPECT_THAT(text, HasSubstr("the trace ends before the call\n"));
}

}  // namespace
}  // namespace cursorwire::agent
