#include "proxy/tunnel.h"

#include <cursorwire/connect/error_info.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "proxy/http_connect.h"
#include "proxy/socks5.h"
#include "support/status_matchers.h"

namespace cursorwire::proxy {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const ProxyUser kUser{.name = "us@er", .password = "secret:1"};

std::unique_ptr<Tunnel> TunnelOf(ProxyKind kind, std::optional<ProxyUser> user = std::nullopt,
                                 const std::string& host = "ample.com", int port = 443) {
  auto tunnel = MakeTunnel({.kind = kind, .host = "p", .user = std::move(user)}, host, port);
  EXPECT_THAT(tunnel, IsOk());
  return *std::move(tunnel);
}

// What the proxy says, in single bytes, and what is said to it meanwhile.
struct Dialog {
  absl::StatusOr<std::optional<std::string>> result{};
  std::string sent{};
};
Dialog SayInSinglePieces(Tunnel& tunnel, std::string_view bytes) {
  Dialog dialog{.result = std::optional<std::string>(), .sent = tunnel.TakeOutput()};
  for (const char byte : bytes) {
    dialog.result = tunnel.Receive({&byte, 1});
    dialog.sent += tunnel.TakeOutput();
    if (!dialog.result.ok() || *dialog.result) break;
  }
  return dialog;
}

absl::Status AnswerOf(std::string_view answer, std::optional<ProxyUser> user = std::nullopt) {
  const auto tunnel = TunnelOf(ProxyKind::kHttp, std::move(user));
  return tunnel->Receive(answer).status();
}

// As all failures of a tunnel.
auto IsProxyError(const std::string& text) {
  return StatusIs(absl::StatusCode::kUnavailable,
                  AllOf(StartsWith("the proxy "), HasSubstr(text), Not(HasSubstr("secret"))));
}

// --- CONNECT

TEST(HttpConnect, AsksForATunnel) {
  EXPECT_EQ(TunnelOf(ProxyKind::kHttp)->TakeOutput(),
            "CONNECT ample.com:443 HTTP/1.1\r\nHost: ample.com:443\r\n\r\n");
  EXPECT_EQ(TunnelOf(ProxyKind::kHttps, kUser, "fd00::1", 80)->TakeOutput(),
            "CONNECT [fd00::1]:80 HTTP/1.1\r\nHost: [fd00::1]:80\r\n"
            "Proxy-Authorization: Basic dXNAZXI6c2VjcmV0OjE=\r\n\r\n");
  const auto tunnel = TunnelOf(ProxyKind::kHttp);
  EXPECT_NE(tunnel->TakeOutput(), "");
  EXPECT_EQ(tunnel->TakeOutput(), "");
}

TEST(HttpConnect, Http10AnswerIsFine) {
  EXPECT_EQ(**TunnelOf(ProxyKind::kHttp)
                  ->Receive("HTTP/1.0 200 Connection established\r\n"
                            "Proxy-agent: tinyproxy/1.11.1\r\nContent-Length: 5\r\n\r\n"),
            "");
  EXPECT_EQ(**TunnelOf(ProxyKind::kHttp)->Receive("HTTP/1.1 204\r\n\r\n"), "");
}

TEST(HttpConnect, HeadInSinglePieces) {
  const auto tunnel = TunnelOf(ProxyKind::kHttp);
  const Dialog dialog = SayInSinglePieces(*tunnel, "HTTP/1.1 200 OK\r\nA: b\r\n\r\n");
  ASSERT_THAT(dialog.result, IsOk());
  EXPECT_EQ(*dialog.result, "");
}

TEST(HttpConnect, BytesBehindTheHeadReachTls) {
  EXPECT_EQ(**TunnelOf(ProxyKind::kHttp)->Receive("HTTP/1.1 200 OK\r\n\r\n\x16\x03\r\n\r\n"),
            "\x16\x03\r\n\r\n");
}

TEST(HttpConnect, LfOnlyHead) {
  EXPECT_EQ(**TunnelOf(ProxyKind::kHttp)->Receive("HTTP/1.1 200 OK\nA: b\n\nrest"), "rest");
}

TEST(HttpConnect, InformationComesBeforeTheAnswer) {
  EXPECT_EQ(**TunnelOf(ProxyKind::kHttp)
                  ->Receive("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nA: b\r\n\r\n"
                            "HTTP/1.1 200 OK\r\n\r\nrest"),
            "rest");
  EXPECT_THAT(AnswerOf("HTTP/1.1 101 Switching\r\n\r\n"), IsProxyError("HTTP 101 Switching"));
}

TEST(HttpConnect, EndlessHeadIsRefused) {
  const std::string over = "answers with a head of over 16384 bytes";
  EXPECT_THAT(AnswerOf(std::string(kMaxProxyHeadBytes + 1, 'x')), IsProxyError(over));
  EXPECT_THAT(AnswerOf("HTTP/1.1 200 OK\r\n" + std::string(kMaxProxyHeadBytes, 'x') + "\r\n\r\n"),
              IsProxyError(over));
  const auto tunnel = TunnelOf(ProxyKind::kHttp);
  absl::Status status;
  for (size_t i = 0; i < kMaxProxyHeadBytes && status.ok(); ++i) {
    status = tunnel->Receive("HTTP/1.1 100 Continue\r\n\r\n").status();
  }
  EXPECT_THAT(status, IsProxyError(over));
}

TEST(HttpConnect, WhatIsNoHttpIsNoProxy) {
  for (const char* answer : {"SSH-2.0-x\r\n\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                             "HTTP/1.1 20\r\n\r\n", "HTTP/1.1-200 OK\r\n\r\n",
                             "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 -20 x\r\n\r\n", "\r\n\r\n"}) {
    EXPECT_THAT(AnswerOf(answer), IsProxyError("does not speak HTTP/1.1")) << answer;
  }
}

TEST(HttpConnect, RefusalHasItsReasonOnOneLine) {
  EXPECT_THAT(AnswerOf("HTTP/1.0 403 Filtered\x1b[1m \xc3\xa4\r\n\r\n"),
              IsProxyError("refuses the tunnel: HTTP 403 Filtered?[1m ??"));
  const absl::Status status = AnswerOf("HTTP/1.1 502 " + std::string(5000, 'x') + "\r\n\r\n");
  EXPECT_LT(status.message().size(), 300u);
}

TEST(HttpConnect, ProxyPageIsNotShown) {
  EXPECT_THAT(AnswerOf("HTTP/1.1 503 Busy\r\nContent-Length: 9\r\n\r\nthe page!"),
              StatusIs(absl::StatusCode::kUnavailable, Not(HasSubstr("page"))));
}

TEST(HttpConnect, Status407WithoutCredentials) {
  EXPECT_THAT(AnswerOf("HTTP/1.1 407 Auth\r\n\r\n"), IsProxyError("wants a user and a password"));
  EXPECT_THAT(AnswerOf("HTTP/1.1 407 Auth\r\nPROXY-authenticate:  Basic realm=\"x\"\r\n\r\n"),
              IsProxyError("CURSORWIRE_PROXY_PASSWORD"));
  EXPECT_THAT(AnswerOf("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Negotiate\r\n"
                       "Proxy-Authenticate: Basic realm=\"x\"\r\n\r\n"),
              IsProxyError("wants a user and a password"));
}

TEST(HttpConnect, NegotiateOnlyIsNamed) {
  EXPECT_THAT(AnswerOf("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Negotiate\r\n\r\n"),
              IsProxyError("wants \"negotiate\" of its users; only Basic is supported"));
}

TEST(HttpConnect, Status407WithCredentialsIsNotRepeated) {
  const auto tunnel = TunnelOf(ProxyKind::kHttp, kUser);
  (void)tunnel->TakeOutput();
  EXPECT_THAT(tunnel->Receive("HTTP/1.1 407 Auth\r\nProxy-Authenticate: Basic\r\n\r\n").status(),
              IsProxyError("HTTP 407 Auth: is its password right?"));
  EXPECT_EQ(tunnel->TakeOutput(), "");
  // As tinyproxy says it.
  EXPECT_THAT(AnswerOf("HTTP/1.0 401 Unauthorized\r\n\r\n", kUser),
              IsProxyError("HTTP 401 Unauthorized"));
}

TEST(HttpConnect, CaptivePortalIsNamed) {
  EXPECT_THAT(AnswerOf("HTTP/1.1 511 Network Authentication Required\r\n\r\n"),
              IsProxyError("wants a login in a browser"));
}

TEST(HttpConnect, Status407NeedsNoBody) {
  EXPECT_THAT(AnswerOf("HTTP/1.1 407 Auth\r\nContent-Length: 100\r\n\r\n", kUser),
              IsProxyError("HTTP 407"));
}

TEST(HttpConnect, FailuresAreReplayable) {
  const absl::Status status = AnswerOf("HTTP/1.1 503 Busy\r\n\r\n");
  EXPECT_THAT(status, IsProxyError(""));
  const auto info = connect::GetErrorInfo(status);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->origin, connect::ErrorOrigin::kTransport);
  EXPECT_TRUE(info->replay_safe);
}

