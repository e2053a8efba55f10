#include "cursorwire/run.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/run/known_ids.h"
#include "agent/run/run_host.h"
#include "agent/run/sha256.h"
#include "agent/v1/run.pb.h"
#include "base/error.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/tool_registry.h"
#include "rpc/end_stream.h"
#include "rpc/streaming_call.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/heap_bytes.h"
#include "support/hex.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using connect::ErrorOrigin;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::Difference;
using test::FromHex;
using test::FromText;
using test::Golden;
using test::HasOrigin;
using test::HeapBytes;
using test::Host;
using test::IsOk;
using test::KnownIds;
using test::kTurnEnded;
using test::Line;
using test::Serialize;
using test::SerializeClient;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr char kSystemMessage[] = R"({"role":"system","content":"You are an agent."})";

MATCHER(GaveNothing, "") { return arg.outputs.empty() && arg.events.empty(); }

std::string PngBytes() { return "\x89PNG\r\n\x1A\n"; }

// What a streaming call says when HTTP ends without an end-stream envelope.
absl::Status EndWithoutEndStream() {
  rpc::StreamingCall call({});
  return test::Play(
             call, {.headers = {{":status", "200"}, {"content-type", "application/connect+proto"}}})
      .end();
}

absl::Status EndStreamError(const std::string& error) {
  return rpc::DecodeEndStream("{\"error\":" + error + "}", 200).status;
}

absl::Status ResetStatus() {
  return MakeError(absl::StatusCode::kInternal, "the server reset the stream",
                   {.origin = ErrorOrigin::kTransport, .http2_code = 2});
}

// --- the call and the first message

TEST(Run, AsksForAStreamingCallWithTheHeadersOfTheService) {
  Host host({.prompt = "p", .timeout = milliseconds(70'000), .idle_timeout = milliseconds(9'000)});
  const connect::CallRequest& call = host.run().call_request();
  EXPECT_EQ(call.path, "/agent.v1.AgentService/Run");
  EXPECT_EQ(call.kind, connect::CallKind::kStreaming);
  EXPECT_EQ(call.options.codec, connect::Codec::kProto);
  EXPECT_EQ(call.options.timeout, milliseconds(70'000));
  EXPECT_EQ(call.options.idle_timeout, milliseconds(9'000));
  // docs/protocol.md, request headers: nobody sends connect-timeout-ms.
  EXPECT_EQ(call.options.announce_timeout, connect::AnnounceTimeout::kNo);
  // As all clients of its kind: docs/protocol.md, Compression.
  EXPECT_EQ(call.options.accept_compression, connect::Compression::kIdentity);
  EXPECT_EQ(call.options.send_compression, connect::Compression::kIdentity);
  EXPECT_THAT(call.options.headers.Get("authorization"), Optional(Eq("Bearer secret")));
  EXPECT_THAT(call.options.headers.Get("x-request-id"), Optional(Eq(KnownIds::Nth(1))));
}

TEST(Run, HasNoTimeoutsByDefault) {
  Host host;
  EXPECT_EQ(host.run().call_request().options.timeout, milliseconds(0));
  EXPECT_EQ(host.run().call_request().options.idle_timeout, milliseconds(0));
}

TEST(Run, SendsTheRunRequestFirst) {
  Host host;
  EXPECT_THAT(host.first().outputs, ElementsAre(Golden("agent_run_request.hex")));
  EXPECT_THAT(host.first().events, IsEmpty());
  EXPECT_FALSE(host.run().ended());
  EXPECT_FALSE(host.run().finished());
}

TEST(Run, SendsRulesModelAndConversationOfTheRequest) {
  Host host({.prompt = "Gr\u00FC\u00DFe",
             .model = "model-x",
             .system = "Answer \"briefly\".",
             .conversation_id = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d"});
  EXPECT_THAT(host.first().outputs, ElementsAre(Golden("agent_run_request_rules.hex")));
}

TEST(Run, TellsTheConversationIdThatItSends) {
  const std::string given = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d";
  EXPECT_EQ(Host({.prompt = "p", .conversation_id = given}).run().conversation_id(), given);
  Host made_up;
  pb::AgentClientMessage first;
  ASSERT_TRUE(first.ParseFromString(made_up.first().outputs.at(0)));
  EXPECT_EQ(made_up.run().conversation_id(), first.run_request().conversation_id());
  EXPECT_EQ(made_up.run().conversation_id().size(), given.size());
  Host bad({.prompt = "", .conversation_id = "c"});
  EXPECT_EQ(bad.run().conversation_id(), "c");
}

TEST(Run, RefusesABadRequestAndSendsNothing) {
  struct Case {
    const char* name;
    ChatRequest request;
    const char* message;
  };
  const Case cases[] = {
      {"empty prompt", {}, "prompt"},
      {"prompt that is not UTF-8", {.prompt = "a\xFF"}, "prompt"},
      {"prompt with a surrogate", {.prompt = "\xED\xA0\x80"}, "prompt"},
      {"system that is not UTF-8", {.prompt = "p", .system = "\xC3"}, "system"},
      {"no model", {.prompt = "p", .model = ""}, "model"},
      {"model that is not UTF-8", {.prompt = "p", .model = "\x80"}, "model"},
      {"state without a conversation id", {.prompt = "p", .conversation_state = "s"}, "id"},
      {"state without its blobs",
       {.prompt = "p", .conversation_id = "c", .conversation_state = "s"},
       "blobs"},
      {"state that is too large",
       {.prompt = "p",
        .conversation_id = "c",
        .conversation_state = std::string((size_t{48} << 20) + 1, 's')},
       "new conversation"},
      {"file that is no image", {.prompt = "p", .images = {PngBytes(), "%PDF-1.7"}}, "image 2"},
      {"empty image", {.prompt = "p", .images = {""}}, "image 1"},
      {"image that is too large",
       {.prompt = "p", .images = {PngBytes() + std::string(size_t{5} << 20, 'x')}},
       "5 MiB"},
      {"images that are too large together",
       {.prompt = "p",
        .images = std::vector<std::string>(
            7, PngBytes() + std::string((size_t{5} << 20) - PngBytes().size(), 'x'))},
       "32 MiB"},
      {"model parameter that is not UTF-8",
       {.prompt = "p", .model_parameters = {{"context", "\x80"}}},
       "model parameters"},
      {"model parameter without an id",
       {.prompt = "p", .model_parameters = {{"", "1m"}}},
       "model parameters"},
      {"more model parameters than any model has",
       {.prompt = "p", .model_parameters = std::vector<ModelParameter>(65, {"context", "1m"})},
       "model parameters"},
      {"conversation id that is not UTF-8",
       {.prompt = "p", .conversation_id = "\x80"},
       "conversation"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host(c.request);
    EXPECT_TRUE(host.run().ended());
    EXPECT_THAT(host.first().outputs, ElementsAre("<cancel>"));
    EXPECT_THAT(host.Result(),
                AllOf(StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)),
                      HasOrigin(ErrorOrigin::kLocal)));
  }
}

TEST(Run, IsFinishedOnlyOnceTheErrorWasPulled) {
  KnownIds ids;
  cursorwire::Run run({}, {}, ids, TimePoint());
  EXPECT_TRUE(run.ended());
  EXPECT_FALSE(run.finished());
  const std::optional<absl::StatusOr<ChatEvent>> event = run.PollEvent();
  ASSERT_TRUE(event.has_value());
  EXPECT_THAT(*event, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_TRUE(run.finished());
  EXPECT_FALSE(run.PollEvent().has_value());
}

// --- what the server shows

TEST(Run, HandsOutTextThinkingAndTokens) {
  Host host;
  EXPECT_THAT(host.Server(R"(interaction_update { thinking_delta { text: "hm" } })").events,
              ElementsAre("thinking hm"));
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "H\303\244 " } })").events,
              ElementsAre("text H\u00E4 "));
  EXPECT_THAT(host.Server("interaction_update { token_delta { tokens: 3 } }").events,
              ElementsAre("tokens 3"));
  EXPECT_FALSE(host.run().finished());
}

TEST(Run, EndsTheTurnWithTheUsageThatTheServerTells) {
  struct Case {
    const char* name;
    const char* message;
    const char* expected;
  };
  const Case cases[] = {
      {"none", "interaction_update { turn_ended {} }", "ended - - - - -"},
      {"all",
       R"(interaction_update { turn_ended { input_tokens: 1 output_tokens: 2 cache_read_tokens: 3
            cache_write_tokens: 4 reasoning_tokens: 5000000000 } })",
       "ended 1 2 3 4 5000000000"},
      {"zero is a figure",
       "interaction_update { turn_ended { input_tokens: 0 cache_write_tokens: 0 } }",
       "ended 0 - - 0 -"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host;
    EXPECT_THAT(host.Server(c.message).events, ElementsAre(c.expected));
    EXPECT_FALSE(host.run().finished());
    host.End(absl::OkStatus());
    EXPECT_THAT(host.Result(), IsOk());
  }
}

