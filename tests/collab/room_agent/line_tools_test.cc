#include "collab/room_agent/line_tools.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "collab/room_agent/line_search.h"
#include "support/status_matchers.h"

namespace cursorwire::room_agent {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::json;

// The tools over a text of their own.
class ToolDesk {
 public:
  explicit ToolDesk(std::string_view text, const LineToolLimits& limits = {}) {
    EXPECT_THAT(document_.Splice("t", crdt::Unit::kBytes, 0, 0, text), test::IsOk());
    snapshot_ = std::make_unique<LineSnapshot>(document_, "t");
    tools_ = std::make_unique<LineTools>(*snapshot_, limits);
  }

  ToolReply Call(std::string_view name, const Json& arguments) {
    return tools_->Call(name, arguments);
  }
  Json Result(std::string_view name, const Json& arguments) {
    const ToolReply reply = Call(name, arguments);
    EXPECT_FALSE(reply.is_error) << reply.text;
    return Json::parse(reply.text, nullptr, false);
  }
  std::string Error(std::string_view name, const Json& arguments) {
    const ToolReply reply = Call(name, arguments);
    EXPECT_TRUE(reply.is_error) << reply.text;
    EXPECT_FALSE(reply.edit);
    return reply.text;
  }
  void Type(uint32_t at, uint32_t count, std::string_view text) {
    EXPECT_THAT(document_.Splice("t", crdt::Unit::kBytes, at, count, text), test::IsOk());
  }

  std::string text() const { return document_.Text("t"); }
  std::string state() const { return document_.EncodeState(); }
  const LineTools& tools() const { return *tools_; }

 private:
  yjs::Document document_{1, [] { return uint64_t{2}; }};
  std::unique_ptr<LineSnapshot> snapshot_;
  std::unique_ptr<LineTools> tools_;
};

TEST(LineTools, HaveTheNamesAndParametersOfTheProposal) {
  const std::vector<ToolDefinition> tools = LineToolDefinitions();
  const struct {
    const char* name;
    Json required;
    std::vector<std::string> optional{};
  } kCases[] = {
      {"get_line_range", {"start_line", "end_line"}},
      {"replace_lines", {"start_line", "end_line", "new_content"}},
      {"insert_at_line", {"line", "content"}},
      {"delete_lines", {"start_line", "end_line"}},
      {"search_code", {"pattern"}, {"max_results"}},
  };
  ASSERT_EQ(tools.size(), 5U);
  for (size_t i = 0; i < tools.size(); ++i) {
    SCOPED_TRACE(kCases[i].name);
    EXPECT_EQ(tools[i].name, kCases[i].name);
    EXPECT_FALSE(tools[i].description.empty());
    const Json& schema = tools[i].schema;
    EXPECT_EQ(schema["type"], "object");
    EXPECT_EQ(schema["required"], kCases[i].required);
    EXPECT_EQ(schema["properties"].size(), kCases[i].required.size() + kCases[i].optional.size());
    for (const Json& name : kCases[i].required) {
      EXPECT_TRUE(schema["properties"].contains(name.get<std::string>()));
    }
  }
}

TEST(LineTools, AnswerInJson) {
  ToolDesk desk("a\nb\nc\nd\n");
  EXPECT_EQ(
      desk.Result("replace_lines", {{"start_line", 2}, {"end_line", 3}, {"new_content", "x"}}),
      Json({{"success", true}, {"lines_changed", 2}}));
  EXPECT_EQ(desk.Result("insert_at_line", {{"line", 5}, {"content", "y\nz\n"}}),
            Json({{"success", true}, {"lines_inserted", 2}}));
  EXPECT_EQ(desk.Result("delete_lines", {{"start_line", 1}, {"end_line", 1}}),
            Json({{"success", true}, {"lines_deleted", 1}}));
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "y"}}),
            Json::array({{{"new_line_before", 5}, {"content", "y"}}}));
  EXPECT_EQ(desk.Call("get_line_range", {{"start_line", 4}, {"end_line", 4}}).text, "4: d");
  EXPECT_EQ(desk.text(), "x\nd\ny\nz\n");
  EXPECT_EQ(desk.tools().calls(), 5U);
  EXPECT_EQ(desk.tools().edits(), 3U);
}

