#include "collab/oct/login_answer.h"

#include <gtest/gtest.h>

#include <string>

#include "base/url.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using cursorwire::test::StatusIs;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr absl::StatusCode kBrokenAnswer = absl::StatusCode::kInternal;

TEST(LoginAnswer, IsAnObjectWithinBounds) {
  EXPECT_THAT(ReadLoginAnswer(R"({"a":1})"), cursorwire::test::IsOk());
  std::string deep;
  for (size_t i = 0; i <= kMaxLoginAnswerDepth; ++i) deep += R"({"a":)";
  std::string many = R"({"a":[0)";
  for (size_t i = 0; i <= kMaxLoginAnswerValues; ++i) many += ",0";
  const struct {
    const char* name;
    std::string body;
  } kCases[] = {
      {"nothing", ""},
      {"a page", "<html><body>Hello</body></html>"},
      {"cut off", R"({"a":)"},
      {"a list", "[]"},
      {"a text", R"("a")"},
      {"not UTF-8", "{\"a\":\"\xFF\"}"},
      {"too deep", deep + "1" + std::string(kMaxLoginAnswerDepth + 1, '}')},
      {"too many values", many + "]}"},
      {"too long", R"({"a":")" + std::string(kMaxLoginAnswerBytes, 'x') + R"("})"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ReadLoginAnswer(c.body), StatusIs(kBrokenAnswer));
  }
}

TEST(LoginAnswer, ServerVersions) {
  const auto meta = [](const json& version) {
    return json{{"version", version}, {"transports", {"websocket", "socket.io"}}};
  };
  for (const char* version : {"0.3.1", "0.3.0", "0.3.27", "0.3.2-next.1"}) {
    EXPECT_THAT(CheckServerMeta(meta(version)), cursorwire::test::IsOk()) << version;
  }
  for (const char* version : {"0.4.0", "0.2.9", "1.3.1", "0.30.1", "0.3", "0.3.", "0.3.x", ""}) {
    EXPECT_THAT(CheckServerMeta(meta(version)),
                StatusIs(kBrokenAnswer,
                         AllOf(HasSubstr("\"" + std::string(version) + "\""), HasSubstr("0.3.1"))))
        << version;
  }
  EXPECT_THAT(CheckServerMeta(meta(3)), StatusIs(kBrokenAnswer));
  EXPECT_THAT(
      CheckServerMeta(meta("9\x1b[31m\n" + std::string(1000, 'x'))),
      StatusIs(kBrokenAnswer, AllOf(HasSubstr("9?[31m?"), Not(HasSubstr(std::string(50, 'x'))))));
}

TEST(LoginAnswer, ServerTransports) {
  for (const char* transports : {"[]", R"(["websocket"])", R"("socket.io")", "null", "[1]"}) {
    SCOPED_TRACE(transports);
    const json meta = {{"version", "0.3.1"}, {"transports", json::parse(transports)}};
    EXPECT_THAT(CheckServerMeta(meta), StatusIs(kBrokenAnswer, HasSubstr("socket.io")));
  }
}

TEST(LoginAnswer, TokensMustBeFitToBeSent) {
  const auto read = [](json token) { return ReadLoginToken({{"t", std::move(token)}}, "t"); };
  EXPECT_EQ(read("abc").value_or(""), "abc");
  EXPECT_THAT(read(std::string(kMaxLoginTokenCharacters, 'a')), cursorwire::test::IsOk());
  const struct {
    const char* name;
    json token;
  } kCases[] = {
      {"null", nullptr},
      {"a number", 7},
      {"a list", json::array({"a"})},
      {"empty", ""},
      {"line feed", "secret\r\nx-evil: 1"},
      {"blank", "secret b"},
      {"not ASCII", "secret\u00FC"},
      {"a step upwards", ".."},
      {"too long", std::string(kMaxLoginTokenCharacters + 1, 'a')},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(read(c.token), StatusIs(kBrokenAnswer, Not(HasSubstr("secret"))));
  }
}

json FormProvider(const char* endpoint) {
  return {{"type", "form"},
          {"endpoint", endpoint},
          {"fields",
           {{{"name", "user"}, {"required", true}}, {{"name", "email"}, {"required", false}}}}};
}
LoginOffer OfferOf(const json& auth) {
  const Url server{.host = "host", .path = "/base"};
  absl::StatusOr<LoginOffer> offer =
      ReadLoginOffer(server, json{{"pollToken", "p"}, {"auth", auth}});
  EXPECT_THAT(offer, cursorwire::test::IsOk());
  return offer.value_or(LoginOffer{});
}
std::string FormOf(const json& provider) {
  return OfferOf({{"providers", json::array({provider})}}).form_url;
}