TEST(Run, KeepsACheckpointVerbatim) {
  struct Case {
    const char* name;
    std::string state;
  };
  const Case cases[] = {
      {"of known fields", FromHex("50 01 B2 01 02 70 69")},
      {"with unknown fields, out of order, twice",
       FromHex("F2 3F 03 61 62 63 50 01 50 02 A8 01 01")},
      {"of an overlong varint", FromHex("50 81 80 00")},
      {"that is no protobuf", FromHex("FF FF FF 00")},
      {"empty", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host;
    const std::string message = FromHex("1A") + static_cast<char>(c.state.size()) + c.state;
    EXPECT_THAT(host.ServerBytes(message).events, ElementsAre("checkpoint " + c.state));
    // With fields beside it that this schema does not know: docs/protocol.md, server messages.
    EXPECT_THAT(host.ServerBytes(FromHex("42 02 08 01") + message + FromHex("F8 07 05")).events,
                Contains("checkpoint " + c.state).Times(1));
  }
}

TEST(Run, SaysNothingAboutWhatConcernsNobody) {
  const char* const messages[] = {
      "interaction_update { heartbeat {} }",
      "interaction_update { user_message_appended {} }",
      "interaction_update { message_started_at_ms: 5 }",
      "interaction_update {}",
      "exec_server_control_message { abort { id: 1 } }",
      "",
  };
  Host host;
  for (const char* message : messages) {
    SCOPED_TRACE(message);
    EXPECT_THAT(host.Server(message), GaveNothing());
  }
  EXPECT_FALSE(host.run().finished());
}

// It asks for an answer that cannot be given; without one the run would park.
TEST(Run, EndsTheTurnOnABlobOperationThatItDoesNotKnow) {
  for (const char* bytes : {"22 05 08 01 52 01 78", "22 02 08 03"}) {
    SCOPED_TRACE(bytes);
    Host host;
    host.ServerBytes(FromHex(bytes));
    host.OnDeadlineAt(milliseconds(500));
    EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kUnimplemented));
  }
}

TEST(Run, SkipsWhatItDoesNotKnow) {
  struct Case {
    const char* name;
    std::string bytes;
  };
  const Case cases[] = {
      {"update 99", FromHex("0A 04 9A 06 01 78")},
      {"message 8, ttft_breakdown", FromHex("42 02 08 01")},
      {"message 6", FromHex("32 00")},
      {"message 99", FromHex("9A 06 01 78")},
  };
  Host host;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const Host::Taken taken = host.ServerBytes(c.bytes);
    EXPECT_THAT(taken.outputs, IsEmpty());
    EXPECT_THAT(taken.events, Each(StartsWith("drift ")));
  }
  EXPECT_FALSE(host.run().finished());
}

TEST(Run, IgnoresTheHeadOfTheResponse) {
  Host host;
  host.run().On(connect::CallEvent(connect::ResponseHead{200, {}}), host.now());
  EXPECT_FALSE(host.run().PollOutput().has_value());
  EXPECT_FALSE(host.run().PollEvent().has_value());
}

// --- blobs

TEST(Run, HandsOutTheBlobsThatTheRequestNames) {
  Host host;
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
      agent::Sha256(kSystemMessage));
  EXPECT_THAT(host.ServerBytes(get.SerializeAsString()).outputs,
              ElementsAre(Golden("agent_get_blob_found.hex")));
}

TEST(Run, AnswersAnUnknownBlobWithoutDataAndSaysOnceThatTheStateIsLost) {
  Host host;
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->set_id(7);
  bool first = true;
  for (const std::string& id : {agent::Sha256("never set"), std::string("x"), std::string()}) {
    get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(id);
    const Host::Taken taken = host.ServerBytes(get.SerializeAsString());
    EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_get_blob_missing.hex")));
    if (std::exchange(first, false)) {
      EXPECT_THAT(taken.events, ElementsAre("state lost"));
    } else {
      EXPECT_THAT(taken.events, IsEmpty());
    }
  }
}

// The user's own are not bounded: rules become JSON, which may be six times as long.
TEST(Run, EndsWhenABlobIsTooLargeToBeSent) {
  const auto blobs = std::make_shared<BlobStore>();
  pb::AgentServerMessage message;
  message.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
      blobs->Put(std::string(size_t{64} << 20, 'x')));
  Host host({.prompt = "p", .blobs = blobs});
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too large")));
}

