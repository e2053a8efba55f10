#include "agent/run/request_context.h"

#include <gtest/gtest.h>

#include "support/hex.h"

namespace cursorwire::agent {
namespace {

TEST(MakeRequestContext, MatchesTheGoldenWithRules) {
  const ChatRequest request{
      .prompt = "p",
      .rules = {
          {.path = "/w/AGENTS.md", .content = "Be brief."},
          {.path = "/w/.cursor/rules/cc.mdc",
           .content = "Two spaces.",
           .use = RuleUse::kForFiles,
           .globs = {"*.cc", "*.h"}},
          {.path = "/w/.cursor/rules/db.mdc",
           .content = "Use SQL.",
           .use = RuleUse::kOnRequest,
           .description = "About the database"},
          {.path = "/w/.cursor/rules/rare.mdc", .content = "Rare.", .use = RuleUse::kByName}}};
  EXPECT_EQ(MakeRequestContext(request, {}, ToolOffer(ToolRegistry())).SerializeAsString(),
            test::Golden("request_context_rules.hex"));
}

TEST(MakeRequestContext, MatchesTheGoldenWithAProject) {
  const ChatRequest request{
      .prompt = "p",
      .project_layouts = {{.path = "/w",
                           .folders = {{.path = "/w/lib",
                                        .listed = false,
                                        .extension_counts = {{".cc", 7}},
                                        .file_count = 7}},
                           .files = {"a.cc"},
                           .listed = true,
                           .file_count = 8}},
      .git_repositories = {{.path = "/w", .branch = "main", .status = " M a.cc"}}};
  EXPECT_EQ(MakeRequestContext(request, {}, ToolOffer(ToolRegistry())).SerializeAsString(),
            test::Golden("request_context_project.hex"));
}

TEST(MakeRequestContext, TellsHowToUseServers) {
  ToolRegistry tools;
  tools.AddInstructions({.provider = "p", .server = "S", .text = "T"});
  const auto context = MakeRequestContext({.prompt = "p"}, {}, ToolOffer(tools));
  ASSERT_EQ(context.mcp_instructions_size(), 1);
  EXPECT_EQ(context.mcp_instructions(0).SerializeAsString(), "\x0A\x01S\x12\x01T\x1A\x01p");
}

}  // namespace
}  // namespace cursorwire::agent
