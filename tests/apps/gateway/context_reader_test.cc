#include "documents/document_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "api/api_error.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(ReadEditorContext, ReadsWhatAnEditorShows) {
  const auto context = ReadEditorContext(json::parse(R"({
      "rules": ["Be brief.", "No jokes."],
      "workspacePath": "/w",
      "openFiles": ["a.cc", {"path": "b.cc", "cursor": {"line": 3, "character": 7}, "more": 1,
          "selection": {"start": {"line": 3}, "text": "int"}, "content": ""}],
      "recentFiles": ["c.cc", {"path": "d.cc"}],
      "cursorPosition": {"path": "a.cc", "line": 1, "column": 2},
      "projectLayout": {"src": ["a.cc"]},
      "gitStatus": "clean",
      "linterErrors": ["odd", {"path": "a.cc", "line": 4, "severity": 8, "message": "unused"},
          {"file": "x"}],
      "unknown": 1})"));
  ASSERT_THAT(context, IsOk());
  EXPECT_THAT(context->instructions, ElementsAre("Be brief.", "No jokes."));
  EXPECT_EQ(context->workspace_path, "/w");
  ASSERT_THAT(context->open_files, SizeIs(2));
  EXPECT_EQ(context->open_files[0].path, "a.cc");
  EXPECT_FALSE(context->open_files[0].content);
  EXPECT_EQ(context->open_files[1].path, "b.cc");
  EXPECT_EQ(context->open_files[1].cursor->line, 3);
  EXPECT_EQ(context->open_files[1].cursor->column, 7);
  EXPECT_EQ(context->open_files[1].selection->start->line, 3);
  EXPECT_FALSE(context->open_files[1].selection->end);
  EXPECT_EQ(context->open_files[1].selection->text, "int");
  EXPECT_EQ(context->open_files[1].content, "");
  EXPECT_THAT(context->recent_files, ElementsAre("c.cc", "d.cc"));
  EXPECT_EQ(context->cursor->path, "a.cc");
  EXPECT_EQ(context->cursor->position.column, 2);
  EXPECT_EQ(context->project_layout, R"({"src":["a.cc"]})");
  EXPECT_EQ(context->git_status, "clean");
  ASSERT_THAT(context->linter_errors, SizeIs(3));
  EXPECT_EQ(context->linter_errors[0].message, "odd");
  EXPECT_EQ(context->linter_errors[1].message, "unused");
  EXPECT_EQ(context->linter_errors[1].severity, "8");
  EXPECT_EQ(context->linter_errors[1].position->line, 4);
  EXPECT_EQ(context->linter_errors[2].message, R"({"file":"x"})");
}

TEST(ReadEditorContext, NamesTheFieldThatIsWrong) {
  const auto param = [](const char* text) {
    const auto context = ReadEditorContext(json::parse(text));
    EXPECT_FALSE(context.ok()) << text;
    return ApiErrorOf(context.status()).param;
  };
  EXPECT_EQ(param("[]"), "context");
  EXPECT_EQ(param(R"({"rules": [1]})"), "context.rules");
  EXPECT_EQ(param(R"({"workspacePath": 1})"), "context.workspacePath");
  EXPECT_EQ(param(R"({"openFiles": "a"})"), "context.openFiles");
  EXPECT_EQ(param(R"({"openFiles": [{"name": "a"}]})"), "context.openFiles");
  EXPECT_EQ(param(R"({"openFiles": [{"path": "a", "content": 1}]})"), "context.openFiles.content");
  EXPECT_EQ(param(R"({"openFiles": [{"path": "a", "cursor": 1}]})"), "context.openFiles.cursor");
  EXPECT_EQ(param(R"({"openFiles": [{"path": "a", "selection": "x"}]})"),
            "context.openFiles.selection");
  EXPECT_EQ(param(R"({"openFiles": [{"path": "a", "selection": {"end": {}}}]})"),
            "context.openFiles.selection.end");
  EXPECT_EQ(param(R"({"recentFiles": [null]})"), "context.recentFiles");
  EXPECT_EQ(param(R"({"cursorPosition": {"line": 1.5}})"), "context.cursorPosition");
  EXPECT_EQ(param(R"({"cursorPosition": {"line": 1, "path": 2}})"), "context.cursorPosition.path");
  EXPECT_EQ(param(R"({"linterErrors": {}})"), "context.linterErrors");
  EXPECT_EQ(param(R"({"cursorPosition": {"line": 18446744073709551615}})"),
            "context.cursorPosition");
  for (const char* name : {"openFiles", "recentFiles", "linterErrors"}) {
    json full = {{name, json(kMaxContextElements, "a")}};
    EXPECT_TRUE(ReadEditorContext(full).ok());
    full[name].push_back("a");
    EXPECT_EQ(param(full.dump().c_str()), std::string("context.") + name);
  }
  const std::string half(kMaxContextRuleBytes / 2 + 1, 'x');
  EXPECT_EQ(param(json({{"rules", {half, half}}}).dump().c_str()), "context.rules");
}

}  // namespace
}  // namespace cursor_gateway