TEST(Run, SharesItsBlobsWithOtherTurns) {
  const auto blobs = std::make_shared<BlobStore>();
  {
    Host host({.prompt = "p", .blobs = blobs});
    pb::AgentServerMessage set;
    pb::SetBlobArgs& args = *set.mutable_kv_server_message()->mutable_set_blob_args();
    args.set_blob_id(agent::Sha256("kept"));
    args.set_blob_data("kept");
    host.ServerBytes(set.SerializeAsString());
  }
  Host next({.prompt = "p", .blobs = blobs});
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(agent::Sha256("kept"));
  const Host::Taken taken = next.ServerBytes(get.SerializeAsString());
  EXPECT_THAT(taken.events, IsEmpty());
  pb::AgentClientMessage answer;
  ASSERT_TRUE(answer.ParseFromString(taken.outputs.at(0)));
  EXPECT_EQ(answer.kv_client_message().get_blob_result().blob_data(), "kept");
}

TEST(Run, KeepsABlobOfTheServer) {
  Host host;
  pb::AgentServerMessage set;
  set.mutable_kv_server_message()->set_id(300);
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_id(agent::Sha256("blob"));
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_data("blob");
  EXPECT_THAT(host.ServerBytes(set.SerializeAsString()).outputs,
              ElementsAre(Golden("agent_set_blob_ok.hex")));

  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(agent::Sha256("blob"));
  const Host::Taken taken = host.ServerBytes(get.SerializeAsString());
  ASSERT_THAT(taken.outputs, SizeIs(1));
  EXPECT_EQ(taken.outputs[0],
            FromText<pb::AgentClientMessage>(
                R"(kv_client_message { id: 0 get_blob_result { blob_data: "blob" } })")
                .SerializeAsString());
}

TEST(Run, RefusesABlobThatDoesNotMatchItsId) {
  Host host;
  pb::AgentServerMessage set;
  set.mutable_kv_server_message()->set_id(4);
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_id(agent::Sha256("blob"));
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_data("blob!");
  const Host::Taken taken = host.ServerBytes(set.SerializeAsString());
  EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_set_blob_wrong_id.hex")));
  // The run goes on.
  EXPECT_THAT(taken.events, IsEmpty());
  EXPECT_FALSE(host.run().finished());
}

// --- execs and queries

TEST(Run, AnswersAnExecAndClosesIt) {
  Host host;
  const Host::Taken taken =
      host.Server(R"(exec_server_message { id: 1 exec_id: "e" request_context_args {} })");
  EXPECT_THAT(taken.outputs,
              ElementsAre(FromText<pb::AgentClientMessage>(
                              R"(exec_client_message { id: 1 exec_id: "e"
                   request_context_result { success { request_context {} } } })")
                              .SerializeAsString(),
                          FromText<pb::AgentClientMessage>(
                              "exec_client_control_message { stream_close { id: 1 } }")
                              .SerializeAsString()));
  EXPECT_THAT(taken.events, IsEmpty());
}

TEST(Run, ThrowsForAnUnknownExecAndGoesOn) {
  Host host;
  // Exec 9, with a field 46 that this schema does not know.
  const Host::Taken taken = host.ServerBytes(FromHex("12 05 08 09 F2 02 00"));
  ASSERT_THAT(taken.outputs, SizeIs(2));
  const auto thrown = [&] {
    pb::AgentClientMessage message;
    EXPECT_TRUE(message.ParseFromString(taken.outputs[0]));
    return message;
  }();
  EXPECT_EQ(thrown.exec_client_control_message().throw_().id(), 9u);
  EXPECT_EQ(taken.outputs[1], FromHex("2A 04 0A 02 08 09"));
  EXPECT_FALSE(host.run().finished());
}

TEST(Run, AnswersAQuery) {
  Host host;
  const Host::Taken taken = host.Server("interaction_query { id: 2 setup_vm_environment_args {} }");
  EXPECT_THAT(taken.outputs, ElementsAre(FromText<pb::AgentClientMessage>(
                                             "interaction_response { id: 2 "
                                             "setup_vm_environment_result { success {} } }")
                                             .SerializeAsString()));
}

TEST(Run, StopsForAnUnknownQuery) {
  for (const bool server_ends : {false, true}) {
    SCOPED_TRACE(server_ends);
    Host host;
    host.Sleep(milliseconds(1000));
    const Host::Taken taken = host.ServerBytes(FromHex("3A 05 08 07 72 01 78"));
    EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_cancel.hex"), "<close>"));
    EXPECT_THAT(taken.events, IsEmpty());
    EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(1500)));
    // Neither another one nor the user changes the reason.
    EXPECT_THAT(host.ServerBytes(FromHex("3A 02 08 08")), GaveNothing());
    EXPECT_THAT(host.Cancel(), GaveNothing());
    if (server_ends) {
      EXPECT_THAT(host.End(EndStreamError(R"({"code":"canceled"})")).outputs, IsEmpty());
    } else {
      EXPECT_THAT(host.OnDeadlineAt(milliseconds(1500)).outputs, ElementsAre("<cancel>"));
    }
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("7")),
                                     HasOrigin(ErrorOrigin::kLocal)));
  }
}

// --- actions that are handed out

RunOptions HandOut() { return {.token = "secret", .hand_out_execs = true}; }

TEST(Run, HandsOutAnActionAndSendsItsAnswer) {
  Host host({.prompt = "p"}, HandOut());
  EXPECT_THAT(host.Server(R"(exec_server_message { id: 5 exec_id: "e" ls_args { path: "d" } })"),
              GaveNothing());
  const std::optional<ExecRequest> request = host.run().PollExec();
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->id, 5u);
  EXPECT_EQ(std::get<LsArgs>(request->args).path, "d");
  EXPECT_FALSE(host.run().PollExec().has_value());
  EXPECT_TRUE(host.run().exec_pending(5));

  EXPECT_THAT(
      host.Answer(5, LsOutput{.root = {.path = "/w"}}).outputs,
      ElementsAre(SerializeClient(R"(exec_client_message { id: 5 exec_id: "e" ls_result {
                                  success { directory_tree_root { abs_path: "/w" } } } })"),
                  SerializeClient("exec_client_control_message { stream_close { id: 5 } }")));
  EXPECT_FALSE(host.run().exec_pending(5));
  // Nobody waits for another.
  EXPECT_THAT(host.Answer(5, LsOutput{}), GaveNothing());
}

TEST(Run, TakesAnswersInAnyOrder) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args {} }");
  host.Server("exec_server_message { id: 2 read_args {} }");
  EXPECT_EQ(host.run().PollExec()->id, 1u);
  EXPECT_EQ(host.run().PollExec()->id, 2u);
  EXPECT_EQ(host.Answer(2, absl::NotFoundError("no")).outputs.size(), 2u);
  EXPECT_EQ(host.Answer(1, absl::NotFoundError("no")).outputs.size(), 2u);
}

