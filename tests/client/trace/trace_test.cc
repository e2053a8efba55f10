#include "cursorwire/trace.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "cursorwire/client.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/redactor.h"
#include "cursorwire/local_upstream.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using connect::CallEnd;
using connect::CallRecord;
using connect::ErrorInfo;
using connect::Headers;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr char kToken[] = "eyJhbGciOi.a-token-of-a-test,with=marks.0123456789abcdefghij";

std::string BytesOfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TraceTest : public ::testing::Test {
 protected:
  std::string path() const { return folder_.At("t.jsonl"); }
  std::shared_ptr<Trace> Open(const TraceOptions& options = {}) const {
    const auto trace = Trace::Open(path(), options);
    EXPECT_THAT(trace, IsOk());
    return trace.ok() ? *trace : nullptr;
  }
  TraceContent Read() const {
    const auto content = ReadTrace(path());
    EXPECT_THAT(content, IsOk());
    return content.ok() ? *content : TraceContent();
  }

  const ScratchFolder folder_;
};

CallRecord RecordOf(const char* path) {
  return {.path = path, .start = std::chrono::steady_clock::now()};
}

TEST_F(TraceTest, RecordsACall) {
  const auto trace = Open();
  CallRecord record = RecordOf("/a.B/C?message=secret");
  Headers headers = {{"Authorization", "Bearer secret-token"}, {"x-request-id", "7"}};
  EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
  trace->OnSend(record, "question");
  record.http_status = 200;
  trace->OnHead(record, {{":status", "200"}, {"set-cookie", "a=b"}});
  trace->OnMessage(record, std::string("\0answer", 7));
  record.end = record.start + std::chrono::milliseconds(5);
  ErrorInfo info{.origin = connect::ErrorOrigin::kServer, .http_status = 200, .http2_code = 8};
  info.details = {{.type = "a.D", .value = "v", .debug_json = "{}"}};
  const absl::Status error = MakeError(absl::StatusCode::kNotFound, "none", info);
  trace->OnEnd(record, {.status = error, .trailers = {{"x-tail", "t"}}});
  EXPECT_THAT(trace->Flush(), IsOk());

  const TraceContent content = Read();
  EXPECT_FALSE(content.is_cut);
  ASSERT_THAT(content.calls, SizeIs(1));
  const TraceCall& call = content.calls[0];
  EXPECT_EQ(call.number, 1u);
  EXPECT_EQ(call.path, "/a.B/C");
  EXPECT_EQ(call.kind, connect::CallKind::kStreaming);
  EXPECT_GT(call.start_unix_us, 1'700'000'000'000'000);
  EXPECT_EQ(call.headers, (Headers{{"authorization", "(redacted)"}, {"x-request-id", "7"}}));
  ASSERT_TRUE(call.head.has_value());
  EXPECT_EQ(call.head->http_status, 200);
  EXPECT_EQ(call.head->headers, (Headers{{":status", "200"}, {"set-cookie", "(redacted)"}}));
  ASSERT_THAT(call.messages, SizeIs(2));
  EXPECT_EQ(call.messages[0].from, TraceSide::kClient);
  EXPECT_EQ(call.messages[0].bytes, "question");
  EXPECT_EQ(call.messages[1].from, TraceSide::kServer);
  EXPECT_EQ(call.messages[1].bytes, std::string("\0answer", 7));
  EXPECT_EQ(call.messages[1].size, 7u);
  EXPECT_LE(call.messages[0].at, call.messages[1].at);
  ASSERT_TRUE(call.end.has_value());
  EXPECT_EQ(call.end->at, std::chrono::milliseconds(5));
  EXPECT_EQ(call.end->status, error);
  EXPECT_EQ(call.end->trailers, (Headers{{"x-tail", "t"}}));
}

// A token that is used again and again is not pushed out by values that are used once.
TEST_F(TraceTest, KeepsTheSecretsThatAreInUse) {
  const auto trace = Open();
  const std::string token = "the-token-that-is-in-use-all-along";
  for (int i = 0; i < 100; ++i) {
    CallRecord record = RecordOf("/a.B/C");
    Headers headers = {{"authorization", "Bearer " + token},
                       {"cookie", "a-value-of-one-call-" + std::to_string(i)}};
    EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
    trace->OnMessage(record, "so you said " + token);
    EXPECT_THAT(trace->Flush(), IsOk());  // what is written later may be covered by a later list
    trace->OnEnd(record, {});
  }
  EXPECT_THAT(trace->Flush(), IsOk());
  const TraceContent content = Read();
  ASSERT_THAT(content.calls, SizeIs(100));
  for (const TraceCall& call : content.calls) {
    ASSERT_THAT(call.messages, SizeIs(1));
    EXPECT_THAT(call.messages[0].bytes, Not(HasSubstr(token)));
  }
}

TEST_F(TraceTest, IsPrivate) {
  const auto trace = Open();
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

// No piece of the token in the file, nor in what its base64 stands for.
void ExpectNoToken(const std::string& path) {
  const std::string file = BytesOfFile(path);
  const auto content = ReadTrace(path);
  ASSERT_THAT(content, IsOk());
  const std::string token = kToken;
  for (size_t i = 0; i + connect::Redactor::kMinPieceBytes <= token.size(); ++i) {
    const std::string piece = token.substr(i, connect::Redactor::kMinPieceBytes);
    EXPECT_THAT(file, Not(HasSubstr(piece)));
    for (const TraceCall& call : content->calls) {
      for (const TraceMessage& message : call.messages) {
        EXPECT_THAT(message.bytes, Not(HasSubstr(piece)));
      }
      if (!call.end) continue;
      const auto info = connect::GetErrorInfo(call.end->status);
      for (const auto& detail : info.value_or(ErrorInfo()).details) {
        EXPECT_THAT(detail.value, Not(HasSubstr(piece)));
      }
    }
  }
}

TEST_F(TraceTest, HasTheTokenNowhere) {
  const std::string token = kToken;
  const auto trace = Open({.max_message_bytes = 40});
  CallRecord record = RecordOf("/a.B/C");
  Headers headers = {{"authorization", "Bearer " + token}, {"x-copy", "the token " + token}};
  EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
  trace->OnSend(record, "\x0a\x40" + token);
  trace->OnSend(record, "\x0a\x40" + token.substr(0, 20));
  trace->OnHead(record, {{"x-echo", token}, {"www-authenticate", "Bearer " + token}});
  // Cut within the token, at every place.
  for (size_t before = 0; before <= 41; ++before) {
    trace->OnMessage(record, std::string(before, '.') + token);
  }
  ErrorInfo info{.origin = connect::ErrorOrigin::kServer};
  info.details = {{.type = "a.D", .value = "v" + token, .debug_json = "{\"a\":\"" + token + "\"}"}};
  trace->OnEnd(record, {.status = MakeError(absl::StatusCode::kUnknown, "bad " + token, info),
                        .trailers = {{"x-tail", token}}});
  EXPECT_THAT(trace->Flush(), IsOk());
  ExpectNoToken(path());
  EXPECT_THAT(Read().calls[0].messages[0].bytes, AllOf(SizeIs(40), HasSubstr("@xxxx")));
}

TEST_F(TraceTest, HasTheTokenOfAClientNowhere) {
  const std::string token = kToken;
  auto upstream = LocalUpstream::Start(
      Script().Text("I was sent " + token).Error("unauthenticated", "bad token " + token));
  ASSERT_THAT(upstream, IsOk());
  const auto trace = Open();
  {
    auto client = Client::Create({.endpoint = upstream->url(),
                                  .token = token,
                                  .channel = {.tls = {.ca_pem = upstream->ca_pem()}},
                                  .trace = trace});
    ASSERT_THAT(client, IsOk());
    EXPECT_THAT(client->Chat({.prompt = "Is " + token + " mine?"}).Collect(), Not(IsOk()));
    EXPECT_THAT(client->ListModels(), IsOk());
  }
  EXPECT_THAT(trace->Flush(), IsOk());
  ExpectNoToken(path());
  std::vector<std::string> paths;
  for (const TraceCall& call : Read().calls) {
    paths.push_back(call.path);
    EXPECT_TRUE(call.head && call.end) << call.path;
    EXPECT_EQ(call.headers.Get("authorization"), "(redacted)");
  }
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("/agent.v1.AgentService/Run",
                                                     "/agent.v1.AgentService/GetUsableModels",
                                                     "/aiserver.v1.AiService/AvailableModels"));
}

TEST_F(TraceTest, CutsLongMessages) {
  const auto trace = Open({.max_message_bytes = 4});
  const CallRecord record = RecordOf("/a");
  Headers headers;
  EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
  for (const char* message : {"1234", "12345", ""}) trace->OnSend(record, message);
  EXPECT_THAT(trace->Flush(), IsOk());
  const TraceCall call = Read().calls[0];
  EXPECT_FALSE(call.messages[0].is_cut);
  EXPECT_TRUE(call.messages[1].is_cut);
  EXPECT_EQ(call.messages[1].bytes, "1234");
  EXPECT_EQ(call.messages[1].size, 5u);
  EXPECT_FALSE(call.messages[2].is_cut);
  EXPECT_FALSE(call.end.has_value());
}

TEST_F(TraceTest, PutsFullFilesAside) {
  const auto trace = Open({.max_file_bytes = 400, .max_files = 3});
  const CallRecord record = RecordOf("/a");
  Headers headers;
  EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
  for (int i = 0; i < 40; ++i) trace->OnSend(record, absl::StrCat("message ", i));
  EXPECT_THAT(trace->Flush(), IsOk());
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++files;
    EXPECT_LE(entry.file_size(), 400u);
    EXPECT_EQ(entry.status().permissions(), std::filesystem::perms(0600));
  }
  EXPECT_EQ(files, 3u);
  const TraceContent content = Read();
  ASSERT_THAT(content.calls, SizeIs(1));
  EXPECT_TRUE(content.calls[0].is_continued);
  EXPECT_EQ(content.calls[0].messages.back().bytes, "message 39");
  // The files together, the oldest first.
  const auto all =
      ParseTrace(BytesOfFile(path() + ".2") + BytesOfFile(path() + ".1") + BytesOfFile(path()));
  ASSERT_THAT(all, IsOk());
  ASSERT_THAT(all->calls, SizeIs(1));
  EXPECT_GT(all->calls[0].messages.size(), content.calls[0].messages.size());
  EXPECT_EQ(all->calls[0].messages.back().bytes, "message 39");
}

