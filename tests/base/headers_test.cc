#include "cursorwire/connect/headers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;

std::vector<Header> Fields(const Headers& headers) { return {headers.begin(), headers.end()}; }

TEST(Headers, StartEmpty) {
  const Headers headers;
  EXPECT_TRUE(headers.empty());
  EXPECT_EQ(headers.size(), 0u);
  EXPECT_EQ(headers.Get("a"), std::nullopt);
  EXPECT_THAT(headers.GetAll("a"), IsEmpty());
}

TEST(Headers, KeepOrderAndRepeatedNames) {
  Headers headers;
  headers.Add("b", "1");
  headers.Add("a", "2");
  headers.Add("b", "3");
  EXPECT_THAT(Fields(headers), ElementsAre(Header{"b", "1"}, Header{"a", "2"}, Header{"b", "3"}));
  EXPECT_EQ(headers.size(), 3u);
  EXPECT_FALSE(headers.empty());
}

TEST(Headers, TurnNamesToLowerCaseAndLeaveValuesAlone) {
  Headers headers = {{"Content-Type", "Application/JSON"}};
  headers.Add("X-ID", "AbC");
  EXPECT_THAT(Fields(headers),
              ElementsAre(Header{"content-type", "Application/JSON"}, Header{"x-id", "AbC"}));
}

TEST(Headers, CompareNamesInLowerCase) {
  const Headers headers = {{"x-id", "1"}, {"X-Id", "2"}};
  EXPECT_THAT(headers.Get("X-ID"), Optional(std::string_view("1")));
  EXPECT_THAT(headers.GetAll("x-ID"), ElementsAre("1", "2"));
}

TEST(Headers, GetGivesTheFirstValueAndGetAllEvery) {
  const Headers headers = {{"a", "1"}, {"b", "2"}, {"a", ""}};
  EXPECT_THAT(headers.Get("a"), Optional(std::string_view("1")));
  EXPECT_THAT(headers.GetAll("a"), ElementsAre("1", ""));
  EXPECT_EQ(headers.Get("c"), std::nullopt);
}

TEST(Headers, TellAnEmptyValueFromNone) {
  const Headers headers = {{"a", ""}};
  EXPECT_THAT(headers.Get("a"), Optional(std::string_view("")));
}

TEST(Headers, SetReplacesEveryFieldOfThatName) {
  Headers headers = {{"a", "1"}, {"b", "2"}, {"a", "3"}};
  headers.Set("A", "4");
  EXPECT_THAT(Fields(headers), ElementsAre(Header{"b", "2"}, Header{"a", "4"}));
  headers.Set("c", "5");
  EXPECT_THAT(Fields(headers), ElementsAre(Header{"b", "2"}, Header{"a", "4"}, Header{"c", "5"}));
}

TEST(Headers, RemoveTakesEveryFieldOfThatName) {
  Headers headers = {{"a", "1"}, {"b", "2"}, {"a", "3"}};
  headers.Remove("A");
  EXPECT_THAT(Fields(headers), ElementsAre(Header{"b", "2"}));
  headers.Remove("absent");
  EXPECT_EQ(headers.size(), 1u);
}

TEST(Headers, AreEqualWhenFieldsAndOrderAre) {
  const Headers headers = {{"a", "1"}, {"b", "2"}};
  EXPECT_EQ(headers, (Headers{{"A", "1"}, {"B", "2"}}));
  EXPECT_NE(headers, (Headers{{"b", "2"}, {"a", "1"}}));
  EXPECT_NE(headers, (Headers{{"a", "1"}}));
}

}  // namespace
}  // namespace cursorwire::connect
