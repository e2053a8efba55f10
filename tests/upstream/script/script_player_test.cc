#include "upstream/script/script_player.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/v1/conversation.pb.h"
#include "base/sha256.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/script/ask_kind.h"
#include "upstream/script/script_json.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using connect::TimePoint;
using std::chrono::milliseconds;
using test::FromText;
using test::IsOk;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::string kBlob = R"({"role":"system"})";

pb::AgentClientMessage RunRequest() {
  pb::AgentClientMessage message;
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(Sha256(kBlob));
  message.mutable_run_request()->set_conversation_state(state.SerializeAsString());
  message.mutable_run_request()->mutable_requested_model()->set_model_id("m");
  return message;
}

std::string Describe(const pb::AgentServerMessage& message) {
  if (message.has_exec_server_message()) {
    const auto& exec = message.exec_server_message();
    return absl::StrCat("exec ", exec.id(), " ", OneofCase(exec, "message"));
  }
  if (message.has_interaction_query()) {
    return absl::StrCat("query ", message.interaction_query().id());
  }
  if (message.has_kv_server_message()) {
    const auto& kv = message.kv_server_message();
    return absl::StrCat(OneofCase(kv, "message"), " ", kv.id());
  }
  if (message.has_interaction_update()) {
    const auto& update = message.interaction_update();
    if (update.has_text_delta()) return "text " + update.text_delta().text();
    return OneofCase(update, "message");
  }
  return OneofCase(message, "message");
}

// A client of the player: keeps in words what it was told.
class ScriptClient {
 public:
  explicit ScriptClient(const Script& script) : compiled_(CompileScript(script)) {
    EXPECT_THAT(compiled_, IsOk());
    player_.emplace(*compiled_, connect::Headers{{"te", "trailers"}});
  }

  ScriptClient& Send(const pb::AgentClientMessage& message) {
    player_->On(message, now_);
    return Take();
  }
  ScriptClient& Send(const char* text) { return Send(FromText<pb::AgentClientMessage>(text)); }
  ScriptClient& Start() { return Send(RunRequest()); }
  ScriptClient& HalfClose() {
    player_->OnHalfClose(now_);
    return Take();
  }
  ScriptClient& Leave() {
    player_->OnGone(now_);
    return Take();
  }
  ScriptClient& AdvanceTo(milliseconds since_start) {
    now_ = TimePoint() + since_start;
    player_->OnDeadline(now_);
    return Take();
  }

  std::vector<std::string> TakeSaid() { return std::exchange(said_, {}); }
  const std::vector<std::string>& violations() const { return violations_; }
  const std::vector<pb::AgentServerMessage>& messages() const { return messages_; }
  ScriptPlayer& player() { return *player_; }

 private:
  ScriptClient& Take() {
    while (std::optional<PlayerOutput> output = player_->PollOutput()) Note(*output);
    while (auto violation = player_->PollViolation()) violations_.push_back(*violation);
    return *this;
  }

  void Note(const PlayerOutput& output) {
    if (const auto* start = std::get_if<StartResponse>(&output)) {
      said_.push_back(absl::StrCat("headers ", std::string(*start->headers.Get(":status")), " ",
                                   std::string(*start->headers.Get("content-type"))));
    } else if (const auto* pieces = std::get_if<SendPieces>(&output)) {
      NoteBody(*pieces);
    } else if (const auto* reply = std::get_if<HttpReply>(&output)) {
      said_.push_back(
          absl::StrCat("reply ", std::string(*reply->headers.Get(":status")), " ", reply->body));
    } else if (std::holds_alternative<FinishBody>(output)) {
      said_.emplace_back("finish");
    } else if (const auto* reset = std::get_if<ResetStream>(&output)) {
      said_.push_back(absl::StrCat("reset ", reset->http2_code));
    } else if (std::holds_alternative<SendGoAway>(output)) {
      said_.emplace_back("goaway");
    } else if (const auto* bytes = std::get_if<SendConnectionBytes>(&output)) {
      said_.push_back("raw " + bytes->bytes);
    } else if (const auto* drop = std::get_if<Drop>(&output)) {
      said_.emplace_back(drop->reset ? "drop by reset" : "drop");
    }
  }

