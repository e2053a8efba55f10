#include "client/machine/tls_sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cursorwire {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;
using testing::Optional;

constexpr TlsSessions::Time kNow{seconds(1'800'000'000)};

TlsSessions Three() {
  TlsSessions sessions;
  sessions.Add("a host", "first", kNow + seconds(10));
  sessions.Add("b host", std::string("\0\xFF\"", 3), kNow + seconds(20));
  sessions.Add("a host", "second", kNow + seconds(30));
  return sessions;
}

constexpr char kThree[] = R"({"tls_sessions":[
{"key":"a host","expires":1800000010,"session":"Zmlyc3Q="},
{"key":"b host","expires":1800000020,"session":"AP8i"},
{"key":"a host","expires":1800000030,"session":"c2Vjb25k"}]}
)";

TEST(TlsSessions, AreWrittenAndRead) {
  EXPECT_EQ(Three().Write(), kThree);
  EXPECT_EQ(TlsSessions::Read(kThree, kNow), Three());
  EXPECT_EQ(TlsSessions().Write(), "{\"tls_sessions\":[]}\n");
  EXPECT_EQ(TlsSessions::Read(TlsSessions().Write(), kNow), TlsSessions());
}

TEST(TlsSessions, GiveTheNewestOfAKeyOnce) {
  TlsSessions sessions = Three();
  EXPECT_THAT(sessions.Take("a host"), Optional(std::string("second")));
  EXPECT_THAT(sessions.Take("a host"), Optional(std::string("first")));
  EXPECT_EQ(sessions.Take("a host"), std::nullopt);
  EXPECT_EQ(sessions.Take("c host"), std::nullopt);
  EXPECT_THAT(sessions.Take("b host"), Optional(std::string("\0\xFF\"", 3)));
  EXPECT_EQ(sessions.size(), 0U);
}

TEST(TlsSessions, EndWithTheirTime) {
  EXPECT_EQ(TlsSessions::Read(kThree, kNow + seconds(9))->size(), 3U);
  EXPECT_EQ(TlsSessions::Read(kThree, kNow + seconds(10))->size(), 2U);
  EXPECT_EQ(TlsSessions::Read(kThree, kNow + seconds(30))->size(), 0U);
}

TEST(TlsSessions, KeepTheNewest) {
  TlsSessions sessions;
  for (size_t i = 0; i < TlsSessions::kMaxSessions + 3; ++i) {
    sessions.Add("host", std::to_string(i), kNow + seconds(1));
  }
  EXPECT_EQ(sessions.size(), TlsSessions::kMaxSessions);
  EXPECT_THAT(sessions.Take("host"), Optional(std::to_string(TlsSessions::kMaxSessions + 2)));
  EXPECT_EQ(TlsSessions::Read(sessions.Write(), kNow), sessions);
}

TEST(TlsSessions, LeaveOutWhatIsOverABound) {
  TlsSessions sessions;
  sessions.Add("", "x", kNow + seconds(1));
  sessions.Add("host", "", kNow + seconds(1));
  sessions.Add(std::string(TlsSessions::kMaxKeyBytes + 1, 'k'), "x", kNow + seconds(1));
  sessions.Add("host", std::string(TlsSessions::kMaxSessionBytes + 1, 'x'), kNow + seconds(1));
  EXPECT_EQ(sessions.size(), 0U);
  sessions.Add(std::string(TlsSessions::kMaxKeyBytes, 'k'),
               std::string(TlsSessions::kMaxSessionBytes, 'x'), kNow + seconds(1));
  EXPECT_EQ(sessions.size(), 1U);
}

TEST(TlsSessions, LeaveOutWhatIsNoSession) {
  for (const std::string_view item :
       {"1", "\"a\"", "{}", R"({"key":"a","expires":1900000000})",
        R"({"key":"a","session":"AP8i"})", R"({"key":"a","session":"AP8i","expires":"soon"})",
        R"({"key":"a","session":"AP8i","expires":99999999999999999999})",
        R"({"key":"a","session":"?","expires":1900000000})",
        R"({"key":1,"session":"AP8i","expires":1900000000})"}) {
    const std::string text = "{\"tls_sessions\":[" + std::string(item) + "]}";
    const auto sessions = TlsSessions::Read(text, kNow);
    ASSERT_TRUE(sessions) << text;
    EXPECT_EQ(sessions->size(), 0U) << text;
  }
  EXPECT_EQ(TlsSessions::Read("", kNow), TlsSessions());
}

TEST(TlsSessions, KnowATextOfSomethingElse) {
  for (const std::string_view text : {"no JSON", "[]", "{}", R"({"tls_sessions":{}})",
                                      R"({"tls_sessions":1})", R"({"version":1,"history":[]})"}) {
    EXPECT_EQ(TlsSessions::Read(text, kNow), std::nullopt) << text;
  }
  const std::string_view whole = kThree;
  for (size_t size = 1; size + 2 < whole.size(); ++size) {
    EXPECT_EQ(TlsSessions::Read(whole.substr(0, size), kNow), std::nullopt) << size;
  }
}

}  // namespace
}  // namespace cursorwire