TEST(LoginAnswer, FormsForAName) {
  EXPECT_EQ(FormOf(FormProvider("/api/login/simple")), "https://host/base/api/login/simple");
  EXPECT_EQ(FormOf(FormProvider("https://host/api/x")), "https://host/api/x");

  json other = FormProvider("/x");
  other["type"] = "web";
  EXPECT_EQ(FormOf(other), "");
  other = FormProvider("/x");
  other["fields"][0]["name"] = "key";
  EXPECT_EQ(FormOf(other), "");
  other = FormProvider("/x");
  other["fields"].push_back({{"name", "password"}, {"required", true}});
  EXPECT_EQ(FormOf(other), "") << "we do not have it";
  other["fields"][2]["required"] = false;
  EXPECT_EQ(FormOf(other), "https://host/base/x");
  for (const char* value : {"null", "7", "\"user\"", "{}", "[null,7,\"user\",[]]"}) {
    other["fields"] = json::parse(value);
    EXPECT_EQ(FormOf(other), "") << value;
    EXPECT_EQ(FormOf(json::parse(value)), "") << value;
    EXPECT_EQ(OfferOf({{"providers", json::parse(value)}}).form_url, "") << value;
  }
}

TEST(LoginAnswer, FormsOfAnotherOriginAreNotUsed) {
  for (const char* endpoint : {"https://evil.example/api", "http://host/api", "https://host:444/",
                               "//evil.example/api", "https://host@evil.example/", ""}) {
    EXPECT_EQ(FormOf(FormProvider(endpoint)), "") << endpoint;
  }
  const json both = {
      {"providers", {FormProvider("https://evil.example/api"), FormProvider("/mine")}}};
  EXPECT_EQ(OfferOf(both).form_url, "https://host/base/mine");
}

TEST(LoginAnswer, PagesForThePerson) {
  EXPECT_EQ(OfferOf({{"loginPageUrl", "/login.html?t=p"}}).page_url,
            "https://host/base/login.html?t=p");
  EXPECT_EQ(OfferOf({{"loginPageUrl", "http://x.example/"}}).page_url, "http://x.example/");
  EXPECT_EQ(OfferOf({{"loginPageUrl", "javascript:alert(1)"}}).page_url, "");
  EXPECT_EQ(OfferOf({{"loginPageUrl", 7}}).page_url, "");
  EXPECT_EQ(OfferOf(json::object()).page_url, "");
}

TEST(LoginAnswer, OffersNeedATokenAndAWay) {
  const Url server{.host = "host"};
  EXPECT_THAT(ReadLoginOffer(server, {{"auth", json::object()}}),
              StatusIs(kBrokenAnswer, HasSubstr("pollToken")));
  for (const char* auth : {"null", "7", "[]", "\"x\""}) {
    EXPECT_THAT(ReadLoginOffer(server, {{"pollToken", "p"}, {"auth", json::parse(auth)}}),
                StatusIs(kBrokenAnswer))
        << auth;
  }
}

TEST(LoginAnswer, RoomAccess) {
  const json good = {{"roomId", "r1"},
                     {"roomToken", "t1"},
                     {"workspace", {{"name", "demo"}, {"folders", {"demo"}}}},
                     {"host", {{"id", "h1"}, {"name", "Hanna"}}}};
  const absl::StatusOr<RoomAccess> access = ReadRoomAccess(good);
  ASSERT_THAT(access, cursorwire::test::IsOk());
  EXPECT_EQ(access->room_id, "r1");
  EXPECT_EQ(access->room_token, "t1");
  EXPECT_EQ(access->host.id, "h1");
  EXPECT_EQ(access->host.name, "Hanna");
  EXPECT_EQ(access->workspace, "demo");

  const struct {
    const char* name;
    const char* member;
    json value;
    const char* says;
  } kCases[] = {
      {"no room", "roomId", nullptr, "roomId"},
      {"room of another type", "roomId", 7, "roomId"},
      {"room with escape codes", "roomId", "\x1b[1m", "roomId"},
      {"no token", "roomToken", nullptr, "roomToken"},
      {"token of another type", "roomToken", json::object(), "roomToken"},
      {"no host", "host", nullptr, "host"},
      {"host of another type", "host", "Hanna", "host"},
      {"host without an id", "host", {{"name", "Hanna"}}, "host"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    json bad = good;
    bad[c.member] = c.value;
    EXPECT_THAT(ReadRoomAccess(bad), StatusIs(kBrokenAnswer, HasSubstr(c.says)));
  }
}

TEST(LoginAnswer, WorkspacesMayBeAnything) {
  json answer = {{"roomId", "r1"}, {"roomToken", "t1"}, {"host", {{"id", "h1"}}}};
  const std::string long_name(kMaxWorkspaceNameBytes + 1, 'x');
  for (const json& workspace :
       {json(nullptr), json(7), json("demo"), json({{"name", 7}}), json({{"name", long_name}})}) {
    answer["workspace"] = workspace;
    const absl::StatusOr<RoomAccess> access = ReadRoomAccess(answer);
    ASSERT_THAT(access, cursorwire::test::IsOk());
    EXPECT_EQ(access->workspace, "");
  }
}

}  // namespace
}  // namespace cursorwire::oct
