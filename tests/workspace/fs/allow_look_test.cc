#include "workspace/fs/allow_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/workspace.h"
#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::IsOkAndHolds;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using enum absl::StatusCode;

// A folder with docs/plan.txt, src/v1/a.txt, a link docs/current to src/v1, and secret.txt.
class LookTest : public ::testing::Test {
 protected:
  LookTest() {
    scratch_.Write("docs/plan.txt", "plan\n");
    scratch_.Write("src/v1/a.txt", "a\n");
    scratch_.Write("secret.txt", "secret\n");
    scratch_.MakeLink("docs/current", "../src/v1");
    scratch_.MakeLink("a-link", "secret.txt");
    handler_ = *LocalExecHandler::Create(
        scratch_.path(), {.look_policy = [this](const LookAction& look, const ActionContext&) {
          looks_.push_back(look);
          return decide_ ? decide_() : absl::OkStatus();
        }});
  }

  // What the policy was asked about, without the folder's own path.
  std::vector<std::string> TakePaths() {
    std::vector<std::string> paths;
    for (const LookAction& look : std::exchange(looks_, {})) {
      const std::string path = std::visit([](const auto& what) { return what.path; }, look);
      EXPECT_TRUE(path.starts_with(scratch_.path())) << path;
      paths.push_back(path.substr(scratch_.path().size()));
    }
    return paths;
  }

  ScratchFolder scratch_;
  std::vector<LookAction> looks_;
  std::function<absl::Status()> decide_;
  std::unique_ptr<LocalExecHandler> handler_;
};

TEST_F(LookTest, NamesThePlaceThatWillBeOpened) {
  const std::string uri = "file:///../src/%2e%2e" + scratch_.path();
  const struct {
    std::string asked;
    const char* file;    // "": no file
    const char* folder;  // "-": no folder
  } kCases[] = {
      {"secret.txt", "/secret.txt", "-"},
      {"./docs//plan.txt", "/docs/plan.txt", "-"},
      {"docs/plan.txt/", "/docs/plan.txt", "-"},
      {"src/../secret.txt", "/secret.txt", "-"},
      {"none/../secret.txt", "/secret.txt", "-"},
      {"a-link", "/secret.txt", "-"},
      {"docs/current/a.txt", "/src/v1/a.txt", "-"},
      {"docs/current/../plan.txt", "/docs/plan.txt", "-"},
      {scratch_.At("src/v1/a.txt"), "/src/v1/a.txt", "-"},
      {uri + "/secret.txt", "/secret.txt", "-"},
      {"file://localhost" + scratch_.path() + "/docs/%63urrent/a.txt", "/src/v1/a.txt", "-"},
      {"", "", ""},
      {".", "", ""},
      {uri, "", ""},
      {"src/", "", "/src"},
      {"docs/current", "", "/src/v1"},
      {"docs/current/..", "", "/docs"},
      {"Secret.txt", "", "-"},
      {"docs/%2e%2e/secret.txt", "", "-"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.asked);
    const bool has_file = *c.file != '\0';
    EXPECT_EQ(handler_->Read({.path = c.asked}, {}).ok(), has_file);
    const auto asked = [](const std::string& path) { return std::vector<std::string>{path}; };
    const bool has_folder = std::string(c.folder) != "-";
    EXPECT_EQ(TakePaths(), has_file ? asked(c.file) : std::vector<std::string>());
    EXPECT_EQ(handler_->Ls({.path = c.asked}, {}).ok(), has_folder);
    // A list of a file is refused by its kind, of which the policy may have heard.
    const std::vector<std::string> listed = TakePaths();
    if (has_folder) {
      EXPECT_EQ(listed, asked(c.folder));
    }
    EXPECT_EQ(handler_->Grep({.pattern = "e", .path = c.asked}, {}).ok(), has_file || has_folder);
    const std::vector<std::string> searched = TakePaths();
    if (has_file || has_folder) {
      EXPECT_EQ(searched, asked(has_file ? c.file : c.folder));
    }
  }
}

TEST_F(LookTest, TellsWhatIsSearchedFor) {
  ASSERT_THAT(handler_->Grep({.pattern = "x\xFF", .path = "src", .glob = "*.txt"}, {}),
              StatusIs(kInvalidArgument));
  ASSERT_THAT(handler_->Grep({.pattern = "x", .path = "src", .glob = "*.txt"}, {}), IsOk());
  ASSERT_THAT(looks_, SizeIs(1));
  const auto& search = std::get<SearchAction>(looks_[0]);
  EXPECT_EQ(search.pattern, "x");
  EXPECT_EQ(search.glob, "*.txt");
}

