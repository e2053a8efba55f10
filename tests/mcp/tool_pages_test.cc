#include "mcp/tool_pages.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> NamesOf(const ToolPages& pages) {
  std::vector<std::string> names;
  for (const ServerTool& tool : pages.tools()) names.push_back(tool.name);
  return names;
}

Json Page(const std::vector<std::string>& names, Json cursor = nullptr) {
  Json tools = Json::array();
  for (const std::string& name : names) tools.push_back({{"name", name}});
  return {{"tools", tools}, {"nextCursor", std::move(cursor)}};
}

TEST(ToolPages, JoinsPagesAndDropsDoubles) {
  ToolPages pages(HeaderArguments::kIgnored);
  ASSERT_THAT(pages.Add(Page({"a", "b"}, "")), IsOk());
  EXPECT_EQ(pages.next_cursor(), "");
  ASSERT_THAT(pages.Add(Page({"b", "c"}, "x")), IsOk());
  EXPECT_EQ(pages.next_cursor(), "x");
  ASSERT_THAT(pages.Add(Page({"d"})), IsOk());
  EXPECT_EQ(pages.next_cursor(), std::nullopt);
  EXPECT_THAT(NamesOf(pages), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(pages.notices(), IsEmpty());
}

TEST(ToolPages, StopsAtACursorThatItHad) {
  ToolPages pages(HeaderArguments::kIgnored);
  ASSERT_THAT(pages.Add(Page({"a"}, "same")), IsOk());
  ASSERT_THAT(pages.Add(Page({"b"}, "same")), IsOk());
  EXPECT_EQ(pages.next_cursor(), std::nullopt);
  EXPECT_THAT(pages.notices(), ElementsAre(HasSubstr("comes back")));
}

TEST(ToolPages, StopsAtACursorThatIsTooLong) {
  ToolPages pages(HeaderArguments::kIgnored);
  ASSERT_THAT(pages.Add(Page({"a"}, std::string(4096, 'x'))), IsOk());
  EXPECT_NE(pages.next_cursor(), std::nullopt);
  ASSERT_THAT(pages.Add(Page({"b"}, std::string(4097, 'x'))), IsOk());
  EXPECT_EQ(pages.next_cursor(), std::nullopt);
  EXPECT_THAT(pages.notices(), ElementsAre(HasSubstr("more than 4096 bytes")));
}

TEST(ToolPages, StopsAfterManyPages) {
  ToolPages pages(HeaderArguments::kIgnored);
  int count = 0;
  do {
    ASSERT_THAT(pages.Add(Page({}, absl::StrCat(++count))), IsOk());
  } while (pages.next_cursor());
  EXPECT_EQ(count, 200);
  EXPECT_THAT(pages.notices(), ElementsAre(HasSubstr("more than 200 pages")));
}

TEST(ToolPages, LeavesOutBadToolsAlone) {
  ToolPages pages(HeaderArguments::kIgnored);
  ASSERT_THAT(
      pages.Add(Json::parse(R"({"tools":[{"name":"a\n"},{"name":"bad\n\u202e","inputSchema":7},
                                       null,{"name":"b"}]})")),
      IsOk());
  EXPECT_THAT(NamesOf(pages), ElementsAre("a\n", "b"));
  EXPECT_THAT(pages.notices(), ElementsAre("tool 'bad ' is left out: its schema is no JSON object",
                                           "tool '' is left out: it has no name"));
}

TEST(ToolPages, BoundsNumberSizeAndNotices) {
  std::vector<std::string> names;
  for (int i = 0; i < 600; ++i) names.push_back(absl::StrCat("t", i));
  ToolPages many(HeaderArguments::kIgnored);
  ASSERT_THAT(many.Add(Page(names)), IsOk());
  EXPECT_EQ(many.tools().size(), kMaxServerTools);
  EXPECT_THAT(many.notices(), ElementsAre(HasSubstr("88 tools are left out")));

  ToolPages large(HeaderArguments::kIgnored);
  Json tools = Json::array();
  for (int i = 0; i < 20; ++i) {
    tools.push_back({{"name", absl::StrCat("t", i)},
                     {"inputSchema", {{"x", std::string(size_t{250} * 1024, 'x')}}}});
  }
  ASSERT_THAT(large.Add({{"tools", tools}}), IsOk());
  EXPECT_EQ(large.tools().size(), 16u);

  ToolPages bad(HeaderArguments::kIgnored);
  ASSERT_THAT(bad.Add({{"tools", Json::array_t(100)}}), IsOk());
  EXPECT_EQ(bad.notices().size(), 21u);
  EXPECT_EQ(bad.notices().back(), "and 80 more like these");
}

TEST(ToolPages, RefusesWhatIsNoList) {
  ToolPages pages(HeaderArguments::kIgnored);
  EXPECT_THAT(pages.Add(Json::object()), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(pages.Add({{"tools", "a"}}), StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(pages.Add(nullptr), StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace cursorwire::mcp
