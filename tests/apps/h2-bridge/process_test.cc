// The program itself, over pipes: what docs/bridge.md promises to parents.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>

#include "error_envelope.h"
#include "process_support.h"
#include "support/pair.h"
#include "support/scratch_folder.h"
#include "support/sizes.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Headers;
using cursorwire::connect::Security;
using cursorwire::test::AnswerHttp;
using cursorwire::test::CloseTheConnection;
using cursorwire::test::Exchange;
using cursorwire::test::GoAwayWith;
using cursorwire::test::kKiB;
using cursorwire::test::kMiB;
using cursorwire::test::NeverAnswer;
using cursorwire::test::Requests;
using cursorwire::test::ResetWith;
using cursorwire::test::ScratchFolder;
using cursorwire::test::TestServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

std::string Join(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  return all;
}

// What goes through unchanged must not be all the same.
std::string Pattern(size_t bytes) {
  std::string text(bytes, '\0');
  uint32_t state = 1;
  for (char& c : text) c = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

// Of a bridge whose parent is gone: one of these exit codes, and no time lost on the way.
void ExpectQuietEnd(Child& bridge, const std::vector<int>& codes) {
  EXPECT_THAT(codes, testing::Contains(bridge.Wait()));
  if (!kSanitized) {
    EXPECT_LT(bridge.cpu_seconds(), 0.25) << "it spins";
  }
}

// --- frames and modes

class BridgeStdio : public testing::TestWithParam<Stdio> {};

TEST_P(BridgeStdio, RelaysAStreamForAnOlderParent) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE, {.stdio = GetParam()});
  bridge.Send(ConfigOf(server.url(), "/echo"));
  for (const char* word : {"one", "two", "{three"}) {
    bridge.Send(word);
    EXPECT_EQ(bridge.ReadBytes(std::string(word).size()), word);
  }
  bridge.Send("");
  bridge.CloseInput();
  EXPECT_EQ(bridge.Read(), std::nullopt);
  EXPECT_EQ(bridge.Wait(), 0);
  EXPECT_EQ(bridge.ReadErrors(), "");
}

TEST_P(BridgeStdio, RelaysAUnaryCall) {
  TestServer server({.routes = {{"/unary", cursorwire::test::EchoUnary()}}});
  Child bridge(CURSOR_H2_BRIDGE, {.stdio = GetParam()});
  bridge.Send(ConfigOf(server.url(), "/unary", kUnary));
  bridge.Send("request");
  bridge.CloseInput();
  EXPECT_EQ(Join(bridge.ReadAll()), "request");
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST_P(BridgeStdio, MessagesOf64MiBGoBothWays) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE, {.stdio = GetParam()});
  bridge.Send(ConfigOf(server.url(), "/echo"));
  // ThreadSanitizer would need half a minute for more.
  const std::string message = Pattern((kSanitized ? 8 : 64) * kMiB);
  const std::string framed = Message(message);
  std::string answer;
  size_t written = 0;
  while (written < framed.size()) {
    const size_t count = bridge.WriteWhatFits(std::string_view(framed).substr(written));
    written += count;
    if (count > 0) continue;
    const auto piece = bridge.Read();
    ASSERT_TRUE(piece.has_value());
    answer += *piece;
  }
  answer += bridge.ReadBytes(message.size() - answer.size());
  if (!kSanitized) {
    EXPECT_LT(bridge.Memory("VmHWM"), 24 * kKiB) << "KiB";
  }
  bridge.CloseInput();
  EXPECT_TRUE(answer == message);
  EXPECT_EQ(bridge.Read(), std::nullopt);
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST_P(BridgeStdio, ParentThatIsGoneEndsIt) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  for (const char* mode : {"", kNewer, kPersistent, kUnary}) {
    SCOPED_TRACE(mode);
    Child bridge(CURSOR_H2_BRIDGE, {.stdio = GetParam()});
    bridge.Send(ConfigOf(server.url(), "/headers", mode));
    bridge.CloseInput();
    bridge.CloseOutput();
    ExpectQuietEnd(bridge, {0, 1});
  }
}

