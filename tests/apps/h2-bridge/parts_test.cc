// The small parts of the bridge: where it connects to, its requests, its errors, its options.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "error_envelope.h"
#include "frame.h"
#include "log_file.h"
#include "options.h"
#include "parent_output.h"
#include "request.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "target.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Security;
using cursorwire::test::ScratchFolder;
using cursorwire::test::StatusIs;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BridgeTarget, TakesAUrlApart) {
  const struct {
    const char* url;
    const char* host;
    int port;
    const char* authority;
    Security security;
  } cases[] = {
      {"https://api2.cursor.sh", "api2.cursor.sh", 443, "api2.cursor.sh", Security::kTls},
      {"https://api2.cursor.sh/", "api2.cursor.sh", 443, "api2.cursor.sh", Security::kTls},
      {"HTTPS://Host:443/path?q#f", "host", 443, "host", Security::kTls},
      {"https://host:8443", "host", 8443, "host:8443", Security::kTls},
      {"http://127.0.0.1:1234/", "127.0.0.1", 1234, "127.0.0.1:1234", Security::kPlaintext},
      {"http://host", "host", 80, "host", Security::kPlaintext},
      {"https://[::1]:99", "::1", 99, "[::1]:99", Security::kTls},
      {"https://[::1]", "::1", 443, "[::1]", Security::kTls},
      {" https://host\n", "host", 443, "host", Security::kTls},
      {"http://host:/", "host", 80, "host", Security::kPlaintext},
      {"https://host/a b\xC3\xBC", "host", 443, "host", Security::kTls},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.url);
    const auto target = ParseTarget(c.url);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_EQ(target->host, c.host);
    EXPECT_EQ(target->port, c.port);
    EXPECT_EQ(target->authority, c.authority);
    EXPECT_EQ(target->security, c.security);
  }
}

TEST(BridgeTarget, KnowsThisMachine) {
  for (const char* url : {"http://localhost:1", "http://LOCALHOST", "http://127.0.0.1",
                          "http://127.9.9.9:80", "http://[::1]:2"}) {
    EXPECT_TRUE(ParseTarget(url)->is_loopback()) << url;
  }
  for (const char* url : {"http://127.evil.example", "http://127.1", "http://localhost.example",
                          "http://10.0.0.1", "http://[::2]", "http://host"}) {
    EXPECT_FALSE(ParseTarget(url)->is_loopback()) << url;
  }
}