TEST(Run, AnswersByItselfWhatNoHandlerServes) {
  Host host({.prompt = "p"}, HandOut());
  EXPECT_EQ(host.Server("exec_server_message { id: 1 request_context_args {} }").outputs.size(),
            2u);
  EXPECT_EQ(host.Server("exec_server_message { id: 2 mcp_args { name: \"t\" } }").outputs.size(),
            2u);
  EXPECT_EQ(host.Server("exec_server_message { id: 3 subagent_args: \"\" }").outputs.size(), 2u);
  EXPECT_FALSE(host.run().PollExec().has_value());
}

TEST(Run, ForgetsAnActionThatTheServerGivesUp) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args {} }");
  host.Server("exec_server_message { id: 2 ls_args {} }");
  EXPECT_EQ(host.run().PollExec()->id, 1u);
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 1 } }"), GaveNothing());
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 2 } }"), GaveNothing());
  EXPECT_THAT(host.Server("exec_server_control_message { abort { id: 3 } }"), GaveNothing());
  EXPECT_FALSE(host.run().exec_pending(1));
  EXPECT_FALSE(host.run().PollExec().has_value());
  EXPECT_THAT(host.Answer(1, LsOutput{}), GaveNothing());
}

TEST(Run, AnswersAnActionOnceThatComesTwice) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }");
  EXPECT_THAT(host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }"), GaveNothing());
  EXPECT_TRUE(host.run().PollExec().has_value());
  EXPECT_FALSE(host.run().PollExec().has_value());
}

// Whatever is answered, the server could take it for the answer to the other.
TEST(Run, EndsTheTurnWhenTwoActionsHaveOneId) {
  for (const char* second :
       {"exec_server_message { id: 1 read_args { path: \"a\" } }",
        "exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }"}) {
    SCOPED_TRACE(second);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 ls_args { path: \"a\" } }");
    host.Server(second);
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kInternal, HasSubstr("exec 1")),
                                     HasOrigin(ErrorOrigin::kProtocol)));
  }
}

TEST(Run, BoundsTheActionsThatWait) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->mutable_ls_args();
  for (uint32_t id = 0; id < 256; ++id) {
    message.mutable_exec_server_message()->set_id(id);
    ASSERT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
  }
  message.mutable_exec_server_message()->set_id(256);
  EXPECT_EQ(host.ServerBytes(message.SerializeAsString()).outputs.size(), 2u);
  host.Answer(0, LsOutput{});
  message.mutable_exec_server_message()->set_id(257);
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
}

TEST(Run, BoundsTheBytesOfActionsThatWait) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  pb::ExecServerMessage& exec = *message.mutable_exec_server_message();
  exec.mutable_write_args()->set_file_text(std::string(size_t{33} << 20, 'x'));
  exec.set_id(1);
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()), GaveNothing());
  exec.set_id(2);
  EXPECT_EQ(host.ServerBytes(message.SerializeAsString()).outputs.size(), 2u);
  EXPECT_TRUE(host.run().exec_pending(1));
  EXPECT_FALSE(host.run().exec_pending(2));
}

// What each type of a failure says of the machine must be true.
TEST(Run, TellsNoFailureOfTheMachineThatItDidNotHave) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 read_args {} }");
  host.Server("exec_server_message { id: 2 ls_args {} }");
  pb::AgentClientMessage answer;
  for (uint32_t id = 3; id <= 256; ++id) {
    host.Server(absl::StrCat("exec_server_message { ls_args {} id: ", id, " }").c_str());
  }
  ASSERT_TRUE(answer.ParseFromString(
      host.Server("exec_server_message { id: 300 write_args {} }").outputs.at(0)));
  EXPECT_TRUE(answer.exec_client_message().write_result().has_error());
}

// The context may be large, and a question for it is a few bytes.
TEST(Run, MakesARequestContextOnlyWhenItCanBeSent) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "p",
                       .system = std::string(size_t{1} << 20, 's'),
                       .system_placement = SystemPlacement::kCloudRule},
                      {}, ids, TimePoint());
  ASSERT_TRUE(run.PollOutput().has_value());
  const auto ask = [&run] {
    const std::string bytes =
        Serialize("exec_server_message { id: 1 exec_id: \"e\" request_context_args {} }");
    run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
  };
  const size_t before = HeapBytes();
  for (int i = 0; i < 100; ++i) ask();
  EXPECT_LT(HeapBytes(), before + (size_t{32} << 20));
  for (int i = 0; i < 100; ++i) {
    pb::AgentClientMessage answer;
    ASSERT_TRUE(answer.ParseFromString(std::get<SendMessage>(*run.PollOutput()).message));
    EXPECT_EQ(answer.exec_client_message().exec_id(), "e");
    ASSERT_TRUE(answer.ParseFromString(std::get<SendMessage>(*run.PollOutput()).message));
    EXPECT_EQ(answer.exec_client_control_message().stream_close().id(), 1u);
  }
  EXPECT_FALSE(run.PollOutput().has_value());
}

// A call of a few bytes is refused by a message that names the tools there are.
TEST(Run, MakesRefusalsOnlyWhenTheyCanBeSent) {
  ToolRegistry tools;
  for (int i = 0; i < 60; ++i) {
    tools.Add({.name = absl::StrCat("a_tool_with_a_rather_long_name_", i)},
              [](const ToolCall&) { return ToolResult::Text(""); });
  }
  KnownIds ids;
  ChatRequest request{.prompt = "p"};
  request.tools = tools;
  const char* const kExecs[] = {
      "exec_server_message { id: 1 mcp_args { name: \"x\" } }",
      "exec_server_message { id: 1 mcp_args {} }",
      "exec_server_message { id: 1 }",
      "exec_server_message { id: 1 shell_args {} }",
      "exec_server_message { id: 1 read_args {} }",
  };
  for (const char* const exec : kExecs) {
    for (const bool behind_the_turn : {false, true}) {
      SCOPED_TRACE(testing::Message() << exec << behind_the_turn);
      cursorwire::Run run(request, {}, ids, TimePoint());
      ASSERT_TRUE(run.PollOutput().has_value());
      const auto receive = [&run](const std::string& bytes) {
        run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
      };
      if (behind_the_turn) receive(Serialize(kTurnEnded));
      const std::string bytes = Serialize(exec);
      const size_t envelopes = (size_t{1} << 17) / (bytes.size() + 5);
      const size_t before = HeapBytes();
      for (size_t i = 0; i < envelopes; ++i) receive(bytes);
      EXPECT_LT(HeapBytes() - before, size_t{4} << 20);
      for (size_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(run.PollOutput().has_value());
        const std::optional<RunOutput> close = run.PollOutput();
        pb::AgentClientMessage message;
        ASSERT_TRUE(message.ParseFromString(std::get<SendMessage>(*close).message));
        ASSERT_TRUE(message.has_exec_client_control_message()) << message.ShortDebugString();
      }
    }
  }
}