TEST_F(LookTest, IsRefusedInTheWordsOfThePolicy) {
  decide_ = [] { return absl::NotFoundError("only src"); };
  for (const absl::Status& status : {handler_->Read({.path = "secret.txt"}, {}).status(),
                                     handler_->Ls({.path = "docs"}, {}).status(),
                                     handler_->Grep({.pattern = "x", .path = "docs"}, {}).status(),
                                     handler_->Grep({.path = "docs", .glob = "*"}, {}).status()}) {
    EXPECT_THAT(status, StatusIs(kPermissionDenied, HasSubstr("only src")));
  }
  decide_ = []() -> absl::Status { throw std::runtime_error("mine"); };
  EXPECT_THAT(handler_->Read({.path = "secret.txt"}, {}), StatusIs(kPermissionDenied));
}

TEST_F(LookTest, ReadsTheVeryFileThatWasDecidedOn) {
  decide_ = [this] {
    std::filesystem::remove(scratch_.At("src/v1/a.txt"));
    scratch_.MakeLink("src/v1/a.txt", "../../secret.txt");
    return absl::OkStatus();
  };
  EXPECT_EQ(handler_->Read({.path = "src/v1/a.txt"}, {})->content, "a\n");
}

TEST_F(LookTest, FollowsNoLinkThatTakesThePlaceMeanwhile) {
  scratch_.Write("other/v1/hidden.txt", "hidden\n");
  const auto replace = [this] {
    if (!std::filesystem::is_symlink(scratch_.At("src"))) {
      std::filesystem::rename(scratch_.At("src"), scratch_.At("old"));
      scratch_.MakeLink("src", "other");
    }
    return absl::OkStatus();
  };
  decide_ = replace;
  EXPECT_THAT(handler_->Ls({.path = "docs/current"}, {}), StatusIs(kPermissionDenied));
  std::filesystem::remove(scratch_.At("src"));
  std::filesystem::rename(scratch_.At("old"), scratch_.At("src"));
  EXPECT_THAT(handler_->Grep({.pattern = "h", .path = "docs/current"}, {}),
              StatusIs(kPermissionDenied));
}

TEST_F(LookTest, SeesItsOwnOutputOfCommandsToo) {
  std::vector<std::string> paths;
  const auto handler = *LocalExecHandler::Create(
      scratch_.path(),
      {.policy = [](const LocalAction&, const ActionContext&) { return absl::OkStatus(); },
       .look_policy =
           [&](const LookAction& look, const ActionContext&) {
             paths.push_back(std::get<ReadAction>(look).path);
             return absl::OkStatus();
           }});
  const auto shell = handler->Shell({.command = "echo out", .in_background = true}, {});
  ASSERT_THAT(shell, IsOk());
  const std::string file = shell->backgrounded->output_path;
  EXPECT_THAT(handler->Read({.path = file}, {}), IsOk());
  EXPECT_THAT(paths, ElementsAre(std::filesystem::canonical(file).string()));
}

TEST_F(LookTest, IsNotAskedAboutWithoutAPolicy) {
  const auto handler = *LocalExecHandler::Create(scratch_.path());
  EXPECT_EQ(handler->Read({.path = "a-link"}, {})->content, "secret\n");
  EXPECT_EQ(handler->Ls({.path = "docs/current"}, {})->root.path, scratch_.At("docs/current"));
}

TEST_F(LookTest, TellsRealPathsOfWhatMayNotExist) {
  EXPECT_THAT(handler_->RealPath("docs/current/new/b.txt"),
              IsOkAndHolds(scratch_.At("src/v1/new/b.txt")));
  EXPECT_THAT(handler_->RealPath("file://" + scratch_.path() + "/a%2dlink"),
              IsOkAndHolds(scratch_.At("secret.txt")));
  EXPECT_THAT(handler_->RealPath("../x"), StatusIs(kPermissionDenied));
  EXPECT_THAT(handler_->RealPath(""), StatusIs(kInvalidArgument));
}

TEST(LocalExecHandlerWithoutFolder, RefusesEverything) {
  const auto handler = LocalExecHandler::CreateWithoutFolder("nothing is shown");
  Environment environment;
  handler->Describe(environment);
  handler->KillCommands();
  EXPECT_EQ(environment.workspace + environment.terminals_folder + handler->folder() +
                handler->terminals_folder(),
            "");
  const ExecArgs kAll[] = {ReadArgs{},
                           LsArgs{},
                           GrepArgs{},
                           WriteArgs{},
                           DeleteArgs{},
                           ShellArgs{},
                           BackgroundShellArgs{},
                           WriteShellStdinArgs{}};
  for (const ExecArgs& args : kAll) {
    EXPECT_THAT(CallExecHandler(*handler, args, {}),
                StatusIs(kPermissionDenied, HasSubstr("nothing is shown")));
  }
  EXPECT_THAT(handler->RealPath("a"), StatusIs(kPermissionDenied));
}

}  // namespace
}  // namespace cursorwire::workspace
