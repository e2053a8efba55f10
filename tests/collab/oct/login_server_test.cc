#include "collab/oct/login_server.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using cursorwire::test::StatusIs;
using ::testing::HasSubstr;

Url LoginServerOf(const char* text) {
  absl::StatusOr<Url> url = ParseLoginServer(text, false);
  EXPECT_THAT(url, cursorwire::test::IsOk()) << text;
  return url.value_or(Url{});
}

TEST(LoginServer, KeepsTheBasePath) {
  constexpr struct {
    const char* name;
    const char* text;
    const char* url;
    const char* socket;
  } kCases[] = {
      {"host alone", "https://api.open-collab.tools", "https://api.open-collab.tools",
       "wss://api.open-collab.tools/socket.io/?EIO=4&transport=websocket"},
      {"a slash", "https://Host.example/", "https://host.example",
       "wss://host.example/socket.io/?EIO=4&transport=websocket"},
      {"a path", "https://host.example/base/", "https://host.example/base",
       "wss://host.example/base/socket.io/?EIO=4&transport=websocket"},
      {"a longer path", "https://host.example:8443/a/b", "https://host.example:8443/a/b",
       "wss://host.example:8443/a/b/socket.io/?EIO=4&transport=websocket"},
      {"this machine", "http://localhost:8100/", "http://localhost:8100",
       "ws://localhost:8100/socket.io/?EIO=4&transport=websocket"},
      {"IPv6", "http://[::1]:8100", "http://[::1]:8100",
       "ws://[::1]:8100/socket.io/?EIO=4&transport=websocket"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Url server = LoginServerOf(c.text);
    EXPECT_EQ(ServerUrlText(server), c.url);
    EXPECT_EQ(RoomSocketUrl(server), c.socket);
  }
}

TEST(LoginServer, RefusesWhatIsNoAddressOfAServer) {
  const std::string long_path = "https://host/" + std::string(kMaxLoginUrlBytes, 'a');
  const struct {
    const char* name;
    std::string text;
    const char* says;
  } kCases[] = {
      {"empty", "", "http"},
      {"another scheme", "ftp://host/", "http"},
      {"the scheme of a WebSocket", "wss://host/", "http"},
      {"no host", "https:///base", "host"},
      {"user name", "https://me@host/", "user name"},
      {"user name and password", "https://me:secret@host/", "user name"},
      {"query", "https://host/?a=b", "'?'"},
      {"fragment", "https://host/#room", "'#'"},
      {"blank", "https://host/a b", "path"},
      {"port", "https://host:99999/", "port"},
      {"too long", long_path, "too long"},
      {"plain text to another machine", "http://host.example/", "https://"},
      {"looks like this machine", "http://127.0.0.1.evil.example/", "https://"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ParseLoginServer(c.text, false),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.says)));
  }
  EXPECT_THAT(ParseLoginServer("http://host.example/", true), cursorwire::test::IsOk());
}

TEST(LoginServer, ResolvesPlacesBelowItsPath) {
  const std::string long_place = "/" + std::string(kMaxLoginUrlBytes, 'a');
  const struct {
    const char* name;
    std::string place;
    std::optional<std::string> url;
  } kCases[] = {
      {"with a slash", "/login.html?token=a", "https://host/base/login.html?token=a"},
      {"without", "login.html", "https://host/base/login.html"},
      {"absolute", "https://login.example/x?y#z", "https://login.example/x?y#z"},
      {"absolute, plain text", "http://login.example/", "http://login.example/"},
      {"a URL in the query", "/login?next=https://x/", "https://host/base/login?next=https://x/"},
      {"another host", "//evil.example/login", std::nullopt},
      {"a script", "javascript:alert(1)", std::nullopt},
      {"a script that looks like a host", "javascript://host/%0Aalert(1)", std::nullopt},
      {"a file", "file:///etc/passwd", std::nullopt},
      {"user name", "https://host@evil.example/", std::nullopt},
      {"a backslash in the host", "https://host\\.evil.example/", std::nullopt},
      {"escape codes", "/login\x1b[31m", std::nullopt},
      {"line feed", "/login\nSet-Cookie: a", std::nullopt},
      {"blank", "/log in", std::nullopt},
      {"not ASCII", "/l\u00F6gin", std::nullopt},
      {"empty", "", std::nullopt},
      {"too long", long_place, std::nullopt},
  };
  const Url server = LoginServerOf("https://host/base/");
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ResolveOnServer(server, c.place), c.url);
  }
}

TEST(LoginServer, KnowsWhatIsOnItself) {
  const Url server = LoginServerOf("https://host/base");
  EXPECT_TRUE(IsOnServer(server, "https://host/api/login/simple"));
  EXPECT_TRUE(IsOnServer(server, "https://HOST:443/"));
  EXPECT_FALSE(IsOnServer(server, "http://host/"));
  EXPECT_FALSE(IsOnServer(server, "https://host:444/"));
  EXPECT_FALSE(IsOnServer(server, "https://host.evil.example/"));
  EXPECT_FALSE(IsOnServer(server, "/api"));
}

TEST(LoginServer, EscapesAStepOfAPath) {
  EXPECT_EQ(PathStep("RSyO4I_-.~"), "RSyO4I_-.~");
  EXPECT_EQ(PathStep("../a?b#c%20"), "..%2Fa%3Fb%23c%2520");
}

}  // namespace
}  // namespace cursorwire::oct