TEST(Tunnel, KnowsWhatWillBeRefusedOnceMore) {
  const auto refuses_for_good = [](ProxyKind kind, std::string_view answer,
                                   const std::optional<ProxyUser>& user = std::nullopt) {
    const auto tunnel = TunnelOf(kind, user);
    EXPECT_THAT(SayInSinglePieces(*tunnel, answer).result.status(), IsProxyError(""));
    return tunnel->refuses_for_good();
  };
  EXPECT_TRUE(refuses_for_good(ProxyKind::kHttp, "HTTP/1.1 407 Auth\r\n\r\n"));
  EXPECT_TRUE(refuses_for_good(ProxyKind::kHttp, "HTTP/1.1 403 No\r\n\r\n"));
  EXPECT_FALSE(refuses_for_good(ProxyKind::kHttp, "HTTP/1.1 503 Busy\r\n\r\n"));
  EXPECT_TRUE(refuses_for_good(ProxyKind::kSocks5h, "\5\xff"));
  EXPECT_TRUE(refuses_for_good(ProxyKind::kSocks5h, "\5\2\1\1", kUser));
  EXPECT_TRUE(refuses_for_good(ProxyKind::kSocks5h, std::string_view("\5\0\5\2", 4)));
  EXPECT_FALSE(refuses_for_good(ProxyKind::kSocks5h, std::string_view("\5\0\5\5", 4)));
}