TEST(Run, DoesNothingTwiceThatWasAnswered) {
  struct Case {
    const char* name;
    const char* again;
    bool done;
  };
  const Case cases[] = {
      {"the same", "exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }", false},
      {"of another exec_id", "exec_server_message { id: 1 exec_id: \"y\" ls_args { path: \"a\" } }",
       true},
      {"of another id", "exec_server_message { id: 2 exec_id: \"x\" ls_args { path: \"a\" } }",
       true},
      {"of another kind", "exec_server_message { id: 1 exec_id: \"x\" read_args { path: \"a\" } }",
       true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 exec_id: \"x\" ls_args { path: \"a\" } }");
    ASSERT_TRUE(host.run().PollExec().has_value());
    EXPECT_THAT(host.Answer(1, LsOutput{}).outputs, SizeIs(2));
    EXPECT_THAT(host.Server(c.again), GaveNothing());
    EXPECT_EQ(host.run().PollExec().has_value(), c.done);
  }
}

// Where the service gives none, what it asks for tells.
TEST(Run, DoesNothingTwiceThatWasAnsweredThoughItHasNoExecId) {
  ToolRegistry tools;
  tools.Add({.name = "look"}, [](const ToolCall&) { return ToolResult::Text(""); });
  ChatRequest request{.prompt = "p"};
  request.tools = tools;
  Host host(request, HandOut());
  const char kCall[] =
      "exec_server_message { id: 1 mcp_args { name: \"look\" args { key: \"a\" value: \"1\" } "
      "args { key: \"b\" value: \"2\" } } }";
  const char kOther[] =
      "exec_server_message { id: 1 mcp_args { name: \"look\" args { key: \"a\" value: \"3\" } "
      "args { key: \"b\" value: \"2\" } } }";
  host.Server(kCall);
  ASSERT_TRUE(host.run().PollExec().has_value());
  EXPECT_THAT(host.Answer(1, ToolResult::Text("")).outputs, SizeIs(2));
  host.Server(kCall);
  EXPECT_FALSE(host.run().PollExec().has_value());
  host.Server(kOther);
  EXPECT_TRUE(host.run().PollExec().has_value());
}

TEST(Run, RemembersABoundedNumberOfAnswers) {
  Host host({.prompt = "p"}, HandOut());
  pb::AgentServerMessage message;
  message.mutable_exec_server_message()->mutable_ls_args();
  for (uint32_t id = 0; id <= 1024; ++id) {
    message.mutable_exec_server_message()->set_id(id);
    host.ServerBytes(message.SerializeAsString());
    ASSERT_TRUE(host.run().PollExec().has_value()) << id;
    host.Answer(id, LsOutput{});
  }
  message.mutable_exec_server_message()->set_id(1);
  host.ServerBytes(message.SerializeAsString());
  EXPECT_FALSE(host.run().PollExec().has_value());
  message.mutable_exec_server_message()->set_id(0);  // the oldest, forgotten
  host.ServerBytes(message.SerializeAsString());
  EXPECT_TRUE(host.run().PollExec().has_value());
}

// What is only shown is shown as far as it goes; what is acted on is taken as it is or not at all.
TEST(Run, ShowsTextThatIsNoUtf8) {
  const auto with_bad_byte = [](std::string bytes) {
    bytes.replace(bytes.find('#'), 1, "\xff");
    return bytes;
  };
  Host host({.prompt = "p"}, HandOut());
  EXPECT_THAT(host.ServerBytes(with_bad_byte(Serialize(
                                   "interaction_update { text_delta { text: \"a#b\" } }")))
                  .events,
              ElementsAre("text a\xEF\xBF\xBD"
                          "b"));
  EXPECT_THAT(host.ServerBytes(with_bad_byte(Serialize(
                                   "interaction_update { thinking_delta { text: \"#\" } }")))
                  .events,
              ElementsAre("thinking \xEF\xBF\xBD"));
  EXPECT_FALSE(host.run().ended());
  host.ServerBytes(with_bad_byte(Serialize("exec_server_message { ls_args { path: \"#\" } }")));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kInternal, HasSubstr("does not parse")));
}

TEST(Run, TellsTheServerOfAResultThatIsTooLarge) {
  Host host({.prompt = "p"}, HandOut());
  host.Server("exec_server_message { id: 1 read_args { path: \"f\" } }");
  const Host::Taken taken =
      host.Answer(1, ReadOutput{.content = std::string(size_t{17} << 20, 'x')});
  ASSERT_EQ(taken.outputs.size(), 2u);
  pb::AgentClientMessage answer;
  ASSERT_TRUE(answer.ParseFromString(taken.outputs[0]));
  EXPECT_THAT(answer.exec_client_message().read_result().error().error(), HasSubstr("too large"));
}

TEST(Run, WantsNoAnswerOnceTheTurnIsOver) {
  for (const bool cancel : {true, false}) {
    SCOPED_TRACE(cancel);
    Host host({.prompt = "p"}, HandOut());
    host.Server("exec_server_message { id: 1 ls_args {} }");
    if (cancel) {
      host.Cancel();
      host.Server("exec_server_message { id: 2 ls_args {} }");
    } else {
      host.End(EndWithoutEndStream());
    }
    EXPECT_FALSE(host.run().exec_pending(1));
    EXPECT_FALSE(host.run().exec_pending(2));
    EXPECT_FALSE(host.run().PollExec().has_value());
    EXPECT_THAT(host.Answer(1, LsOutput{}), GaveNothing());
  }
}

TEST(Run, TellsTheRequestContextWhatItKnows) {
  Host host({.prompt = "p", .system = "Be brief.", .system_placement = SystemPlacement::kBoth},
            {.token = "t",
             .environment = {.os_version = "linux 6.1",
                             .shell = "/bin/sh",
                             .time_zone = "Europe/Zurich",
                             .workspace = "/w"}});
  const Host::Taken taken = host.Server("exec_server_message { id: 1 request_context_args {} }");
  ASSERT_EQ(taken.outputs.size(), 2u);
  EXPECT_EQ(taken.outputs[0],
            SerializeClient(R"(exec_client_message { id: 1 request_context_result { success {
              request_context {
                env { os_version: "linux 6.1" workspace_paths: "/w" shell: "/bin/sh"
                      time_zone: "Europe/Zurich" process_working_directory: "/w" }
                cloud_rule: "Be brief." } } } })"));
}

