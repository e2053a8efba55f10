#include "workspace/search/brace_expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOkAndHolds;
using test::StatusIs;

TEST(ExpandBraces, ListsTheAlternativesInOrder) {
  const struct {
    const char* pattern;
    std::vector<std::string> texts;
  } kCases[] = {
      {"", {""}},
      {"a", {"a"}},
      {"{a,b}", {"a", "b"}},
      {"x{a,b}y{c,d}", {"xayc", "xayd", "xbyc", "xbyd"}},
      {"{a,{b,c}d}", {"a", "bd", "cd"}},
      {"{}", {""}},
      {"{,a,}", {"", "a", ""}},
      {"a,b}", {"a,b}"}},
      {"\\{a,b\\}", {"\\{a,b\\}"}},
      {"{a\\,b,c}", {"a\\,b", "c"}},
      {"[{,}]", {"[{,}]"}},
      {"{[,],b}", {"[,]", "b"}},
      {"{[]},],b}", {"[]},]", "b"}},
      {"{[!]},],b}", {"[!]},]", "b"}},
      {"[{a,b}", {"[a", "[b"}},
      {"a\\", {"a\\"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.pattern);
    EXPECT_THAT(ExpandBraces(c.pattern, 4), IsOkAndHolds(c.texts));
  }
}

TEST(ExpandBraces, StopsAtTheLimit) {
  EXPECT_THAT(ExpandBraces("{a,b}{a,b}", 4), IsOkAndHolds(testing::SizeIs(4)));
  EXPECT_THAT(ExpandBraces("{a,b}{a,b}", 3), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ExpandBraces("{a,b,c,d}", 3), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::workspace