// --- SOCKS

using std::string_literals::operator""s;

const std::string kReply = "\5\0\0\1\1\2\3\4\0\x50"s;

TEST(Socks5, NameGoesToTheProxyUnresolved) {
  const auto tunnel = TunnelOf(ProxyKind::kSocks5h);
  const Dialog dialog = SayInSinglePieces(*tunnel, "\5\0"s + kReply);
  ASSERT_THAT(dialog.result, IsOk());
  EXPECT_EQ(*dialog.result, "");
  EXPECT_EQ(dialog.sent, "\5\1\0"s +
                             "\5\1\0\3\x09"
                             "ample.com\1\xbb"s);
}

TEST(Socks5, AddressesAreSentAsSuch) {
  const auto v4 = TunnelOf(ProxyKind::kSocks5, std::nullopt, "10.1.2.3", 80);
  EXPECT_EQ(SayInSinglePieces(*v4, "\5\0"s).sent, "\5\1\0"s + "\5\1\0\1\x0a\1\2\3\0\x50"s);
  const auto v6 = TunnelOf(ProxyKind::kSocks5h, std::nullopt, "fd00::1", 80);
  EXPECT_EQ(SayInSinglePieces(*v6, "\5\0"s).sent,
            "\5\1\0"s + "\5\1\0\4\xfd"s + std::string(14, '\0') + "\1\0\x50"s);
}