TEST(Run, AnswersManyMessagesInTheirOrder) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "p"}, {}, ids, TimePoint());
  ASSERT_TRUE(run.PollOutput().has_value());
  const char* const messages[] = {
      "kv_server_message { id: 0 get_blob_args { blob_id: \"x\" } }",
      "exec_server_message { id: 1 ls_args {} }",
      "interaction_update { text_delta { text: \"a\" } }",
      "exec_server_message { id: 2 read_args {} }",
      "interaction_query { id: 3 web_search_request_query {} }",
      "interaction_update { text_delta { text: \"b\" } }",
      "kv_server_message { id: 4 get_blob_args { blob_id: \"y\" } }",
  };
  // All before anything is polled, as from one DATA frame.
  for (const char* message : messages) {
    const std::string bytes = Serialize(message);
    run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
  }
  std::vector<std::string> sent;
  while (std::optional<RunOutput> output = run.PollOutput()) {
    pb::AgentClientMessage message;
    ASSERT_TRUE(message.ParseFromString(std::get<SendMessage>(*output).message));
    if (message.has_kv_client_message()) {
      sent.push_back("kv " + std::to_string(message.kv_client_message().id()));
    } else if (message.has_exec_client_message()) {
      sent.push_back("exec " + std::to_string(message.exec_client_message().id()));
    } else if (message.has_exec_client_control_message()) {
      sent.push_back("close " +
                     std::to_string(message.exec_client_control_message().stream_close().id()));
    } else {
      sent.push_back("query " + std::to_string(message.interaction_response().id()));
    }
  }
  EXPECT_THAT(sent,
              ElementsAre("kv 0", "exec 1", "close 1", "exec 2", "close 2", "query 3", "kv 4"));
  std::vector<std::string> events;
  while (std::optional<absl::StatusOr<ChatEvent>> event = run.PollEvent()) {
    ASSERT_THAT(*event, IsOk());
    events.push_back(Line(**event));
  }
  // The blobs were looked for when their answers were polled.
  EXPECT_THAT(events, ElementsAre("text a", "text b", "state lost"));
}

// --- heartbeats

TEST(Run, SendsAHeartbeatEveryFiveSecondsAndNotEarlier) {
  Host host;
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(5000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(0)), GaveNothing());
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(4999)), GaveNothing());
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(5000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(5000)).outputs,
              ElementsAre(Golden("agent_heartbeat.hex")));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(5000)), GaveNothing());
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(10'000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(9999)), GaveNothing());
  // A late one is not made up for.
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(17'000)).outputs, ElementsAre(FromHex("3A 00")));
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(22'000)));
}

TEST(Run, SendsHeartbeatsWhateverTheServerSends) {
  Host host;
  host.Sleep(milliseconds(4000));
  host.Server("interaction_update { text_delta { text: \"a\" } }");
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(5000)));
}

TEST(Run, TakesTheIntervalOfTheHeartbeatsFromTheOptions) {
  Host host({.prompt = "p"}, {.heartbeat_interval = milliseconds(20)});
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(20)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(20)).outputs, SizeIs(1));
  Host silent({.prompt = "p"}, {.heartbeat_interval = {}, .watchdog = {{}, {}, {}}});
  EXPECT_THAT(silent.NextDeadline(), Eq(std::nullopt));
  EXPECT_THAT(silent.OnDeadlineAt(std::chrono::hours(1)), GaveNothing());
}

// --- ends

TEST(Run, EndsWithOneErrorForABrokenMessage) {
  const std::string broken[] = {FromHex("0A"), FromHex("0A 05 08"), FromHex("FF"), FromHex("00"),
                                FromHex("12 05 3A 03 0A 01 FF")};  // the last: a path of no UTF-8
  for (const std::string& bytes : broken) {
    SCOPED_TRACE(absl::CHexEscape(bytes));
    Host host;
    host.Server("interaction_update { text_delta { text: \"a\" } }");
    const Host::Taken taken = host.ServerBytes(bytes);
    EXPECT_THAT(taken.outputs, ElementsAre("<cancel>"));
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kInternal,
                                              HasSubstr(std::to_string(bytes.size()) + " bytes")),
                                     HasOrigin(ErrorOrigin::kProtocol)));
  }
}

TEST(Run, TakesAnEndWithoutEndStreamForALostConnection) {
  const absl::Status end = EndWithoutEndStream();
  ASSERT_THAT(end, StatusIs(absl::StatusCode::kInternal));
  Host host;
  host.Server("interaction_update { text_delta { text: \"a\" } }");
  EXPECT_THAT(host.End(end).outputs, IsEmpty());
  EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kUnavailable, HasSubstr("lost")),
                                   HasOrigin(ErrorOrigin::kTransport)));
}

TEST(Run, KeepsEveryOtherErrorOfTheCall) {
  const absl::Status ends[] = {
      EndStreamError(R"({"code":"resource_exhausted","message":"limit"})"),
      EndStreamError(R"({"code":"internal","message":"Blob not found: 1 2 3"})"),
      ResetStatus(),
      ProtocolError("bytes behind the end-stream envelope"),
      TransportError("connection refused", Replay::kSafe),
      LocalError(absl::StatusCode::kDeadlineExceeded, "the call took longer than 50 ms"),
      absl::CancelledError("without info"),
  };
  for (const absl::Status& end : ends) {
    SCOPED_TRACE(end.ToString());
    Host host;
    EXPECT_THAT(host.End(end), GaveNothing());
    // What can be done about it may stand behind the message.
    EXPECT_THAT(host.Result(), StatusIs(end.code(), HasSubstr(std::string(end.message()))));
    EXPECT_EQ(connect::GetErrorInfo(host.Result()), connect::GetErrorInfo(end));
  }
}

TEST(Run, IsASuccessAfterTurnEndedHoweverTheCallEnds) {
  const absl::Status ends[] = {
      absl::OkStatus(),
      EndWithoutEndStream(),
      ResetStatus(),
      EndStreamError(R"({"code":"internal","message":"Error"})"),
      TransportError("connection lost", Replay::kUnsafe),
      ProtocolError("envelope with unknown flags 9"),
      LocalError(absl::StatusCode::kDeadlineExceeded, "the call took longer than 50 ms"),
  };
  for (const absl::Status& end : ends) {
    SCOPED_TRACE(end.ToString());
    Host host;
    EXPECT_THAT(host.Server(kTurnEnded).events, ElementsAre("ended - - - - -"));
    EXPECT_THAT(host.ServerBytes(FromHex("1A 01 78")).events, ElementsAre("checkpoint x"));
    host.End(end);
    EXPECT_THAT(host.Result(), IsOk());
  }
}

// Whatever is going on: the service has no more to say of it.
TEST(Run, IsALostTurnWithoutTurnEnded) {
  for (const char* last : {"interaction_update { text_delta { text: \"half\" } }",
                           "exec_server_message { id: 1 shell_args { command: \"c\" } }"}) {
    SCOPED_TRACE(last);
    Host host({.prompt = "p"}, {.hand_out_execs = true});
    host.Server(last);
    host.End(absl::OkStatus());
    EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("complete")));
    EXPECT_THAT(host.Result(), HasOrigin(ErrorOrigin::kTransport));
  }
}

