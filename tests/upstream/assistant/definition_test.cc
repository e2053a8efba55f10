#include "upstream/assistant/definition.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "upstream/assistant/assistant_client.h"

namespace cursorwire::upstream {
namespace {

TEST(DefinitionScore, TellsDefinitionsFromUses) {
  // Best first; the last are no definitions.
  constexpr const char* kDefinitions[] = {
      "class Foo {",
      "class Foo final : public Bar {",
      "class BAR_EXPORT Foo final : public Bar {",
      "struct API Foo {",
      "  enum class Foo { kA };",
      "struct Foo",
      "message Foo {",
      "def Foo(self):",
      "#define Foo 1",
      "func Foo() error {",
      "using Foo = int;",
      "constexpr int Foo = 3;",
      "int Foo(int x) {",
      "std::string Foo(std::string_view text) {",
      "absl::StatusOr<Foo> Bar::Foo(int x) {",
      "std::string Foo(std::string_view text);",
      "class Foo;",
      "friend class Foo;",
  };
  int last = 5;
  for (const char* line : kDefinitions) {
    SCOPED_TRACE(line);
    const int score = DefinitionScore("a.h", line, "Foo");
    EXPECT_GT(score, 0);
    EXPECT_LE(score, last);
    EXPECT_GE(DefinitionScore("a.h", line, "Bar::Foo"), score);
    last = score;
  }
  constexpr const char* kUses[] = {
      "return Foo(x);",  "  Foo(x);",           "// class Foo is nice",      "x = Foo(1);",
      "if (Foo(x)) {",   "StrCat(a, Foo(b));",  "return code == Foo;",       "new Foo(1);",
      "class FooBar {",  "class NotFoo {",      "auto x = y.Foo(z);",        "Foo foo;",
      "EXPECT_EQ(Foo);", "throw Foo(message);", "#   about      Foo() here",
  };
  for (const char* line : kUses) {
    SCOPED_TRACE(line);
    EXPECT_EQ(DefinitionScore("a.h", line, "Foo"), 0);
  }
  EXPECT_EQ(DefinitionScore("a.md", "class Foo {", "Foo"), 1);
}

}  // namespace
}  // namespace cursorwire::upstream
