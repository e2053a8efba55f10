#include "cursorwire/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/run/end_statuses.h"
#include "agent/run/known_ids.h"
#include "agent/run/run_host.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/blob_store.h"
#include "rpc/streaming_call.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/hex.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;
using connect::ErrorOrigin;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::FromHex;
using test::Golden;
using test::HasOrigin;
using test::Host;
using test::IsOk;
using test::KnownIds;
using test::kTurnEnded;
using test::Line;
using test::Serialize;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::StartsWith;

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

TEST(Run, PassesTextOnInPlaceWhereAskedTo) {
  Host host;
  std::vector<std::string> texts;
  host.run().PassTextTo([&texts](std::string_view text) { texts.emplace_back(text); });
  // The first words might begin with a tag.
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "Hel" } })").events,
              ElementsAre("text Hel"));
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "lo " } })").events,
              IsEmpty());
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "you." } })").events,
              IsEmpty());
  EXPECT_THAT(texts, ElementsAre("lo ", "you."));
  EXPECT_THAT(host.Server(R"(interaction_update { token_delta { tokens: 2 } })").events,
              ElementsAre("tokens 2"));
  EXPECT_EQ(host.run().progress().text_since, "Hello you.");
  host.run().PassTextTo(nullptr);
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "Bye." } })").events,
              ElementsAre("text Bye."));
  EXPECT_THAT(host.Server(kTurnEnded).events, ElementsAre("ended - - - - -"));
  EXPECT_EQ(texts.size(), 2u);
}

TEST(Run, PassesNoTextOnBeforeEventsThatWait) {
  Host host;
  std::vector<std::string> texts;
  host.run().PassTextTo([&texts](std::string_view text) { texts.emplace_back(text); });
  host.Server(R"(interaction_update { text_delta { text: "a" } })");
  for (const char* const text : {R"(interaction_update { token_delta { tokens: 2 } })",
                                 R"(interaction_update { text_delta { text: "b" } })"}) {
    const std::string bytes = Serialize(text);
    host.run().On(connect::MessageView{bytes, bytes.size()}, host.now());
  }
  EXPECT_THAT(texts, IsEmpty());
  EXPECT_THAT(host.Server(R"(interaction_update { text_delta { text: "c" } })").events,
              ElementsAre("tokens 2", "text b", "text c"));
}

TEST(Run, SendsRulesModelAndConversationOfTheRequest) {
  Host host({.prompt = "Gr\u00FC\u00DFe", .model = "model-x", .system = "Answer \"briefly\"."}, {},
            {.id = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d"});
  EXPECT_THAT(host.first().outputs, ElementsAre(Golden("agent_run_request_rules.hex")));
}

TEST(Run, TellsTheConversationIdThatItSends) {
  const std::string given = "0b3c0d35-6f1b-4b0a-9a3e-1d2f3a4b5c6d";
  EXPECT_EQ(Host({.prompt = "p"}, {}, {.id = given}).run().conversation_id(), given);
  Host made_up;
  pb::AgentClientMessage first;
  ASSERT_TRUE(first.ParseFromString(made_up.first().outputs.at(0)));
  EXPECT_EQ(made_up.run().conversation_id(), first.run_request().conversation_id());
  EXPECT_EQ(made_up.run().conversation_id().size(), given.size());
  Host bad({.prompt = ""}, {}, {.id = "c"});
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

TEST(Run, RefusesABadConversationAndSendsNothing) {
  struct Case {
    const char* name;
    RunConversation conversation;
    const char* message;
  };
  const auto blobs = std::make_shared<MemoryBlobStore>();
  const Case cases[] = {
      {"id that is not UTF-8", {.id = "\x80"}, "conversation"},
      {"state without an id", {.state = "\x50\x01", .blobs = blobs}, "id"},
      {"state without its blobs", {.id = "c", .state = "\x50\x01"}, "blobs"},
      {"state that is too large",
       {.id = "c", .state = std::string((size_t{48} << 20) + 1, 's'), .blobs = blobs},
       "new conversation"},
      {"state that is damaged", {.id = "c", .state = "\x0A\x7F", .blobs = blobs}, "damaged"},
      {"rest of a turn without its state",
       {.id = "c", .start = RunStart::kResume, .blobs = blobs},
       "missing"},
      {"turn that is told again, with a former state",
       {.id = "c", .state = "\x50\x01", .start = RunStart::kContinue, .blobs = blobs},
       "told again"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Host host({.prompt = "p"}, {}, c.conversation);
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