TEST(Run, IsASuccessAfterTurnEndedWhenAMessageIsBroken) {
  Host host;
  host.Server(kTurnEnded);
  EXPECT_THAT(host.ServerBytes("\xFF").outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(Run, AnswersBlobsAfterTurnEnded) {
  Host host;
  host.Server(kTurnEnded);
  EXPECT_THAT(host.Server("kv_server_message { id: 7 get_blob_args { blob_id: \"x\" } }").outputs,
              ElementsAre(Golden("agent_get_blob_missing.hex")));
}

TEST(Run, IsASuccessAfterTenSecondsOfSilenceBehindTurnEnded) {
  Host host({.prompt = "p"}, {.heartbeat_interval = milliseconds(0)});
  host.Sleep(milliseconds(1000));
  host.Server(kTurnEnded);
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(11'000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(10'000)), GaveNothing());
  // A checkpoint is a sign of life, a heartbeat is none: a run that is stuck has them for ever.
  host.ServerBytes(FromHex("1A 01 78"));
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(20'000)));
  host.Sleep(milliseconds(5000));
  host.Server("interaction_update { heartbeat {} }");
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(20'000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(19'999)), GaveNothing());
  EXPECT_FALSE(host.run().finished());
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(20'000)).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(Run, GoesOnWithHeartbeatsBehindTurnEnded) {
  Host host;
  host.Server(kTurnEnded);
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(5000)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(5000)).outputs,
              ElementsAre(Golden("agent_heartbeat.hex")));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(10'000)).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), IsOk());
}

// --- cancel

TEST(Run, TellsTheServerToStopAndResetsAfterHalfASecond) {
  Host host;
  host.Sleep(milliseconds(2000));
  const Host::Taken taken = host.Cancel();
  EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_cancel.hex"), "<close>"));
  EXPECT_THAT(taken.events, IsEmpty());
  EXPECT_FALSE(host.run().finished());
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(2500)));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(2499)), GaveNothing());
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(2500)).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(),
              AllOf(StatusIs(absl::StatusCode::kCancelled), HasOrigin(ErrorOrigin::kLocal)));
}

TEST(Run, IsCancelledWhateverTheServerEndsACancelledCallWith) {
  const absl::Status ends[] = {absl::OkStatus(), EndWithoutEndStream(), ResetStatus(),
                               EndStreamError(R"({"code":"canceled","message":"Error"})")};
  for (const absl::Status& end : ends) {
    SCOPED_TRACE(end.ToString());
    Host host;
    host.Cancel();
    EXPECT_THAT(host.End(end).outputs, IsEmpty());
    EXPECT_THAT(host.Result(),
                AllOf(StatusIs(absl::StatusCode::kCancelled), HasOrigin(ErrorOrigin::kLocal)));
  }
}

TEST(Run, IsCancelledWhenAMessageIsBrokenBehindTheCancel) {
  Host host;
  host.Cancel();
  EXPECT_THAT(host.ServerBytes("\xFF").outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Run, CancelsOnce) {
  Host host;
  host.Cancel();
  host.Sleep(milliseconds(400));
  EXPECT_THAT(host.Cancel(), GaveNothing());
  EXPECT_THAT(host.NextDeadline(), Optional(milliseconds(500)));
}

TEST(Run, HandsOutWhatCameBeforeAndBehindTheCancel) {
  Host host;
  EXPECT_THAT(host.Server("interaction_update { text_delta { text: \"a\" } }").events, SizeIs(1));
  host.Cancel();
  EXPECT_THAT(host.Server("interaction_update { text_delta { text: \"b\" } }").events,
              ElementsAre("text b"));
  host.End(absl::OkStatus());
  EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Run, SendsNothingBehindItsHalfClose) {
  const char* const messages[] = {
      "kv_server_message { id: 1 get_blob_args { blob_id: \"x\" } }",
      "kv_server_message { id: 1 set_blob_args { blob_id: \"x\" } }",
      "exec_server_message { id: 1 ls_args {} }",
      "interaction_query { id: 1 web_search_request_query {} }",
  };
  for (const char* message : messages) {
    SCOPED_TRACE(message);
    Host host;
    ASSERT_THAT(host.Cancel().outputs, ElementsAre(Not(IsEmpty()), "<close>"));
    EXPECT_THAT(host.Server(message).outputs, IsEmpty());
  }
}

TEST(Run, IsASuccessWhenCancelledBehindTurnEnded) {
  Host host;
  host.Server(kTurnEnded);
  host.Cancel();
  EXPECT_THAT(host.ServerBytes(FromHex("1A 01 78")).events, ElementsAre("checkpoint x"));
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(499)).outputs, IsEmpty());
  EXPECT_THAT(host.OnDeadlineAt(milliseconds(500)).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(), IsOk());
}

TEST(Run, IsASuccessWhenTurnEndedCrossesTheCancel) {
  Host host;
  host.Cancel();
  EXPECT_THAT(host.Server(kTurnEnded).events, SizeIs(1));
  host.End(absl::OkStatus());
  EXPECT_THAT(host.Result(), IsOk());
}

// --- error details

constexpr char kErrorDebug[] = R"({"error":"ERROR_BAD_MODEL_NAME",)"
                               R"("details":{"title":"Bad model","detail":"No such model: x"}})";

absl::Status ErrorWithDetail(const std::string& behind_type) {
  return EndStreamError(R"({"code":"not_found","message":"Error","details":[{"type":)"
                        R"("aiserver.v1.ErrorDetails",)" +
                        behind_type + "}]}");
}

TEST(Run, MakesTheErrorOfTheServiceReadable) {
  // ErrorDetails { error = 5, details { title = "Bad model", detail = "No such model: x" },
  // is_expected = true }
  const std::string value = FromHex("08 05 12 1D 0A 09") + "Bad model" + FromHex("12 10") +
                            "No such model: x" + FromHex("18 01");
  const std::string padded = absl::Base64Escape(value);
  ASSERT_EQ(padded.back(), '=');
  const std::string unpadded = padded.substr(0, padded.find('='));
  struct Case {
    const char* name;
    std::string detail;  // behind the type
  };
  const Case cases[] = {
      {"unpadded", R"("value":")" + unpadded + "\""},
      {"padded", R"("value":")" + padded + "\""},
      {"both", R"("value":")" + unpadded + R"(","debug":)" + kErrorDebug},
      {"value of no ErrorDetails", std::string(R"("value":"/w","debug":)") + kErrorDebug},
      {"empty value", std::string(R"("value":"","debug":)") + kErrorDebug},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host;
    host.End(ErrorWithDetail(c.detail));
    EXPECT_THAT(host.Result(), AllOf(StatusIs(absl::StatusCode::kNotFound,
                                              HasSubstr("Bad model: No such model: x (choose")),
                                     HasOrigin(ErrorOrigin::kServer)));
  }
}