TEST_P(BridgeStdio, ParentThatIsGoneIsNoticedBehindBytesThatTheServerDoesNotTake) {
  for (const std::string mode : {kNewer, kPersistent}) {
    SCOPED_TRACE(mode);
    TestServer server({.routes = {{"/never", NeverAnswer()}}});
    Child bridge(CURSOR_H2_BRIDGE, {.stdio = GetParam()});
    bridge.Send(
        ConfigOf(server.url(), "/never", mode + R"(,"pingIntervalMs":100,"connectTimeoutMs":500)"));
    ASSERT_TRUE(server.Await(Requests(1)));
    server.PauseReading();
    // Whole messages, so that it may be the end of the input that it sees.
    const std::string message = Message(std::string(2000, 'x'));
    bridge.WriteUntilFull(message, std::chrono::seconds(1));
    EXPECT_THAT(bridge.ReadErrorLine(), HasSubstr("ping failed"));
    bridge.CloseInput();
    EXPECT_EQ(bridge.Wait(), 1);
    EXPECT_THAT(bridge.ReadErrors(), HasSubstr("did not take the request within 500 ms"));
    if (!kSanitized) {
      EXPECT_LT(bridge.cpu_seconds(), 0.25) << "it spins";
    }
  }
}

std::string StdioName(const testing::TestParamInfo<Stdio>& stdio) {
  return stdio.param == Stdio::kPipes ? "Pipes" : "Sockets";
}

INSTANTIATE_TEST_SUITE_P(, BridgeStdio, testing::Values(Stdio::kPipes, Stdio::kSockets), StdioName);

TEST(BridgeProcess, ConfigurationMayComeByteByByte) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  const std::string bytes =
      Message(ConfigOf(server.url(), "/echo")) + Message("body") + Message("");
  for (char c : bytes) ASSERT_TRUE(bridge.Write({&c, 1}));
  EXPECT_EQ(Join(bridge.ReadAll()), "body");
  EXPECT_EQ(bridge.Wait(), 0);
}

// Who else runs as the user may not read the token, which is in its memory. Sanitizers look into it
// themselves.
TEST(BridgeProcess, ItsMemoryIsItsOwn) {
  if (kSanitized || ::getuid() == 0) GTEST_SKIP() << "not told apart here";
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE, {});
  bridge.Send(ConfigOf(server.url(), "/echo"));
  bridge.Send("one");
  EXPECT_EQ(bridge.ReadBytes(3), "one");
  EXPECT_EQ(bridge.OwnerOfMemory(), 0U);
  bridge.CloseInput();
}