TEST(LineTools, HandOutTheEdit) {
  ToolDesk desk("a\nb\n");
  const ToolReply reply =
      desk.Call("replace_lines", {{"start_line", 2}, {"end_line", 2}, {"new_content", "x\ny"}});
  ASSERT_TRUE(reply.edit);
  EXPECT_EQ(reply.edit->start_line, 2U);
  EXPECT_EQ(reply.edit->lines, 2U);
  ASSERT_EQ(reply.edit->updates.size(), 1U);
  EXPECT_FALSE(reply.edit->updates[0].empty());
}

TEST(LineTools, LongContentIsSeveralUpdates) {
  ToolDesk desk("a\nb\n");
  yjs::Document peer(3, [] { return uint64_t{4}; });
  ASSERT_THAT(peer.Apply(desk.state()), test::IsOk());
  std::string content;
  while (content.size() < 200000) content += "\xc3\xa4\xf0\x9f\x98\x80 and so on\n";
  const ToolReply reply =
      desk.Call("replace_lines", {{"start_line", 2}, {"end_line", 2}, {"new_content", content}});
  ASSERT_TRUE(reply.edit);
  EXPECT_GT(reply.edit->updates.size(), 5U);
  for (const std::string& update : reply.edit->updates) {
    EXPECT_LT(update.size(), kMaxUpdateTextBytes + 100);
    EXPECT_THAT(peer.Text("t"), ::testing::StartsWith("a\nb")) << "it has gone before all is there";
    EXPECT_THAT(peer.Apply(update), test::IsOk());
  }
  EXPECT_EQ(peer.Text("t"), "a\n" + content);
  EXPECT_EQ(desk.text(), peer.Text("t"));
}

TEST(LineTools, DoNotCountWhatChangesNothing) {
  ToolDesk desk("a\nb\n");
  EXPECT_EQ(
      desk.Result("replace_lines", {{"start_line", 1}, {"end_line", 1}, {"new_content", "a"}}),
      Json({{"success", true}, {"lines_changed", 0}}));
  EXPECT_EQ(desk.tools().edits(), 0U);
  EXPECT_EQ(desk.tools().calls(), 1U);
}