  void NoteBody(const SendPieces& pieces) {
    wire::EnvelopeDecoder decoder;
    decoder.Feed(pieces.bytes);
    const auto envelope = decoder.Next();
    ASSERT_TRUE(envelope.ok() && envelope->has_value()) << "no envelope";
    const std::string payload((*envelope)->payload);
    std::string text = absl::StrCat("flags ", static_cast<int>((*envelope)->flags), " ", payload);
    pb::AgentServerMessage message;
    if ((*envelope)->flags == 0 && message.ParseFromString(payload)) {
      text = Describe(message);
      messages_.push_back(message);
    } else if ((*envelope)->flags == wire::kEnvelopeEndStream) {
      text = "end " + payload;
    }
    if (pieces.max_piece_bytes != 0) absl::StrAppend(&text, " by ", pieces.max_piece_bytes);
    said_.push_back(text);
  }

  absl::StatusOr<CompiledScript> compiled_;
  std::optional<ScriptPlayer> player_;
  TimePoint now_;
  std::vector<std::string> said_;
  std::vector<std::string> violations_;
  std::vector<pb::AgentServerMessage> messages_;
};

constexpr char kHeaders[] = "headers 200 application/connect+proto";

TEST(ScriptPlayer, EndsWhatTheScriptLeavesOpen) {
  ScriptClient client(Script().Text("a").TurnEnded());
  EXPECT_THAT(client.Start().TakeSaid(),
              ElementsAre(kHeaders, "text a", "turn_ended", "end {}", "finish"));
  EXPECT_TRUE(client.player().done());
  EXPECT_THAT(client.violations(), IsEmpty());
}

TEST(ScriptPlayer, SaysNothingBeforeTheRunRequest) {
  ScriptClient client(Script().HttpStatus(503, "down"));
  EXPECT_THAT(client.TakeSaid(), IsEmpty());
  EXPECT_THAT(client.Start().TakeSaid(), ElementsAre("reply 503 down"));
  ScriptClient other(Script().Text("a"));
  other.Send("client_heartbeat {}");
  EXPECT_THAT(other.violations(), ElementsAre(HasSubstr("no run_request")));
}