TEST(BridgeProcess, EmptyFirstMessageEndsTheRequest) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/echo"));
  bridge.Send("");
  EXPECT_THAT(bridge.ReadAll(), IsEmpty());
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST(BridgeProcess, RequestIsOpenedBeforeAnyMessage) {
  TestServer server({.routes = {{"/never", NeverAnswer()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/never"));
  EXPECT_TRUE(server.Await(Requests(1)));
}

TEST(BridgeProcess, SendsTheHeadersOfTheProtocol) {
  std::mutex mutex;
  Headers seen;
  const cursorwire::test::Behaviour keep = {.on_headers = [&](Exchange& exchange) {
    const std::lock_guard lock(mutex);
    seen = exchange.headers();
    exchange.SendHeaders({{":status", "200"}});
    exchange.Finish();
  }};
  TestServer server({.routes = {{"/keep", keep}, {"/agent.v1.AgentService/Run", keep}}});
  const struct {
    const char* mode;
    const char* type;
    std::vector<std::string> environment;
    const char* version;
  } cases[] = {
      {"", "application/connect+proto", {}, "cli-2026.08.31-4057e58"},
      {kUnary, "application/proto", {"PI_CURSOR_CLIENT_VERSION="}, "cli-2026.08.31-4057e58"},
      {kNewer, "application/connect+proto", {"PI_CURSOR_CLIENT_VERSION=cli-x"}, "cli-x"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.mode);
    Child bridge(CURSOR_H2_BRIDGE, {.environment = c.environment});
    bridge.Send(ConfigOf(server.url(), "/keep", c.mode));
    bridge.Send("");
    EXPECT_EQ(bridge.Wait(), 0);
    const std::lock_guard lock(mutex);
    EXPECT_EQ(seen.Get(":method"), "POST");
    EXPECT_EQ(seen.Get("content-type"), c.type);
    EXPECT_EQ(seen.Get("te"), "trailers");
    EXPECT_EQ(seen.Get("authorization"), std::string("Bearer ") + kToken);
    EXPECT_EQ(seen.Get("x-ghost-mode"), "true");
    EXPECT_EQ(seen.Get("x-cursor-client-version"), c.version);
    EXPECT_EQ(seen.Get("x-cursor-client-type"), "cli");
    EXPECT_EQ(seen.Get("connect-protocol-version"), "1");
    EXPECT_THAT(
        std::string(seen.Get("x-request-id").value_or("")),
        MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  }
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(R"({"url":")" + server.url() + R"(","unknown":[1]})");
  EXPECT_EQ(bridge.Wait(), 0);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen.Get(":path"), "/agent.v1.AgentService/Run");
  EXPECT_EQ(seen.Get("authorization"), "Bearer");
}

TEST(BridgeProcess, MessageOver64MiBIsAFailure) {
  TestServer server({.routes = {{"/never", NeverAnswer()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/never"));
  const auto prefix = FramePrefix(70 * 1024 * 1024);
  bridge.Write({prefix.data(), prefix.size()});
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_EQ(bridge.ReadErrors(),
            "[h2-bridge] stdin error: a message of 73400320 bytes is over the limit of 67108864\n");
}

TEST(BridgeProcess, BadBeginningsAreFailures) {
  for (const char* config : {"", "{", "[]", "7", R"({"url":"nonsense"})"}) {
    SCOPED_TRACE(config);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(config);
    EXPECT_EQ(bridge.Wait(), 1);
    EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] "));
  }
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.CloseInput();
  EXPECT_EQ(bridge.Wait(), 1) << "no message";
}

// --- lifetimes

TEST(BridgeProcess, NewerParentWithoutSessionIsDoneWithItsRequest) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/headers", kNewer));
  bridge.Send("");
  EXPECT_EQ(bridge.Wait(), 0) << "the response has not ended";
}

TEST(BridgeProcess, HttpErrorIsToldWithinTheMomentOfANewerParent) {
  TestServer server({.routes = {{"/401", {.on_headers = [](Exchange& exchange) {
                                   exchange.SendHeaders({{":status", "401"}});
                                 }}}}});
  for (const char* mode : {kNewer, kPersistent}) {
    SCOPED_TRACE(mode);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(ConfigOf(server.url(), "/401", mode));
    bridge.Send("");
    bridge.CloseInput();
    EXPECT_THAT(bridge.ReadAll(),
                ElementsAre(ErrorEnvelope("http_401", "Cursor HTTP 401: no details were sent")));
    EXPECT_EQ(bridge.Wait(), 1);
  }
}

TEST(BridgeProcess, RequestOfANewerParentThatNeverLeftIsAFailure) {
  const cursorwire::test::SilentListener server;
  for (const std::string mode : {kNewer, kPersistent}) {
    SCOPED_TRACE(mode);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(ConfigOf(server.url("http"), "/p", mode + R"(,"connectTimeoutMs":300)"));
    bridge.Send("");
    bridge.CloseInput();
    EXPECT_EQ(bridge.Wait(), 1);
    EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] client error: "));
  }
}

TEST(BridgeProcess, OlderParentWaitsForTheResponse) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/headers"));
  bridge.CloseInput();
  ASSERT_TRUE(server.Await([](const auto& stats) { return stats.complete == 1; }));
  server.ForEachExchange([](Exchange& exchange) {
    exchange.SendBody("late");
    exchange.Finish();
  });
  EXPECT_EQ(Join(bridge.ReadAll()), "late");
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST(BridgeProcess, ResponseMayEndBeforeTheRequest) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  for (const char* mode : {"", kNewer, kUnary}) {
    SCOPED_TRACE(mode);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(ConfigOf(server.url(), "/answer", mode));
    EXPECT_EQ(Join(bridge.ReadAll()), "all");
    EXPECT_EQ(bridge.Wait(), 0);
  }
}

TEST(BridgeProcess, SlowParentGetsAllOfABigAnswer) {
  const std::string answer = Pattern(5 * kMiB);
  TestServer server({.routes = {{"/answer", AnswerWith(answer)}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/answer"));
  EXPECT_TRUE(server.Await(Requests(1)));
  EXPECT_TRUE(Join(bridge.ReadAll()) == answer);
  EXPECT_EQ(bridge.Wait(), 0);
}

// --- persistent sessions

TEST(BridgeProcess, ThousandTurnsOfASessionUseOneConnectionAndNoMoreMemory) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/echo", kPersistent));
  size_t early = 0;
  const std::string question = Pattern(10'000);
  for (int turn = 0; turn < 1000; ++turn) {
    if (turn > 0) bridge.Send(kOpen);
    bridge.Send(question);
    bridge.Send("");
    ASSERT_TRUE(bridge.ReadBytes(question.size()) == question) << turn;
    ASSERT_EQ(bridge.Read(), kDone) << turn;
    bridge.Send("late heartbeat");
    if (turn == 99) early = bridge.Memory("VmRSS");
  }
  if (!kSanitized) {
    EXPECT_LE(bridge.Memory("VmRSS"), early + 512) << "KiB";
  }
  EXPECT_EQ(server.stats().accepted, 1);
  EXPECT_EQ(server.stats().requests, 1000);
  bridge.CloseInput();
  EXPECT_EQ(bridge.Wait(), 0);
  EXPECT_EQ(bridge.ReadErrors(), "");
}

TEST(BridgeProcess, OpenTwiceStartsTheLastRun) {
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/echo", kPersistent));
  bridge.Send(kOpen);
  bridge.Send(kOpen);
  bridge.Send("question");
  bridge.Send("");
  EXPECT_EQ(bridge.ReadBytes(8), "question");
  EXPECT_EQ(bridge.Read(), kDone);
}

TEST(BridgeProcess, DeadSessionIsAFailureWhenItIsOpened) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/answer", kPersistent));
  EXPECT_EQ(bridge.ReadBytes(3), "all");
  EXPECT_EQ(bridge.Read(), kDone);
  server.CloseConnections();
  EXPECT_THAT(bridge.ReadErrorLine(), StartsWith("[h2-bridge] client error: "));
  bridge.Send(kOpen);
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrorLine(), StartsWith("[h2-bridge] client error: "));
  EXPECT_EQ(bridge.Read(), std::nullopt);
}

TEST(BridgeProcess, EndOfInputEndsASession) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}, {"/headers", HeadersOnly()}}});
  for (const char* path : {"/answer", "/headers"}) {
    SCOPED_TRACE(path);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(ConfigOf(server.url(), path, kPersistent));
    bridge.Send("");
    bridge.CloseInput();
    EXPECT_EQ(bridge.Wait(), 0);
  }
}