TEST(LineTools, NumbersAsDoublesAndStrings) {
  const struct {
    const char* name;
    Json line;
    std::string error;  // "": it is line 2
  } kCases[] = {
      {"whole number", 2, ""},
      {"double", 2.0, ""},
      {"string", "2", ""},
      {"string with space", " 2 ", ""},
      {"fraction", 2.5, "start_line must be a whole number."},
      {"string of a double", "2.0", "start_line must be a whole number."},
      {"word", "two", "start_line must be a whole number."},
      {"empty string", "", "start_line must be a whole number."},
      {"list", Json::array({2}), "start_line must be a whole number."},
      {"truth", true, "start_line must be a whole number."},
      {"null", nullptr, "start_line must be a whole number, and is missing."},
      {"negative", -2, "Document has 3 lines."},
      {"negative string", "-2", "Document has 3 lines."},
      {"too large", 4294967298, "Document has 3 lines."},
      {"much too large", UINT64_MAX, "Document has 3 lines."},
      {"the largest double", 1e308, "Document has 3 lines."},
      {"the least double", -1e308, "Document has 3 lines."},
      {"not finite", std::numeric_limits<double>::infinity(), "start_line must be a whole number."},
      {"too large for a string", "99999999999999999999", "start_line must be a whole number."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ToolDesk desk("a\nb\nc\n");
    const ToolReply reply = desk.Call("delete_lines", {{"start_line", c.line}, {"end_line", 2}});
    EXPECT_EQ(reply.is_error, !c.error.empty()) << reply.text;
    EXPECT_THAT(reply.text, HasSubstr(c.error));
    EXPECT_EQ(desk.text(), c.error.empty() ? "a\nc\n" : "a\nb\nc\n");
  }
}

TEST(LineTools, ErrorsSayWhatToDo) {
  const struct {
    const char* tool;
    Json arguments;
    std::string error;
  } kCases[] = {
      {"get_line_range", {{"start_line", 1}}, "end_line must be a whole number, and is missing"},
      {"get_line_range", nullptr, "start_line must be a whole number, and is missing"},
      {"get_line_range", "text", "start_line must be a whole number, and is missing"},
      {"get_line_range", {{"start_line", 2}, {"end_line", 1}}, "Document has 2 lines."},
      {"get_line_range", {{"start_line", 0}, {"end_line", 1}}, "Document has 2 lines."},
      {"get_line_range", {{"start_line", 1}, {"end_line", 3}}, "Document has 2 lines. Name lines"},
      {"replace_lines", {{"start_line", 1}, {"end_line", 1}}, "new_content must be a text"},
      {"replace_lines",
       {{"start_line", 1}, {"end_line", 1}, {"new_content", 5}},
       "new_content must be a text"},
      {"insert_at_line", {{"line", 4}, {"content", "x"}}, "Document has 2 lines. Insert before"},
      {"insert_at_line", {{"line", 1}, {"content", ""}}, "content is empty"},
      {"search_code", {{"pattern", ""}}, "pattern must have"},
      {"search_code", {{"pattern", std::string(2000, 'x')}}, "pattern must have"},
      {"search_code", {{"pattern", "x"}, {"max_results", 0}}, "max_results must be"},
      {"search_code", {{"pattern", "x"}, {"max_results", "all"}}, "max_results must be"},
      {"read", {{"path", "x"}}, "Use get_line_range, replace_lines"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.error);
    ToolDesk desk("a\nb\n");
    EXPECT_THAT(desk.Error(c.tool, c.arguments), HasSubstr(c.error));
    EXPECT_EQ(desk.text(), "a\nb\n");
    EXPECT_EQ(desk.tools().calls(), 1U);
  }
}

TEST(LineTools, IgnoreUnknownArguments) {
  ToolDesk desk("a\nb\n");
  EXPECT_EQ(desk.Call("get_line_range", {{"start_line", 1}, {"end_line", 1}, {"path", "x"}}).text,
            "1: a");
}

TEST(LineTools, EmptyFile) {
  ToolDesk desk("");
  EXPECT_THAT(desk.Error("get_line_range", {{"start_line", 1}, {"end_line", 1}}),
              StartsWith("Document has 0 lines. Use insert_at_line with line 1."));
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "x"}}), Json::array());
  EXPECT_EQ(desk.Result("insert_at_line", {{"line", 1}, {"content", "x"}}),
            Json({{"success", true}, {"lines_inserted", 1}}));
  EXPECT_EQ(desk.text(), "x\n");
}

TEST(LineTools, PersonEditsTheRangeBetweenReadAndReplace) {
  ToolDesk desk("a\nb\nc\n");
  desk.Call("get_line_range", {{"start_line", 1}, {"end_line", 3}});
  desk.Type(2, 1, "bee");
  const Json arguments = {{"start_line", 2}, {"end_line", 2}, {"new_content", "x"}};
  EXPECT_THAT(desk.Error("replace_lines", arguments),
              AllOf(HasSubstr("Nothing was done"), HasSubstr("2: bee")));
  EXPECT_EQ(desk.Result("replace_lines", arguments)["success"], true);
  EXPECT_EQ(desk.text(), "a\nx\nc\n");
}

TEST(LineTools, TheFiftyFirstCallDoesNothing) {
  ToolDesk desk("a\nb\n");
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(desk.Call("get_line_range", {{"start_line", 1}, {"end_line", 1}}).is_error);
  }
  for (int i = 0; i < 2; ++i) {
    const ToolReply reply = desk.Call("delete_lines", {{"start_line", 1}, {"end_line", 1}});
    EXPECT_TRUE(reply.is_error);
    EXPECT_TRUE(reply.limit_reached);
    EXPECT_EQ(reply.text, "limit reached: finish now");
  }
  EXPECT_EQ(desk.text(), "a\nb\n");
  EXPECT_EQ(desk.tools().calls(), 52U);
}

TEST(LineTools, BoundTheContent) {
  ToolDesk desk("a\n", {.max_content_bytes = 10, .max_run_content_bytes = 15});
  EXPECT_THAT(desk.Error("insert_at_line", {{"line", 1}, {"content", "12345678901"}}),
              HasSubstr("at most 10"));
  EXPECT_EQ(desk.Result("insert_at_line", {{"line", 1}, {"content", "1234567890"}})["success"],
            true);
  EXPECT_THAT(
      desk.Error("replace_lines", {{"start_line", 1}, {"end_line", 1}, {"new_content", "123456"}}),
      HasSubstr("together may have 15 bytes"));
  EXPECT_EQ(desk.Result("insert_at_line", {{"line", 1}, {"content", "12345"}})["success"], true);
  EXPECT_EQ(desk.Result("delete_lines", {{"start_line", 1}, {"end_line", 1}})["success"], true);
  EXPECT_EQ(desk.text(), "1234567890\n12345\n");
}

