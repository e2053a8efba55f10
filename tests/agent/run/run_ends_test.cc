#include "cursorwire/run.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "agent/run/end_statuses.h"
#include "agent/run/known_ids.h"
#include "agent/run/run_host.h"
#include "agent/v1/run.pb.h"
#include "base/error.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

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
using test::Serialize;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

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
      ProtocolError("bytes after the end-stream envelope"),
      TransportError("connection refused", Replay::kSafe),
      LocalError(absl::StatusCode::kDeadlineExceeded, "the call took longer than 50 ms"),
      absl::CancelledError("without info"),
  };
  for (const absl::Status& end : ends) {
    SCOPED_TRACE(end.ToString());
    Host host;
    EXPECT_THAT(host.End(end), GaveNothing());
    // What can be done about it may stand after the message.
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

TEST(Run, TellsTheEndOfTheTurnOnce) {
  Host host;
  EXPECT_THAT(host.Server(kTurnEnded).events, SizeIs(1));
  EXPECT_THAT(host.Server(kTurnEnded).events, IsEmpty());
  host.Cancel();
  EXPECT_THAT(host.Server(kTurnEnded).events, IsEmpty());
  host.End(absl::OkStatus());
  EXPECT_THAT(host.Result(), IsOk());
}

// The user has seen the end, and the turn is written down.
TEST(Run, SaysNothingBehindTurnEnded) {
  for (const bool passes_text : {false, true}) {
    Host host({.prompt = "p", .think_tags = ThinkTags::kKeep});
    std::string passed;
    if (passes_text) host.run().PassTextTo([&passed](std::string_view text) { passed += text; });
    host.Server("interaction_update { text_delta { text: 'a' } }");
    host.Server(kTurnEnded);
    for (const char* late : {"interaction_update { text_delta { text: 'b' } }",
                             "interaction_update { thinking_delta { text: 'b' } }",
                             "interaction_update { tool_call_started { call_id: 'c' } }",
                             "interaction_update { tool_call_completed { call_id: 'c' } }"}) {
      SCOPED_TRACE(late);
      EXPECT_THAT(host.Server(late).events, IsEmpty());
    }
    EXPECT_EQ(passed, passes_text ? "a" : "");
    EXPECT_THAT(host.run().progress().turn.items, ElementsAre(HistoryItem(HistoryText{"a"})));
    EXPECT_THAT(host.ServerBytes(FromHex("1A 01 78")).events, ElementsAre("checkpoint x"));
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
  // A checkpoint is a sign of life, a heartbeat is not: a run that is stuck has them forever.
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
    std::string detail;  // after the type
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

}  // namespace
}  // namespace cursorwire