TEST(Socks5, ReplyInSingleBytes) {
  for (const std::string& address :
       {"\1\1\2\3\4"s, "\3\5proxy"s, "\3\0"s, "\4"s + std::string(16, '\1')}) {
    const auto tunnel = TunnelOf(ProxyKind::kSocks5h);
    const Dialog dialog = SayInSinglePieces(*tunnel, "\5\0"s + "\5\0\0"s + address + "\0\x50"s);
    ASSERT_THAT(dialog.result, IsOk());
    EXPECT_EQ(*dialog.result, "");
    const auto whole = TunnelOf(ProxyKind::kSocks5h);
    EXPECT_EQ(**whole->Receive("\5\0"s + "\5\0\0"s + address + "\0\x50rest"s), "rest");
  }
}

TEST(Socks5, AuthNotOfferedWithoutUser) {
  EXPECT_EQ(TunnelOf(ProxyKind::kSocks5h)->TakeOutput(), "\5\1\0"s);
  EXPECT_THAT(TunnelOf(ProxyKind::kSocks5h)->Receive("\5\2"s).status(),
              IsProxyError("accepts no way to log in"));
  EXPECT_THAT(TunnelOf(ProxyKind::kSocks5h)->Receive("\5\xff"s).status(),
              IsProxyError("wants a user and a password"));
}

TEST(Socks5, LogsIn) {
  const auto tunnel = TunnelOf(ProxyKind::kSocks5h, kUser);
  const Dialog dialog = SayInSinglePieces(*tunnel, "\5\2\1\0"s + kReply);
  ASSERT_THAT(dialog.result, IsOk());
  EXPECT_TRUE(*dialog.result);
  EXPECT_THAT(dialog.sent, StartsWith("\5\2\0\2"s + "\1\5us@er\x08secret:1"s + "\5\1\0\3"s));
  const auto refused = TunnelOf(ProxyKind::kSocks5h, kUser);
  EXPECT_THAT(refused->Receive("\5\2\1\2"s).status(), IsProxyError("refuses the user"));
  // One that needs no login.
  const auto open = TunnelOf(ProxyKind::kSocks5h, kUser);
  EXPECT_TRUE(open->Receive("\5\0"s + kReply)->has_value());
}

TEST(Socks5, SaysWhyThereIsNoTunnel) {
  const struct {
    int code;
    const char* text;
  } kCases[] = {{1, "error 1"},        {2, "does not allow"}, {3, "network"},
                {4, "reach the host"}, {5, "refused"},        {6, "hops"},
                {7, "support"},        {8, "support"},        {200, "error 200"}};
  for (const auto& c : kCases) {
    const auto tunnel = TunnelOf(ProxyKind::kSocks5h);
    EXPECT_THAT(tunnel->Receive("\5\0\5"s + static_cast<char>(c.code)).status(),
                IsProxyError(c.text));
  }
  for (const std::string& noise : {"HTTP/1.1 400\r\n"s, "\5\0HT"s, "\5\0\5\0\0\2xx"s}) {
    EXPECT_THAT(TunnelOf(ProxyKind::kSocks5h)->Receive(noise).status(), IsProxyError(""));
  }
}

TEST(Socks5, NameOf256BytesIsRefused) {
  const auto make = [](const std::string& host, const std::optional<ProxyUser>& user) {
    return MakeTunnel({.kind = ProxyKind::kSocks5h, .user = user}, host, 1).status();
  };
  EXPECT_THAT(make(std::string(255, 'x'), std::nullopt), IsOk());
  EXPECT_THAT(make(std::string(256, 'x'), std::nullopt),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("255")));
  EXPECT_THAT(make("h", ProxyUser{.name = "u", .password = ""}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("password")));
  EXPECT_THAT(make("h", ProxyUser{.name = std::string(256, 'u'), .password = "secret"}),
              StatusIs(absl::StatusCode::kInvalidArgument, Not(HasSubstr("secret"))));
}

}  // namespace
}  // namespace cursorwire::proxy