TEST(LineTools, ContentThatIsNotUtf8IsNoException) {
  ToolDesk desk("a\n");
  EXPECT_EQ(desk.Result("insert_at_line", {{"line", 1}, {"content", "\xff\xfe"}})["success"], true);
  EXPECT_EQ(desk.text(), "\xef\xbf\xbd\xef\xbf\xbd\na\n");
  EXPECT_FALSE(desk.Call("search_code", {{"pattern", "\xff"}}).is_error);
}

// --- search_code

TEST(SearchCode, FindsLines) {
  const struct {
    const char* name;
    std::string text;
    std::string pattern;
    std::vector<uint32_t> lines;
  } kCases[] = {
      {"plain", "abc\nxbx\nb\n", "b", {1, 2, 3}},
      {"once for each line", "bbb\nb", "b", {1, 2}},
      {"case counts", "B\nb\n", "b", {2}},
      {"plain before expression", "a.c\nabc\n", "a.c", {1}},
      {"expression", "abc\nxyz\n", "a.c", {1}},
      {"expression at the start", "abc\nxabc\n", "^a", {1}},
      {"expression at the end", "abc\nabcx\n", "c$", {1}},
      {"expression before a carriage return", "abc\r\nabcx\r\n", "c$", {1}},
      {"expression does not leave the line", "a\nb\n", "a\\sb", {}},
      {"empty lines", "a\n\nb\n", "^$", {2}},
      {"text over lines", "a\nb\nc\n", "b\nc", {2}},
      {"no match", "a\n", "x", {}},
      {"not an expression", "a\n", "(", {}},
      {"not an expression, but text", "f(\n", "f(", {1}},
      {"too complex", "a\n", "((a{100}){100}){100}", {}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ToolDesk desk(c.text);
    std::vector<uint32_t> lines;
    for (const Json& found : desk.Result("search_code", {{"pattern", c.pattern}})) {
      lines.push_back(found.value("line", 0U));
    }
    EXPECT_EQ(lines, c.lines);
  }
}

TEST(SearchCode, FindsTheTextAsItIsNow) {
  ToolDesk desk("one\ntwo\nthree\n");
  desk.Result("replace_lines", {{"start_line", 1}, {"end_line", 2}, {"new_content", "x\nnew"}});
  desk.Type(0, 0, "new top\n");
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "new"}}),
            Json::array({{{"new_line_before", 1}, {"content", "new top"}},
                         {{"in_lines_replaced_by_you", "1-2"}, {"content", "new"}}}));
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "two"}}), Json::array());
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "three"}})[0]["line"], 3);
}

TEST(SearchCode, BoundsWhatItTells) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "x\n";
  ToolDesk desk(text + "\xc3\xa4" + std::string(500, 'y') + "\n");
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "x"}}).size(), 50U);
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "x"}, {"max_results", "7"}}).size(), 7U);
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "x"}, {"max_results", 1000}}).size(), 200U);
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "y"}}),
            Json::array(
                {{{"line", 301}, {"content", "\xc3\xa4" + std::string(399, 'y')}, {"cut", true}}}));
}

TEST(SearchCode, BoundsTheWorkOfAnExpression) {
  const std::string pattern = "(x[ab]{500}){2}";
  const std::string text(2'000'000, 'a');
  const LineSearch search = SearchLines(text + "\n", pattern, 10);
  EXPECT_THAT(search.lines, ElementsAre());
  EXPECT_FALSE(search.is_complete);
  EXPECT_TRUE(SearchLines("a\n", pattern, 10).is_complete);
}

TEST(SearchCode, TakesAHundredThousandLines) {
  std::string text;
  for (int i = 1; i <= 100000; ++i) absl::StrAppend(&text, "line ", i, "\n");
  ToolDesk desk(text);
  desk.Type(0, 0, "top\n");
  EXPECT_EQ(desk.Result("search_code", {{"pattern", "9999\\d$"}})[9]["line"], 99999);
}

}  // namespace
}  // namespace cursorwire::room_agent