TEST_F(TraceTest, HasOneLineThatIsTooLong) {
  const auto trace = Open({.max_file_bytes = 1, .max_files = 1});
  const CallRecord record = RecordOf("/a");
  Headers headers;
  EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
  trace->OnSend(record, std::string(1000, 'x'));
  EXPECT_THAT(trace->Flush(), IsOk());
  EXPECT_EQ(Read().calls[0].messages[0].size, 1000u);
  EXPECT_FALSE(std::filesystem::exists(path() + ".1"));
}

TEST_F(TraceTest, PutsTheLastTraceAside) {
  Open();
  const std::string first = BytesOfFile(path());
  const auto trace = Open();
  EXPECT_EQ(BytesOfFile(path() + ".1"), first);
}

TEST_F(TraceTest, TakesAnEmptyFile) {
  folder_.Write("t.jsonl", "");
  const auto trace = Open();
  EXPECT_FALSE(std::filesystem::exists(path() + ".1"));
  EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms(0600));
}

TEST_F(TraceTest, TouchesNoOtherFile) {
  using Code = absl::StatusCode;
  folder_.Write("letter", "Dear Ada");
  EXPECT_THAT(Trace::Open(folder_.At("letter")),
              StatusIs(Code::kFailedPrecondition, HasSubstr("not a trace")));
  folder_.Write("t.jsonl.3", "Dear Ada");
  EXPECT_THAT(Trace::Open(path()), StatusIs(Code::kFailedPrecondition, HasSubstr("t.jsonl.3")));
  EXPECT_FALSE(std::filesystem::exists(path()));
  folder_.MakeLink("link", "letter");
  EXPECT_THAT(Trace::Open(folder_.At("link")),
              StatusIs(Code::kFailedPrecondition, HasSubstr("link")));
  folder_.MakePipe("pipe");
  EXPECT_THAT(Trace::Open(folder_.At("pipe")), StatusIs(Code::kFailedPrecondition));
  EXPECT_THAT(Trace::Open(folder_.At("none/t")), StatusIs(Code::kNotFound));
  EXPECT_THAT(Trace::Open(folder_.At("u"), {.max_files = 0}), StatusIs(Code::kInvalidArgument));
  EXPECT_EQ(BytesOfFile(folder_.At("letter")), "Dear Ada");
}