// --- errors

// Every kind of parent; a failure must not look like a success to any of them.
class BridgeErrors : public testing::TestWithParam<const char*> {
 protected:
  static std::string Config(const TestServer& server, const std::string& path) {
    return ConfigOf(server.url(), path, GetParam());
  }
};

TEST_P(BridgeErrors, ResetBeforeTheHeaders) {
  TestServer server({.routes = {{"/reset", ResetWith(2)}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/reset"));
  EXPECT_THAT(bridge.ReadAll(), IsEmpty());
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] stream error: "));
}

TEST_P(BridgeErrors, ResetBehindTheHeaders) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/headers"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.ForEachExchange([](Exchange& exchange) { exchange.SendBody("part"); });
  EXPECT_EQ(bridge.ReadBytes(4), "part");
  server.ForEachExchange([](Exchange& exchange) { exchange.Reset(2); });
  EXPECT_THAT(bridge.ReadAll(), IsEmpty()) << "no sentinel";
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] stream error: "));
}

TEST_P(BridgeErrors, CutBeforeTheHeaders) {
  TestServer server({.routes = {{"/close", CloseTheConnection()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/close"));
  EXPECT_THAT(bridge.ReadAll(), IsEmpty());
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] client error: "));
}

TEST_P(BridgeErrors, CutBehindTheHeaders) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/headers"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.ForEachExchange([](Exchange& exchange) { exchange.SendBody("part"); });
  EXPECT_EQ(bridge.ReadBytes(4), "part");
  server.CloseConnections();
  EXPECT_THAT(bridge.ReadAll(), IsEmpty()) << "no sentinel";
  EXPECT_EQ(bridge.Wait(), 2);
  EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] client error: "));
}

TEST_P(BridgeErrors, HttpStatus) {
  TestServer server({.routes = {{"/401", {.on_headers = [](Exchange& exchange) {
                                   exchange.SendHeaders({{":status", "401"}});
                                   exchange.SendBody("not " + std::string(kToken));
                                   exchange.Finish();
                                 }}}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/401"));
  EXPECT_THAT(bridge.ReadAll(),
              ElementsAre(ErrorEnvelope("http_401", "Cursor HTTP 401: not (redacted)")));
  EXPECT_EQ(bridge.Wait(), 1);
}

TEST_P(BridgeErrors, HttpStatusWithTextInAHeader) {
  TestServer server(
      {.routes = {{"/503", {.on_headers = [](Exchange& exchange) {
                     exchange.SendHeaders({{":status", "503"}, {"grpc-message", "try%20later"}});
                     exchange.Finish();
                   }}}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/503"));
  EXPECT_THAT(bridge.ReadAll(),
              ElementsAre(ErrorEnvelope("http_503", "Cursor HTTP 503: try later")));
  EXPECT_EQ(bridge.Wait(), 1);
}

TEST_P(BridgeErrors, GoAwayInMidStream) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/headers"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.ForEachExchange([](Exchange& exchange) { exchange.SendBody("part"); });
  EXPECT_EQ(bridge.ReadBytes(4), "part");
  server.SendGoAway(1, 11);
  EXPECT_THAT(bridge.ReadAll(), ElementsAre(ErrorEnvelope("unavailable", GoAwayMessage(11))));
  EXPECT_EQ(bridge.Wait(), 2);
  EXPECT_EQ(bridge.ReadErrors(), "[h2-bridge] GOAWAY errorCode=11 opaque=\n");
}

TEST_P(BridgeErrors, GoAwayBeforeTheHeaders) {
  TestServer server({.routes = {{"/away", GoAwayWith(0, 0)}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(Config(server, "/away"));
  EXPECT_THAT(bridge.ReadAll(), ElementsAre(ErrorEnvelope("unavailable", GoAwayMessage(0))));
  EXPECT_EQ(bridge.Wait(), 2);
}

TEST_P(BridgeErrors, NobodyListens) {
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(cursorwire::test::RefusedUrl(), "/p", GetParam()));
  EXPECT_THAT(bridge.ReadAll(), IsEmpty());
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(
      bridge.ReadErrors(),
      AllOf(StartsWith("[h2-bridge] client error: connect to 127.0.0.1:"), HasSubstr("refused")));
}

TEST_P(BridgeErrors, ServerNeverComesUp) {
  const cursorwire::test::SilentListener server;
  Child bridge(CURSOR_H2_BRIDGE);
  const std::string more = std::string(GetParam()) + (*GetParam() == 0 ? "" : ",");
  bridge.Send(ConfigOf(server.url("http"), "/p", more + R"("connectTimeoutMs":300)"));
  bridge.Send("a first message does not stop the timer");
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(),
              AllOf(StartsWith("[h2-bridge] client error: "), HasSubstr("300 ms")));
  if (!kSanitized) {
    EXPECT_LT(bridge.cpu_seconds(), 0.1) << "it spins";
  }
}

TEST_P(BridgeErrors, ServerFallsSilent) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  const std::string more = std::string(GetParam()) + (*GetParam() == 0 ? "" : ",");
  bridge.Send(
      ConfigOf(server.url(), "/headers", more + R"("pingIntervalMs":200,"idleTimeoutMs":1000)"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.PauseReading();
  EXPECT_THAT(bridge.ReadErrorLine(), StartsWith("[h2-bridge] ping failed: "));
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_EQ(bridge.ReadErrors(), "[h2-bridge] idle for 1000 ms\n");
  EXPECT_EQ(bridge.Read(), std::nullopt) << "no sentinel";
  if (!kSanitized) {
    EXPECT_LT(bridge.cpu_seconds(), 0.2) << "it spins";
  }
}

TEST_P(BridgeErrors, NameIsUnknown) {
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf("https://no-such-host.invalid", "/p", GetParam()));
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] client error: look up no-such-host"));
}

std::string ParentName(const testing::TestParamInfo<const char*>& parent) {
  constexpr const char* kNames[] = {"Older", "Newer", "Persistent", "Unary"};
  return kNames[parent.index];
}

INSTANTIATE_TEST_SUITE_P(, BridgeErrors, testing::Values("", kNewer, kPersistent, kUnary),
                         ParentName);

TEST(BridgeProcess, GoAwayBetweenTwoRunsEndsIt) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/answer", kPersistent));
  EXPECT_EQ(bridge.ReadBytes(3), "all");
  EXPECT_EQ(bridge.Read(), kDone);
  server.SendGoAway(1, 0);
  EXPECT_EQ(bridge.Wait(), 2);
  EXPECT_THAT(bridge.ReadAll(), IsEmpty()) << "no envelope after a finished response";
}

// --- parents that stop

// Starts a run and brings it to a point; then the parent dies.
using Scene = void (*)(Child&, const TestServer&);

TEST(BridgeProcess, ParentMayDieAtAnyMoment) {
  const struct {
    const char* name;
    const char* path;
    std::vector<int> codes;
    Scene scene;
  } cases[] = {
      {"at once", "", {1}, [](Child&, const TestServer&) {}},
      {"within the configuration",
       "",
       {1},
       [](Child& bridge, const TestServer&) { bridge.Write(std::string("\0\0\0\x40{", 5)); }},
      {"after the configuration", "/headers", {1}, [](Child&, const TestServer&) {}},
      {"once the request is open",
       "/headers",
       {1},
       [](Child&, const TestServer& server) { EXPECT_TRUE(server.Await(Requests(1))); }},
      {"within a message",
       "/headers",
       {1},
       [](Child& bridge, const TestServer&) { bridge.Write(std::string("\0\1\0\0half", 8)); }},
      {"while it must not write",
       "/never",
       {1},
       [](Child& bridge, const TestServer&) {
         const std::string message = Message(std::string(kMiB, 'x'));
         size_t written = 0;
         for (int i = 0; i < 1000; ++i) written += bridge.WriteWhatFits(message);
         EXPECT_LT(written, 64 * kMiB);
       }},
      {"while it does not read",
       "/much",
       {1},
       [](Child&, const TestServer& server) { EXPECT_TRUE(server.Await(Requests(1))); }},
      {"within the answer",
       "/much",
       {1},
       [](Child& bridge, const TestServer&) { EXPECT_TRUE(bridge.Read().has_value()); }},
  };
  for (const char* mode : {"", kNewer, kPersistent, kUnary}) {
    for (const auto& c : cases) {
      SCOPED_TRACE(std::string(c.name) + " " + mode);
      TestServer server({.routes = {{"/headers", HeadersOnly()},
                                    {"/never", NeverAnswer()},
                                    {"/much", AnswerWith(std::string(8 * kMiB, 'x'))}}});
      Child bridge(CURSOR_H2_BRIDGE);
      if (*c.path != 0) bridge.Send(ConfigOf(server.url(), c.path, mode));
      c.scene(bridge, server);
      bridge.CloseInput();
      bridge.CloseOutput();
      ExpectQuietEnd(bridge, c.codes);
    }
  }
}

TEST(BridgeProcess, ClosedOutputIsAFailureAndNoSignal) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  for (const char* mode : {"", kNewer, kPersistent, kUnary}) {
    SCOPED_TRACE(mode);
    Child bridge(CURSOR_H2_BRIDGE);
    bridge.Send(ConfigOf(server.url(), "/headers", mode));
    bridge.CloseOutput();
    EXPECT_EQ(bridge.Wait(), 1);
    EXPECT_THAT(bridge.ReadErrors(), HasSubstr("stdout error"));
  }
}

TEST(BridgeProcess, AnswerThatIsNotDeliveredIsNoSuccess) {
  TestServer server({.routes = {{"/answer", AnswerWith("all")},
                                {"/much", AnswerWith(std::string(900 * kKiB, 'x'))}}});
  for (const char* mode : {"", kNewer, kUnary}) {
    SCOPED_TRACE(mode);
    Child full(CURSOR_H2_BRIDGE, {.output_file = "/dev/full"});
    full.Send(ConfigOf(server.url(), "/answer", mode));
    EXPECT_EQ(full.Wait(), 1);
    EXPECT_EQ(full.ReadErrors(), "[h2-bridge] stdout error: No space left on device\n");
    Child part(CURSOR_H2_BRIDGE);
    part.Send(ConfigOf(server.url(), "/much", mode));
    EXPECT_TRUE(part.Read().has_value());
    part.CloseOutput();
    EXPECT_EQ(part.Wait(), 1);
    EXPECT_EQ(part.ReadErrors(), "[h2-bridge] stdout error: nobody reads it\n");
  }
}

TEST(BridgeProcess, WhatHasComeCountsBeforeATimeThatHasPassed) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  const cursorwire::test::SilentListener silent;
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/headers", R"("pingIntervalMs":100,"idleTimeoutMs":1000)"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.PauseReading();
  EXPECT_THAT(bridge.ReadErrorLine(), HasSubstr("ping failed")) << "so it waits now";
  bridge.Stop();
  server.ResumeReading();
  // Another one serves as a clock.
  Child clock(CURSOR_H2_BRIDGE);
  clock.Send(ConfigOf(silent.url("http"), "/p", R"("connectTimeoutMs":1200)"));
  EXPECT_EQ(clock.Wait(), 1);
  server.ForEachExchange([](Exchange& exchange) {
    exchange.SendBody(std::string(700 * kKiB, 'x'));
    exchange.Finish();
  });
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.sent_bytes > 600 * kKiB; }));
  bridge.Signal(SIGCONT);
  EXPECT_EQ(Join(bridge.ReadAll()).size(), 700 * kKiB);
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST(BridgeProcess, ServerIsNotReadAnyMoreOnceItIsOver) {
  TestServer server({.routes = {{"/much", AnswerWith(std::string(900 * kKiB, 'x'))}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/much"));
  EXPECT_TRUE(server.Await(cursorwire::test::Closed(1))) << "although nothing of it is read";
  EXPECT_EQ(Join(bridge.ReadAll()).size(), 900 * kKiB);
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST(BridgeProcess, LivingParentThatNeverReadsCostsLittle) {
  TestServer server({.routes = {{"/much", AnswerWith(std::string(16 * kMiB, 'x'))}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/much", R"("pingIntervalMs":600,"idleTimeoutMs":1000)"));
  bridge.CloseInput();
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.sent_bytes > kMiB; }));
  server.PauseReading();
  EXPECT_THAT(bridge.ReadErrorLine(), StartsWith("[h2-bridge] ping failed: ")) << "1.2 s later";
  if (!kSanitized) {
    EXPECT_LT(bridge.Memory("VmHWM"), 24 * kKiB) << "KiB";
  }
  EXPECT_LT(server.stats().sent_bytes, 8 * kMiB);
  bridge.CloseOutput();
  EXPECT_EQ(bridge.Wait(), 1);
  if (!kSanitized) {
    EXPECT_LT(bridge.cpu_seconds(), 0.25) << "it spins";
  }
}

TEST(BridgeProcess, ServerThatNeverReadsStopsTheParent) {
  TestServer server({.routes = {{"/never", NeverAnswer()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/never", R"("pingIntervalMs":300)"));
  ASSERT_TRUE(server.Await(Requests(1)));
  server.PauseReading();
  const std::string message = Message(std::string(64 * kMiB, 'x'));
  // Until the report of the silence, it has taken what it takes.
  std::string_view rest = message;
  for (int i = 0; i < 1000; ++i) rest.remove_prefix(bridge.WriteWhatFits(rest.substr(0, kMiB)));
  EXPECT_THAT(bridge.ReadErrorLine(), StartsWith("[h2-bridge] ping failed: "));
  for (int i = 0; i < 1000; ++i) rest.remove_prefix(bridge.WriteWhatFits(rest.substr(0, kMiB)));
  EXPECT_GT(rest.size(), 32 * kMiB);
  if (!kSanitized) {
    EXPECT_LT(bridge.Memory("VmHWM"), 24 * kKiB) << "KiB";
  }
  bridge.CloseInput();
  bridge.CloseOutput();
  EXPECT_EQ(bridge.Wait(), 1);
  if (!kSanitized) {
    EXPECT_LT(bridge.cpu_seconds(), 0.25) << "it spins";
  }
}

TEST(BridgeProcess, NothingTakesThePlaceOfAClosedStream) {
  const ScratchFolder folder;
  TestServer server({.routes = {{"/answer", AnswerWith("all")}, {"/headers", HeadersOnly()}}});
  const std::vector<std::string> log = {"--log", folder.At("log")};
  Child input(CURSOR_H2_BRIDGE, {.arguments = log, .closed_fds = {0}});
  EXPECT_EQ(input.Wait(), 1);
  Child output(CURSOR_H2_BRIDGE, {.arguments = log, .closed_fds = {1}});
  output.Send(ConfigOf(server.url(), "/answer"));
  EXPECT_EQ(output.Wait(), 1) << "the answer cannot be delivered";
  Child error(CURSOR_H2_BRIDGE, {.arguments = log, .closed_fds = {2}});
  error.Send(ConfigOf(server.url(), "/headers", R"("pingIntervalMs":0,"idleTimeoutMs":50)"));
  EXPECT_EQ(error.Wait(), 1);
  Child all(CURSOR_H2_BRIDGE, {.arguments = log, .closed_fds = {0, 1, 2}});
  EXPECT_EQ(all.Wait(), 1);
  std::ifstream file(folder.At("log"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(text, HasSubstr("idle for 50 ms"));
  EXPECT_EQ(text.find('\0'), text.npos) << "a message for the parent";
  for (size_t at = text.find("[h2-bridge]"); at != text.npos;
       at = text.find("[h2-bridge]", at + 1)) {
    EXPECT_EQ(text.substr(at - 2, 2), ": ") << "a line of the log, and not of standard error";
  }
}

TEST(BridgeProcess, FlagsOfStreamsThatOthersShareStay) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  for (const bool sockets : {false, true}) {
    SCOPED_TRACE(sockets);
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    ASSERT_EQ(sockets ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, out.data()) : ::pipe(out.data()), 0);
    ASSERT_EQ(sockets ? ::socketpair(AF_UNIX, SOCK_STREAM, 0, err.data()) : ::pipe(err.data()), 0);
    {
      Child bridge(CURSOR_H2_BRIDGE, {.shared_output = out[1], .shared_error = err[1]});
      bridge.Send(ConfigOf(server.url(), "/headers"));
      EXPECT_TRUE(server.Await(Requests(sockets ? 2 : 1)));
      for (const int fd : {out[1], err[1]}) EXPECT_EQ(::fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
      bridge.Signal(SIGTERM);
      EXPECT_EQ(bridge.Wait(), -SIGTERM);
    }
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
  }
}

TEST(BridgeProcess, PipesAreNotMadeSmaller) {
  TestServer server({.routes = {{"/headers", HeadersOnly()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  // Where the system refuses, the pipe has the size that it had.
  (void)::fcntl(bridge.input(), F_SETPIPE_SZ, 1 << 20);
  const int size = ::fcntl(bridge.input(), F_GETPIPE_SZ);
  bridge.Send(ConfigOf(server.url(), "/headers"));
  EXPECT_TRUE(server.Await(Requests(1)));
  EXPECT_GE(::fcntl(bridge.input(), F_GETPIPE_SZ), size);
}

TEST(BridgeProcess, FullStandardErrorStopsNothing) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const std::string piece(4096, 'x');
  while (::write(ends[1], piece.data(), piece.size()) > 0) {
  }
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
  Child bridge(CURSOR_H2_BRIDGE, {.shared_error = ends[1]});
  bridge.Send("{");
  EXPECT_EQ(bridge.Wait(), 1);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(BridgeProcess, ParentThatDoesNotReadErrorsStopsNothing) {
  TestServer server({.routes = {{"/reset", ResetWith(2)}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/reset"));
  EXPECT_EQ(bridge.Wait(), 1);
}

// --- options

TEST(BridgeProcess, TellsItsVersionAndItsOptions) {
  Child version(CURSOR_H2_BRIDGE, {.arguments = {"--version"}});
  EXPECT_THAT(version.ReadLine(), MatchesRegex("cursor-h2-bridge [0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(version.Wait(), 0);
  Child help(CURSOR_H2_BRIDGE, {.arguments = {"--help"}});
  EXPECT_THAT(help.ReadLine(), StartsWith("Usage: cursor-h2-bridge"));
  EXPECT_EQ(help.Wait(), 0);
  Child wrong(CURSOR_H2_BRIDGE, {.arguments = {"--wrong"}});
  EXPECT_EQ(wrong.Wait(), 1);
  EXPECT_EQ(wrong.ReadErrors(), "[h2-bridge] unknown argument --wrong\n");
}

TEST(BridgeProcess, SpeaksTlsToServersItTrusts) {
  const ScratchFolder folder;
  folder.Write("ca.pem", cursorwire::test::TestIdentity::Get().ca_pem);
  TestServer server({.security = Security::kTls, .routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE, {.arguments = {"--cacert", folder.At("ca.pem")}});
  bridge.Send(ConfigOf(server.url(), "/echo"));
  const std::string message = Pattern(3 * kMiB);
  bridge.Send(message);
  bridge.CloseInput();
  EXPECT_TRUE(Join(bridge.ReadAll()) == message);
  EXPECT_EQ(bridge.Wait(), 0);
}

TEST(BridgeProcess, RefusesServersItDoesNotTrust) {
  TestServer server({.security = Security::kTls, .routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE);
  bridge.Send(ConfigOf(server.url(), "/echo"));
  EXPECT_EQ(bridge.Wait(), 1);
  EXPECT_THAT(bridge.ReadErrors(),
              AllOf(StartsWith("[h2-bridge] client error: "), HasSubstr("certificate")));
  EXPECT_EQ(server.stats().requests, 0);
}

TEST(BridgeProcess, FilesOfOptionsMustBeGood) {
  const ScratchFolder folder;
  folder.MakePipe("pipe");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--cacert", folder.At("none")},
        {"--cacert", folder.path()},
        {"--cacert", folder.At("pipe")},
        {"--log", folder.path()}}) {
    SCOPED_TRACE(arguments[0]);
    Child bridge(CURSOR_H2_BRIDGE, {.arguments = arguments});
    EXPECT_EQ(bridge.Wait(), 1);
    EXPECT_THAT(bridge.ReadErrors(), StartsWith("[h2-bridge] "));
  }
}

TEST(BridgeProcess, LogTellsOfEventsAndOfNothingElse) {
  const ScratchFolder folder;
  TestServer server({.routes = {{"/echo", Echo()}}});
  Child bridge(CURSOR_H2_BRIDGE, {.arguments = {"--log", folder.At("log")}});
  bridge.Send(ConfigOf(server.url(), "/echo"));
  bridge.Send("content-of-the-user");
  bridge.CloseInput();
  EXPECT_EQ(Join(bridge.ReadAll()), "content-of-the-user");
  EXPECT_EQ(bridge.Wait(), 0);
  std::ifstream file(folder.At("log"));
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  for (const char* text : {"configured ", "run 1 started", "status=200", "exit code 0"}) {
    EXPECT_THAT(log, HasSubstr(text));
  }
  for (const char* text : {kToken, "content-of-the-user"}) {
    EXPECT_THAT(log, testing::Not(HasSubstr(text)));
  }
  struct stat info {};
  ASSERT_EQ(::stat(folder.At("log").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

}  // namespace
}  // namespace h2_bridge