TEST(Run, ShowsNoTokenThatTheServerRepeats) {
  const std::string token = "tok_SECRET123";
  const struct {
    const char* name;
    std::string error;
    const char* message;
  } cases[] = {
      {"message", R"({"code":"unauthenticated","message":"bad Bearer tok_SECRET123"})",
       "bad Bearer (redacted)"},
      {"debug form",
       R"({"code":"unauthenticated","message":"Error","details":[{"type":"aiserver.v1.ErrorDetails",)"
       R"("debug":{"details":{"title":"T","detail":"bad tok_SECRET123"}}}]})",
       "bad (redacted)"},
      // ErrorDetails of details of title, in base64.
      {"value",
       R"({"code":"unauthenticated","message":"","details":[{"type":"aiserver.v1.ErrorDetails","value":")" +
           absl::Base64Escape("\x12\x0f\x0a\x0d" + token) + "\"}]}",
       "(redacted)"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Host host({.prompt = "hi"}, {.token = token});
    host.End(EndStreamError(c.error));
    const absl::Status status = host.Result();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr(c.message)));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr(token)));
    const connect::ErrorInfo info = connect::GetErrorInfo(status).value_or(connect::ErrorInfo{});
    for (const connect::ErrorDetail& detail : info.details) {
      EXPECT_THAT(detail.value + detail.debug_json, Not(HasSubstr(token)));
    }
  }
}

TEST(Run, ShowsNoTokenInANotice) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "hi"}, {.token = "tok_SECRET123"}, ids, TimePoint());
  const std::string message = Serialize(
      R"(interaction_update { text_delta { text: "tok_SECRET123!" is_server_notice: true } })");
  run.On(connect::CallEvent(connect::MessageView{message, message.size()}), TimePoint());
  const auto event = run.PollEvent();
  ASSERT_TRUE(event && event->ok());
  ASSERT_NE((*event)->As<ServerNotice>(), nullptr);
  EXPECT_EQ((*event)->As<ServerNotice>()->text, "(redacted)!");
}

TEST(Run, ReadsTheDebugFormWhereTheValueCannotBe) {
  // docs/protocol.md, end of a run: `value` is read first, `debug` if that fails.
  const std::string details[] = {std::string(R"("value":"!","debug":)") + kErrorDebug,
                                 std::string(R"("debug":)") + kErrorDebug};
  for (const std::string& detail : details) {
    SCOPED_TRACE(detail);
    Host host;
    host.End(ErrorWithDetail(detail));
    EXPECT_THAT(host.Result(), StatusIs(absl::StatusCode::kNotFound,
                                        HasSubstr("Bad model: No such model: x (choose")));
  }
}

// --- hosts

TEST(Run, TakesTheEventsOfAConnection) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "p"}, {}, ids, TimePoint());
  ASSERT_TRUE(run.PollOutput().has_value());
  run.On(connect::ConnectionEvent{0, connect::ConnectionUp{}}, TimePoint());
  run.On(connect::ConnectionEvent{1, connect::ResponseHead{}}, TimePoint());
  run.On(connect::ConnectionEvent{1, connect::Writable{}}, TimePoint());
  run.On(connect::ConnectionEvent{0, connect::GoAwayReceived{}}, TimePoint());
  run.On(connect::ConnectionEvent{0, connect::ConnectionDown{absl::AbortedError("x")}},
         TimePoint());
  EXPECT_FALSE(run.PollEvent().has_value());
  EXPECT_FALSE(run.finished());
  const std::string text = Serialize("interaction_update { text_delta { text: \"a\" } }");
  run.On(connect::ConnectionEvent{1, connect::MessageView{text, text.size()}}, TimePoint());
  run.On(connect::ConnectionEvent{1, connect::CallEnd{absl::AbortedError("x"), {}}}, TimePoint());
  const std::optional<absl::StatusOr<ChatEvent>> event = run.PollEvent();
  ASSERT_TRUE(event.has_value() && event->ok());
  EXPECT_EQ(Line(**event), "text a");
  EXPECT_FALSE(run.finished());
  EXPECT_THAT(run.PollEvent(), Optional(StatusIs(absl::StatusCode::kAborted)));
  EXPECT_TRUE(run.finished());
}

TEST(Run, GoesOnAfterItWasMoved) {
  KnownIds ids;
  cursorwire::Run first({.prompt = "p"}, {}, ids, TimePoint());
  cursorwire::Run second(std::move(first));
  EXPECT_TRUE(second.PollOutput().has_value());
  second.Cancel(TimePoint());
  EXPECT_TRUE(second.PollOutput().has_value());
}

TEST(Run, HasExactlyOneTerminalElementWhereverATurnIsCut) {
  const char* const turn[] = {
      "kv_server_message { id: 0 get_blob_args { blob_id: \"x\" } }",
      "exec_server_message { id: 1 request_context_args {} }",
      "interaction_update { thinking_delta { text: \"t\" } }",
      "interaction_update { text_delta { text: \"a\" } }",
      "interaction_update { token_delta { tokens: 1 } }",
      "interaction_query { id: 1 web_search_request_query {} }",
      "interaction_update { step_completed { step_id: 1 } }",
      "kv_server_message { id: 1 set_blob_args { blob_id: \"x\" blob_data: \"y\" } }",
      "interaction_update { turn_ended {} }",
      "conversation_checkpoint_update: \"s\"",
      "conversation_checkpoint_update: \"t\"",
  };
  constexpr size_t kTurnEndedAt = 8;
  struct Cut {
    const char* name;
    void (*make)(Host&);
  };
  const Cut cuts[] = {
      {"end without end-stream", [](Host& host) { host.End(EndWithoutEndStream()); }},
      {"error of the server",
       [](Host& host) { host.End(EndStreamError(R"({"code":"internal"})")); }},
      {"reset", [](Host& host) { host.End(ResetStatus()); }},
      {"broken message", [](Host& host) { host.ServerBytes("\xFF"); }},
      {"cancel, then silence",
       [](Host& host) {
         host.Cancel();
         host.OnDeadlineAt(milliseconds(500));
       }},
      {"unknown query, then the end",
       [](Host& host) {
         host.ServerBytes(FromHex("3A 02 08 08"));
         host.End(absl::OkStatus());
       }},
  };
  for (const Cut& cut : cuts) {
    SCOPED_TRACE(cut.name);
    for (size_t count = 0; count <= std::size(turn); ++count) {
      SCOPED_TRACE("after " + std::to_string(count) + " messages");
      Host host;
      for (size_t i = 0; i < count; ++i) host.Server(turn[i]);
      EXPECT_FALSE(host.run().finished());
      cut.make(host);
      EXPECT_EQ(host.Result().ok(), count > kTurnEndedAt);
    }
  }
}

}  // namespace
}  // namespace cursorwire