TEST(BridgeTarget, RefusesWhatItCannotConnectTo) {
  for (const char* url : {"", "host", "ftp://host", "https://", "https:///path",
                          "https://user:pass@host", "https://host:0", "https://host:65536",
                          "https://host:x", "https://[::1", "https://[::1]x", "https://a b"}) {
    SCOPED_TRACE(url);
    EXPECT_THAT(ParseTarget(url), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST(BridgeRequest, HasTheHeadersOfTheProtocol) {
  Config config{.path = "/a.B/C"};
  const auto request = MakeRequest(config, "token", "cli-1", "id");
  EXPECT_EQ(request.path, "/a.B/C");
  EXPECT_EQ(request.kind, cursorwire::connect::CallKind::kRaw);
  const cursorwire::connect::Headers expected = {{"content-type", "application/connect+proto"},
                                                 {"connect-protocol-version", "1"},
                                                 {"te", "trailers"},
                                                 {"authorization", "Bearer token"},
                                                 {"x-ghost-mode", "true"},
                                                 {"x-cursor-client-version", "cli-1"},
                                                 {"x-cursor-client-type", "cli"},
                                                 {"x-request-id", "id"}};
  EXPECT_EQ(request.options.headers, expected);
  config.unary = true;
  EXPECT_EQ(MakeRequest(config, "", "", "").options.headers.Get("content-type"),
            "application/proto");
}

TEST(BridgeRequest, IdIsAUuidOfVersionFour) {
  EXPECT_EQ(FormatUuid({}), "00000000-0000-4000-8000-000000000000");
  std::array<uint8_t, 16> ones{};
  ones.fill(0xFF);
  EXPECT_EQ(FormatUuid(ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(BridgeErrorEnvelope, IsAConnectEndStream) {
  const std::string json = R"({"error":{"code":"http_401","message":"a \"b\""}})";
  const std::string envelope = ErrorEnvelope("http_401", "a \"b\"");
  EXPECT_EQ(envelope, std::string("\2\0\0\0", 4) + static_cast<char>(json.size()) + json);
  EXPECT_THAT(ErrorEnvelope("x", "bad \xFF byte"), HasSubstr("bad \xEF\xBF\xBD byte"));
}

TEST(BridgeErrorEnvelope, DetailIsTheFirstThatTheServerSays) {
  const struct {
    const char* name;
    cursorwire::connect::Headers headers, trailers;
    const char* body;
    const char* detail;
  } cases[] = {
      {"percent-encoded", {{"grpc-message", "a%20b%2Fc%25 %zz%4"}}, {}, "body", "a b/c% %zz%4"},
      {"connect's own", {{"connect-error-message", " not 50%41 "}}, {}, "body", "not 50%41"},
      {"grpc first", {{"connect-error-message", "c"}, {"grpc-message", "g"}}, {}, "", "g"},
      {"trailers", {}, {{"grpc-message", "late"}}, "body", "late"},
      {"body", {{"grpc-message", " "}}, {}, " \r\n{\"a\":1}\n", "{\"a\":1}"},
      {"nothing", {}, {}, " \n", "no details were sent"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(HttpErrorDetail(c.headers, c.trailers, c.body), c.detail);
  }
  EXPECT_EQ(HttpErrorCode(503), "http_503");
  EXPECT_EQ(HttpErrorMessage(503, "why"), "Cursor HTTP 503: why");
}

// The messages in `output`, all of which is consumed.
std::vector<std::string> TakeAll(ParentOutput& output) {
  std::vector<std::string> messages;
  FrameParser parser;
  std::string_view input = output.view();
  for (;;) {
    const auto piece = parser.Next(input);
    if (!piece.ok() || !piece->has_value()) break;
    if ((*piece)->first) messages.emplace_back();
    messages.back() += (*piece)->bytes;
  }
  output.Consume(output.view().size());
  return messages;
}

TEST(BridgeParentOutput, BytesOfAResponseAreNeverTheSentinel) {
  ParentOutput output;
  output.Add(kDoneSentinel);
  EXPECT_THAT(TakeAll(output), ElementsAre("PI_CURSOR_STREAM_DONE"));
  output.AddBody(kDoneSentinel, 21);
  EXPECT_THAT(TakeAll(output), ElementsAre("P", "I_CURSOR_STREAM_DONE"));
  const std::string long_piece(kMaxOutputMessageBytes, 'x');
  output.AddBody(long_piece + std::string(kDoneSentinel), 0);
  const auto messages = TakeAll(output);
  ASSERT_EQ(messages.size(), 2u);
  EXPECT_EQ(messages[1], "xPI_CURSOR_STREAM_DONE");
}

TEST(BridgeParentOutput, CreditComesBackWithTheBytes) {
  ParentOutput output;
  output.AddBody(std::string(kMaxOutputMessageBytes, 'a') + "bc", kMaxOutputMessageBytes + 300);
  EXPECT_EQ(output.Consume(kFramePrefixBytes + kMaxOutputMessageBytes - 1), 0u);
  EXPECT_EQ(output.Consume(1), kMaxOutputMessageBytes);
  EXPECT_EQ(output.Consume(output.view().size()), 300u);
  EXPECT_TRUE(output.empty());
}

TEST(BridgeParentOutput, DropsAllButTheMessageThatIsBeingWritten) {
  ParentOutput output;
  output.AddBody("first", 5);
  output.Consume(2);
  output.AddBody("second", 6);
  output.DropUnsealed();
  output.Add("third");
  EXPECT_EQ(output.view(), std::string("\0\5first\0\0\0\5third", 16));
  EXPECT_EQ(output.Consume(output.view().size()), 0u) << "its credit is that of another response";
  output.Add("fourth");
  output.DropUnsealed();
  EXPECT_TRUE(output.empty());
}

TEST(BridgeParentOutput, KeepsWhatIsSealed) {
  ParentOutput output;
  output.AddBody("answer", 6);
  output.Seal();
  output.AddBody("more", 4);
  EXPECT_EQ(output.sealed_bytes(), kFramePrefixBytes + 6);
  output.DropUnsealed();
  EXPECT_EQ(output.Consume(3), 0u);
  EXPECT_EQ(output.sealed_bytes(), kFramePrefixBytes + 3);
  output.DropUnsealed();
  EXPECT_EQ(output.Consume(output.view().size()), 0u);
  EXPECT_EQ(output.sealed_bytes(), 0u);
}

TEST(BridgeParentOutput, SmallPiecesBecomeOneMessage) {
  ParentOutput output;
  size_t bytes = 0;
  for (; bytes < kMaxOutputMessageBytes; ++bytes) output.AddBody("x", 1);
  EXPECT_LT(output.view().size(), bytes + 64);
  EXPECT_EQ(output.Consume(output.view().size()), bytes);
  for (const char c : kDoneSentinel) output.AddBody({&c, 1}, 1);
  EXPECT_THAT(TakeAll(output), ElementsAre("PI_CURSOR_STREAM_DON", "E"));
  output.AddBody("abc", 3);
  output.Consume(1);
  output.AddBody("def", 3);
  EXPECT_EQ(output.view(), std::string("\0\0\3abc\0\0\0\3def", 13)) << "it has begun";
}

absl::StatusOr<std::optional<cursorwire::proxy::Proxy>> ProxyOf(
    const char* url, std::map<std::string, std::string> variables) {
  return ProxyFor(*ParseTarget(url), [&](const char* name) { return variables[name]; });
}

TEST(BridgeProxy, IsTakenFromTheEnvironment) {
  const auto proxy = ProxyOf("https://h", {{"https_proxy", "http://us%40er:p@Proxy:3128/"}});
  ASSERT_TRUE(proxy.ok() && proxy->has_value());
  EXPECT_EQ((*proxy)->address(), "proxy:3128");
  EXPECT_EQ((*proxy)->user->name, "us@er");
  EXPECT_FALSE(ProxyOf("https://h", {})->has_value());
  EXPECT_FALSE(ProxyOf("https://h:1", {{"https_proxy", "p"}, {"no_proxy", "h:1"}})->has_value());
}

TEST(BridgeProxy, IsNotAskedForThisMachine) {
  for (const char* url : {"https://localhost", "http://127.0.0.1:1", "http://[::1]:1"}) {
    EXPECT_FALSE(ProxyOf(url, {{"all_proxy", "http://p"}})->has_value()) << url;
  }
}

TEST(BridgeProxy, WhatItCannotUseIsRefusedWithoutItsPassword) {
  for (const char* url : {"https://a:secret@p", "ftp://a:secret@p", "http://a:secret@:1"}) {
    SCOPED_TRACE(url);
    const auto proxy = ProxyOf("https://h", {{"https_proxy", url}});
    EXPECT_THAT(proxy, StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_EQ(proxy.status().message().find("secret"), absl::string_view::npos);
  }
  EXPECT_THAT(ProxyOf("http://h", {{"http_proxy", "p"}}),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(BridgeOptions, AreFewAndOffByDefault) {
  const auto none = ParseOptions({});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->ca_file + none->log_file, "");
  EXPECT_FALSE(none->proxy_from_environment || none->show_help || none->show_version);
  const auto all =
      ParseOptions({"--cacert", "ca", "--log=l", "--proxy-from-env", "--version", "--help"});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->ca_file, "ca");
  EXPECT_EQ(all->log_file, "l");
  EXPECT_TRUE(all->proxy_from_environment && all->show_help && all->show_version);
  for (const char* bad : {"--cacert", "--log=", "--what", "file", "--proxy-from-env=1"}) {
    SCOPED_TRACE(bad);
    EXPECT_FALSE(ParseOptions({bad}).ok());
  }
}

TEST(BridgeLogFile, BelongsToItsOwnerAlone) {
  const ScratchFolder folder;
  folder.Write("old", "before\n");
  ASSERT_EQ(::chmod(folder.At("old").c_str(), 0644), 0);
  const auto now = std::chrono::steady_clock::time_point() + std::chrono::hours(1);
  for (const char* name : {"old", "new"}) {
    SCOPED_TRACE(name);
    auto log = LogFile::Open(folder.At(name), now);
    ASSERT_TRUE(log.ok()) << log.status();
    log->Write("a line", now + std::chrono::milliseconds(7));
    struct stat info {};
    ASSERT_EQ(::stat(folder.At(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    std::ifstream file(folder.At(name));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(text, testing::EndsWith(" 7 ms: a line\n"));
  }
  EXPECT_FALSE(LogFile::Open(folder.path(), now).ok()) << "a folder";
  folder.MakePipe("pipe");
  EXPECT_FALSE(LogFile::Open(folder.At("pipe"), now).ok());
  folder.Write("of-another", "");
  ASSERT_EQ(::chmod(folder.At("of-another").c_str(), 0644), 0);
  folder.MakeLink("link", "of-another");
  EXPECT_FALSE(LogFile::Open(folder.At("link"), now).ok());
  struct stat info {};
  ASSERT_EQ(::stat(folder.At("of-another").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0644u);
}

}  // namespace
}  // namespace h2_bridge