TEST_F(TraceTest, IsWrittenByOneAtATime) {
  const auto trace = Open();
  EXPECT_THAT(Trace::Open(path()), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("another process records")));
}

TEST_F(TraceTest, AnErrorOfTheDiskHarmsNoCall) {
  folder_.MakeFolder("gone");
  const auto trace = Trace::Open(folder_.At("gone/t"), {.max_file_bytes = 1});
  ASSERT_THAT(trace, IsOk());
  std::filesystem::remove_all(folder_.At("gone"));
  const CallRecord record = RecordOf("/a");
  Headers headers;
  EXPECT_THAT((*trace)->OnRequest(record, headers), IsOk());
  (*trace)->OnSend(record, "x");
  EXPECT_THAT((*trace)->Flush(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("gone/t")));
  (*trace)->OnSend(record, "y");
  (*trace)->OnEnd(record, CallEnd());
  EXPECT_THAT((*trace)->status(), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(TraceTest, RecordsCallsOfManyThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 20;
  auto trace = Open();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&trace] {
      for (int i = 0; i < kCalls; ++i) {
        const CallRecord record = RecordOf("/a");
        Headers headers = {{"authorization", absl::StrCat("Bearer token-number-", i)}};
        EXPECT_THAT(trace->OnRequest(record, headers), IsOk());
        trace->OnSend(record, "x");
        trace->OnEnd(record, CallEnd());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  trace.reset();  // writes what waits
  const TraceContent content = Read();
  EXPECT_THAT(content.calls, SizeIs(kThreads * kCalls));
  for (const TraceCall& call : content.calls) {
    EXPECT_THAT(call.messages, SizeIs(1));
    EXPECT_TRUE(call.end.has_value());
  }
}

TEST_F(TraceTest, IsReadFromAFile) {
  EXPECT_THAT(ReadTrace(path()), StatusIs(absl::StatusCode::kNotFound, HasSubstr("t.jsonl")));
  folder_.Write("t.jsonl", "{\"cursorwire_trace\":1,\"start_unix_us\":1}\nno JSON\n");
  EXPECT_THAT(ReadTrace(path()), StatusIs(absl::StatusCode::kDataLoss,
                                          AllOf(HasSubstr("t.jsonl: "), HasSubstr("line 2"))));
}

}  // namespace
}  // namespace cursorwire::test