TEST(ScriptPlayer, EndsAsTheStepsSay) {
  struct Case {
    const char* name;
    Script script;
    std::vector<std::string> said;  // after the headers
  };
  const Case cases[] = {
      {"error",
       Script().Error("internal", "m"),
       {R"(end {"error":{"code":"internal","message":"m"}})", "finish"}},
      {"end-stream and a message",
       Script().EndStream().Text("late"),
       {"end {}", "text late", "finish"}},
      {"raw end-stream", Script().EndStreamRaw("x"), {"end x", "finish"}},
      {"no end-stream", Script().Text("a").Finish(), {"text a", "finish"}},
      {"reset", Script().Text("a").Reset("CANCEL"), {"text a", "reset 8"}},
      {"drop", Script().Text("a").Drop(), {"text a", "drop"}},
      {"drop by reset", Script().Text("a").DropReset(), {"text a", "drop by reset"}},
      {"goaway", Script().Text("a").GoAway(), {"text a", "goaway", "end {}", "finish"}},
      {"stall", Script().Text("a").Stall(), {"text a"}},
      {"bytes", Script().Text("a").RawConnection("x"), {"text a", "raw x", "end {}", "finish"}},
      {"pieces",
       Script().Split(2).Text("a").Split(0).Text("b"),
       {"text a by 2", "text b", "end {}", "finish"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScriptClient client(c.script);
    std::vector<std::string> expected = {kHeaders};
    expected.insert(expected.end(), c.said.begin(), c.said.end());
    EXPECT_EQ(client.Start().TakeSaid(), expected);
    EXPECT_THAT(client.violations(), IsEmpty());
  }
}

TEST(ScriptPlayer, CompressesAndAddsUnknownFields) {
  ScriptClient client(Script().Text("a").Gzip().Exec("{}").UnknownField(199, "new").NoAwait());
  const std::vector<std::string> said = client.Start().TakeSaid();
  ASSERT_THAT(said, SizeIs(5));
  EXPECT_THAT(said[1], HasSubstr("flags 1 \x1f\x8b"));
  ASSERT_THAT(client.messages(), SizeIs(1));
  const auto& exec = client.messages()[0].exec_server_message();
  ASSERT_EQ(exec.GetReflection()->GetUnknownFields(exec).field_count(), 1);
  EXPECT_EQ(exec.GetReflection()->GetUnknownFields(exec).field(0).number(), 199);
}

TEST(ScriptPlayer, WaitsByTheClockThatIsGiven) {
  ScriptClient client(Script().Text("a").Wait(milliseconds(500)).Text("b"));
  EXPECT_THAT(client.Start().TakeSaid(), ElementsAre(kHeaders, "text a"));
  EXPECT_EQ(client.player().NextDeadline(), TimePoint() + milliseconds(500));
  EXPECT_THAT(client.AdvanceTo(milliseconds(499)).TakeSaid(), IsEmpty());
  EXPECT_THAT(client.AdvanceTo(milliseconds(500)).TakeSaid(),
              ElementsAre("text b", "end {}", "finish"));
}

TEST(ScriptPlayer, WaitsForTheResultOfAnExecAndItsClose) {
  ScriptClient client(Script()
                          .Exec(R"({"read_args":{"path":"a.txt"}})")
                          .Expect(R"({"read_result":{"rejected":{"path":"a.txt"}}})")
                          .Text("b"));
  EXPECT_THAT(client.Start().TakeSaid(), ElementsAre(kHeaders, "exec 1 read_args"));
  client.Send("exec_client_control_message { heartbeat { id: 1 } }");
  client.Send("client_heartbeat {}");
  client.Send("exec_client_message { id: 1 read_result { rejected { path: 'a.txt' } } }");
  EXPECT_THAT(client.TakeSaid(), IsEmpty());
  client.Send("exec_client_control_message { stream_close { id: 1 } }");
  EXPECT_THAT(client.TakeSaid(), ElementsAre("text b", "end {}", "finish"));
  EXPECT_THAT(client.violations(), IsEmpty());
}

TEST(ScriptPlayer, TakesAnswersInAnyOrder) {
  ScriptClient client(Script()
                          .Parallel(Script()
                                        .Exec(R"({"ls_args":{}})")
                                        .Exec(R"({"id":7,"shell_stream_args":{}})")
                                        .Query(R"({"web_search_request_query":{}})")
                                        .GetRootPromptBlob(0)
                                        .SetBlob("x"))
                          .Text("b"));
  EXPECT_THAT(client.Start().TakeSaid(),
              ElementsAre(kHeaders, "exec 1 ls_args", "exec 7 shell_stream_args", "query 1",
                          "get_blob_args 0", "set_blob_args 1"));
  client.Send("kv_client_message { id: 1 set_blob_result {} }");
  client.Send("exec_client_message { id: 7 shell_stream { start {} } }");
  client.Send("exec_client_message { id: 1 ls_result {} }");
  client.Send("exec_client_message { id: 7 shell_stream { exit {} } }");
  client.Send("exec_client_control_message { stream_close { id: 7 } }");
  client.Send("interaction_response { id: 1 web_search_request_response {} }");
  pb::AgentClientMessage blob;
  blob.mutable_kv_client_message()->mutable_get_blob_result()->set_blob_data(kBlob);
  client.Send(blob);
  EXPECT_THAT(client.TakeSaid(), IsEmpty());
  client.Send("exec_client_control_message { stream_close { id: 1 } }");
  EXPECT_THAT(client.TakeSaid(), ElementsAre("text b", "end {}", "finish"));
  EXPECT_THAT(client.violations(), IsEmpty());
}

TEST(ScriptPlayer, ComesBackToWhatItDidNotWaitFor) {
  ScriptClient client(Script().Exec(R"({"ls_args":{}})").NoAwait().Text("a").AwaitAll().Text("b"));
  EXPECT_THAT(client.Start().TakeSaid(), ElementsAre(kHeaders, "exec 1 ls_args", "text a"));
  client.Send("exec_client_message { id: 1 ls_result {} }");
  client.Send("exec_client_control_message { stream_close { id: 1 } }");
  EXPECT_THAT(client.TakeSaid(), ElementsAre("text b", "end {}", "finish"));
}

TEST(ScriptPlayer, NeedsNoResultOfAnExecThatItAborted) {
  ScriptClient client(Script()
                          .Exec(R"({"shell_args":{}})")
                          .NoAwait()
                          .Message(R"({"exec_server_control_message":{"abort":{"id":1}}})")
                          .Wait(milliseconds(10))
                          .AwaitAll()
                          .Text("b"));
  client.Start().Send("exec_client_control_message { stream_close { id: 1 } }");
  client.AdvanceTo(milliseconds(10));
  EXPECT_THAT(client.TakeSaid(),
              ElementsAre(kHeaders, "exec 1 shell_args", "exec_server_control_message", "text b",
                          "end {}", "finish"));
  EXPECT_THAT(client.violations(), IsEmpty());
}

TEST(ScriptPlayer, SaysTheStateOfTheRequestWithMoreTurns) {
  ScriptClient client(Script().CheckpointOfRequest(2));
  client.Start();
  pb::ConversationStateStructure state;
  ASSERT_THAT(client.messages(), SizeIs(1));
  ASSERT_TRUE(state.ParseFromString(client.messages()[0].conversation_checkpoint_update()));
  EXPECT_THAT(state.root_prompt_messages_json(), ElementsAre(Sha256(kBlob)));
  EXPECT_THAT(state.turns(), SizeIs(2));
}

// Whatever the client does otherwise ends the run with an error that does not quote it.
TEST(ScriptPlayer, NotesWhatWasNotExpected) {
  const Script exec = Script().Exec(R"({"read_args":{"path":"a"}})");
  const std::string close = "exec_client_control_message { stream_close { id: 1 } }";
  const std::string read = "exec_client_message { id: 1 read_result { rejected {} } }";
  struct Case {
    const char* name;
    Script script;
    std::vector<std::string> messages;
    std::vector<const char*> violation;
  };
  const Case cases[] = {
      {"second request", Script().Stall(), {"run_request {}"}, {"step 1 (stall)", "second"}},
      {"result of nothing", Script().Stall(), {read}, {"step 1 (stall)", "exec 1", "not asked"}},
      {"close of nothing", Script().Stall(), {close}, {"stream_close of exec 1", "not asked"}},
      {"kv answer to nothing",
       Script().Stall(),
       {"kv_client_message { set_blob_result {} }"},
       {"kv answer 0", "nothing that was asked"}},
      {"answer to nothing",
       Script().Stall(),
       {"interaction_response { id: 3 }"},
       {"query 3", "not asked"}},
      {"empty message", Script().Stall(), {""}, {"nothing asked for"}},
      {"other action",
       Script().Stall(),
       {"conversation_action { summarize_action {} }"},
       {"nothing asked for", "summarize_action"}},
      {"close before the result", exec, {close}, {"step 1 (exec)", "before a result"}},
      {"second result", exec, {read, read}, {"step 1 (exec)", "a second result"}},
      {"result after the close",
       Script(exec).Stall(),
       {read, close, read},
       {"step 2 (stall)", "answered already"}},
      {"result of another kind",
       exec,
       {"exec_client_message { id: 1 ls_result {} }", close},
       {"step 1 (exec)", "read_args was answered with ls_result"}},
      {"other result",
       Script(exec).Expect(R"({"read_result":{"success":{}}})"),
       {read, close},
       {"at read_result: expected a member success", "rejected"}},
      {"throw in place of a result",
       Script(exec).Expect(R"({"read_result":{}})"),
       {"exec_client_control_message { throw { id: 1 error: 'no' } }", close},
       {"got the throw", "no"}},
      {"result in place of a throw",
       Script(exec).ExpectThrow(),
       {read, close},
       {"expected a throw"}},
      {"other throw",
       Script(exec).ExpectThrow(R"({"error":"a"})"),
       {"exec_client_control_message { throw { id: 1 error: 'b' } }", close},
       {"at error: expected \"a\", got \"b\""}},
      {"other answer",
       Script().Query(R"({"web_search_request_query":{}})"),
       {"interaction_response { id: 1 switch_mode_request_response {} }"},
       {"step 1 (query)", "web_search_request_query was answered with switch_mode"}},
      {"miss",
       Script().GetRootPromptBlob(0),
       {"kv_client_message { get_blob_result {} }"},
       {"step 1 (get_blob)", "does not have the blob"}},
      {"other blob",
       Script().GetRootPromptBlob(0),
       {"kv_client_message { get_blob_result { blob_data: 'x' } }"},
       {"does not match its id"}},
      {"blob in place of a miss",
       Script().GetRootPromptBlob(0).Expect("\"miss\""),
       {"kv_client_message { get_blob_result { blob_data: 'x' } }"},
       {"expected nothing"}},
      {"wrong kind of kv answer",
       Script().SetBlob("x"),
       {"kv_client_message { get_blob_result {} }"},
       {"kv answer 0 (get_blob_result)"}},
      {"refused blob",
       Script().SetBlob("x"),
       {"kv_client_message { set_blob_result { error { message: 'full' } } }"},
       {"full"}},
      {"wrong id taken",
       Script().SetBlob("x", "00"),
       {"kv_client_message { set_blob_result {} }"},
       {"at error: expected any value"}},
      {"cancel",
       Script().Wait(milliseconds(1)),
       {"conversation_action { cancel_action {} }"},
       {"step 1 (wait)", "the client cancelled the run"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ScriptClient client(c.script);
    client.Start().TakeSaid();
    for (const std::string& message : c.messages) client.Send(message.c_str());
    ASSERT_THAT(client.violations(), SizeIs(1));
    for (const char* part : c.violation) EXPECT_THAT(client.violations()[0], HasSubstr(part));
    const std::vector<std::string> said = client.TakeSaid();
    ASSERT_GE(said.size(), 2u);
    EXPECT_THAT(said[said.size() - 2], HasSubstr(R"(end {"error":{"code":)"));
    EXPECT_EQ(said.back(), "finish");
    EXPECT_TRUE(client.player().done());
  }
}

TEST(ScriptPlayer, ChecksTheRequestAndItsHeaders) {
  ScriptClient good(Script()
                        .ExpectRequest(R"({"requested_model":{"model_id":"m"}})")
                        .ExpectHeaders(R"({"te":"trailers","x":{"$absent":true}})"));
  EXPECT_THAT(good.Start().violations(), IsEmpty());
  ScriptClient request(Script().Name("n").ExpectRequest(R"({"requested_model":{"model_id":"x"}})"));
  EXPECT_THAT(request.Start().violations(),
              ElementsAre("script n, step 1 (expect_request): at requested_model.model_id: "
                          "expected \"x\", got \"m\""));
  EXPECT_THAT(request.TakeSaid(),
              ElementsAre(kHeaders, HasSubstr("step 1 (expect_request)"), "finish"));
  ScriptClient headers(Script().ExpectHeaders(R"({"te":{"$absent":true}})"));
  EXPECT_THAT(headers.Start().violations(), ElementsAre(HasSubstr("at te: expected nothing")));
}

TEST(ScriptPlayer, WaitsForAMessageThatMatches) {
  ScriptClient client(Script().ExpectMessage(R"({"client_heartbeat":{}})").Text("b"));
  client.Start();
  EXPECT_THAT(client.Send("client_heartbeat {}").TakeSaid(),
              ElementsAre(kHeaders, "text b", "end {}", "finish"));
}

TEST(ScriptPlayer, GivesUpWhenNothingComes) {
  for (const Script& script :
       {Script().Exec("{}").Within(milliseconds(100)),
        Script().ExpectCancel().Within(milliseconds(100)),
        Script().ExpectMessage("{\"run_request\":{}}").Within(milliseconds(100))}) {
    ScriptClient client(script);
    client.Start();
    EXPECT_EQ(client.player().NextDeadline(), TimePoint() + milliseconds(100));
    client.AdvanceTo(milliseconds(100));
    EXPECT_THAT(client.violations(), ElementsAre(HasSubstr("did not come within 100 ms")));
  }
  ScriptClient patient(Script().ExpectCancel().Within(milliseconds(0)));
  EXPECT_EQ(patient.Start().player().NextDeadline(), std::nullopt);
  ScriptClient usual(Script().ExpectCancel());
  EXPECT_EQ(usual.Start().player().NextDeadline(), TimePoint() + milliseconds(30'000));
}

TEST(ScriptPlayer, TakesTheLeaveThatItExpects) {
  const char* cancel = "conversation_action { cancel_action {} }";
  {
    ScriptClient client(Script().Text("a").ExpectCancel().ExpectHalfClose());
    client.Start().Send(cancel).HalfClose();
    EXPECT_THAT(client.TakeSaid(),
                ElementsAre(kHeaders, "text a",
                            R"(end {"error":{"code":"canceled","message":"Error"}})", "finish"));
    EXPECT_THAT(client.violations(), IsEmpty());
  }
  for (const Script& script : {Script().Stall(), Script().ExpectDisconnect(),
                               Script().Wait(milliseconds(5)).ExpectDisconnect()}) {
    ScriptClient client(script);
    client.Start().HalfClose().Leave();
    EXPECT_THAT(client.violations(), IsEmpty());
    EXPECT_TRUE(client.player().done());
  }
}

TEST(ScriptPlayer, NotesALeaveThatItDoesNotExpect) {
  ScriptClient half_closed(Script().Exec("{}"));
  half_closed.Start().HalfClose();
  EXPECT_THAT(half_closed.violations(), ElementsAre(HasSubstr("without a cancel")));
  ScriptClient gone(Script().Text("a").Wait(milliseconds(5)));
  gone.Start().Leave();
  EXPECT_THAT(gone.violations(), ElementsAre(HasSubstr("left before the script was over")));
  ScriptClient waiting(Script().Exec("{}").ExpectDisconnect());
  waiting.Start().Leave();
  EXPECT_THAT(waiting.violations(), ElementsAre(HasSubstr("left while the script waited")));
  ScriptClient over(Script().EndStream().Wait(milliseconds(5)).Text("late"));
  over.Start().HalfClose().Leave();
  EXPECT_THAT(over.violations(), IsEmpty());
}

TEST(ScriptPlayer, SaysNothingToWhatCrossesTheEnd) {
  ScriptClient client(Script().TurnEnded());
  client.Start().TakeSaid();
  client.Send("exec_client_message { id: 9 }").HalfClose().Leave();
  EXPECT_THAT(client.TakeSaid(), IsEmpty());
  EXPECT_THAT(client.violations(), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::upstream
