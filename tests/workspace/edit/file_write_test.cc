#include "workspace/edit/file_write.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "support/without_root_rights.h"
#include "workspace/fs/new_file.h"
#include "workspace/recorded_policy.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::RecordedPolicy;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::UnorderedElementsAre;
using enum absl::StatusCode;

namespace fs = std::filesystem;

class FileWriteTest : public testing::TestWithParam<Resolver> {
 protected:
  absl::StatusOr<WriteOutput> Write(const std::string& path, const std::string& content,
                                    std::stop_token stop = {}) {
    absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
    EXPECT_THAT(workspace, IsOk());
    options_.policy = policy_.Get();
    KnownFiles known;  // of an agent that has read nothing
    return WriteFile({*workspace, options_, options_.policy, known},
                     {.path = path, .content = content}, {.stop = stop});
  }

  std::string Content(const std::string& path) const {
    std::ifstream file(scratch_.At(path), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> Names(const std::string& folder = ".") const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(scratch_.At(folder))) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  mode_t ModeOf(const std::string& path) const {
    struct stat facts {};
    EXPECT_EQ(::stat(scratch_.At(path).c_str(), &facts), 0);
    return facts.st_mode & 07777;
  }

  ScratchFolder outside_;
  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  KnownFiles known_;
};

INSTANTIATE_TEST_SUITE_P(Resolvers, FileWriteTest,
                         testing::Values(Resolver::kKernel, Resolver::kWalk), [](const auto& test) {
                           return test.param == Resolver::kKernel ? "Kernel" : "Walk";
                         });

TEST_P(FileWriteTest, MakesAFileWithItsFolders) {
  const absl::StatusOr<WriteOutput> output = Write("a/b/c.txt", "one\ntwo");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->path, "a/b/c.txt");
  EXPECT_EQ(output->lines, 2);
  EXPECT_EQ(output->file_bytes, 7);
  EXPECT_EQ(output->content_after, std::nullopt);
  EXPECT_EQ(Content("a/b/c.txt"), "one\ntwo");
  EXPECT_THAT(Names("a/b"), ElementsAre("c.txt"));
  const auto action = policy_.last<WriteAction>();
  EXPECT_EQ(action.path, scratch_.At("a/b/c.txt"));
  EXPECT_TRUE(action.creates);
  EXPECT_TRUE(action.shown);
  EXPECT_EQ(action.diff, "--- /dev/null\n+++ " + scratch_.At("a/b/c.txt") +
                             "\n@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file\n");
}

TEST_P(FileWriteTest, ReplacesAFileAndKeepsItsMode) {
  scratch_.Write("run.sh", "old\n");
  ASSERT_EQ(::chmod(scratch_.At("run.sh").c_str(), 04750), 0);
  ASSERT_THAT(Write("run.sh", "new\n"), IsOk());
  EXPECT_EQ(Content("run.sh"), "new\n");
  EXPECT_EQ(ModeOf("run.sh"), 0750U);
  EXPECT_THAT(Names(), ElementsAre("run.sh"));
  const auto action = policy_.last<WriteAction>();
  EXPECT_FALSE(action.creates);
  EXPECT_THAT(action.diff, HasSubstr("@@ -1 +1 @@\n-old\n+new\n"));
  EXPECT_THAT(action.old_text, HasSubstr("old"));
}

TEST_P(FileWriteTest, NobodyElseMayOpenAReplacementBeforeItIsDressed) {
  const absl::StatusOr<OpenFile> folder =
      Workspace::Open(scratch_.path(), GetParam())->OpenFolder("");
  ASSERT_THAT(folder, IsOk());
  const mode_t old_umask = ::umask(0);
  const absl::StatusOr<NewFile> file = NewFile::CreateNamed(*folder, {.exists = true});
  ::umask(old_umask);
  ASSERT_THAT(file, IsOk());
  ASSERT_EQ(Names().size(), 1U);
  EXPECT_EQ(ModeOf(Names().front()), 0600U);
}

TEST_P(FileWriteTest, NewFilesHaveTheModeThatUmaskSays) {
  const mode_t old_umask = ::umask(027);
  const absl::StatusOr<WriteOutput> output = Write("sub/a", "");
  ::umask(old_umask);
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->lines, 0);
  EXPECT_EQ(ModeOf("sub/a"), 0640U);
  EXPECT_EQ(ModeOf("sub"), 0750U);
}

TEST_P(FileWriteTest, ShowsTheContentWhenAsked) {
  absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
  options_.policy = policy_.Get();
  options_.max_read_bytes = 3;
  const auto content_after = [&](const std::string& content) {
    return WriteFile({*workspace, options_, options_.policy, known_},
                     {.path = "a", .content = content, .return_content = true}, {})
        ->content_after;
  };
  EXPECT_THAT(content_after("abc"), Optional(std::string("abc")));
  EXPECT_EQ(content_after("abcd"), std::nullopt);
}

TEST_P(FileWriteTest, DoesNothingThatIsRefused) {
  scratch_.Write("a", "old");
  policy_.Refuse("use another file");
  EXPECT_THAT(Write("a", "new"), StatusIs(kPermissionDenied, "use another file"));
  EXPECT_THAT(Write("x/y", "new"), StatusIs(kPermissionDenied));
  EXPECT_EQ(Content("a"), "old");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_P(FileWriteTest, DoesNothingThatIsStopped) {
  scratch_.Write("a", "old");
  std::stop_source stop;
  policy_.Meanwhile([&] { stop.request_stop(); });
  EXPECT_THAT(Write("a", "new", stop.get_token()), StatusIs(kCancelled));
  EXPECT_EQ(policy_.actions().size(), 1U);
  EXPECT_THAT(Write("b", "new", stop.get_token()), StatusIs(kCancelled));
  EXPECT_EQ(policy_.actions().size(), 1U);  // nobody is asked any more
  EXPECT_EQ(Content("a"), "old");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST_P(FileWriteTest, RefusesToReplaceWhatWasNotShown) {
  const struct {
    const char* name;
    const char* path;
    std::function<void()> event;
    const char* content;
  } cases[] = {
      {"other bytes", "changed", [&] { scratch_.Write("changed", "newer"); }, "newer"},
      {"other bytes of the same size and time", "touched",
       [&] {
         scratch_.Write("touched", "OLD");
         scratch_.SetModified("touched", 1000);
       },
       "OLD"},
      {"another file", "replaced",
       [&] {
         scratch_.Write("other", "old");
         fs::rename(scratch_.At("other"), scratch_.At("replaced"));
       },
       "old"},
      {"removed", "gone", [&] { fs::remove(scratch_.At("gone")); }, ""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    scratch_.Write(c.path, "old");
    scratch_.SetModified(c.path, 1000);
    policy_.Meanwhile(c.event);
    EXPECT_THAT(Write(c.path, "mine"), StatusIs(kAborted, HasSubstr("read it again")));
    EXPECT_EQ(Content(c.path), c.content);
  }
  EXPECT_THAT(Names(), UnorderedElementsAre("changed", "touched", "replaced"));
}

TEST_P(FileWriteTest, RefusesToReplaceWhatWasMadeMeanwhile) {
  policy_.Meanwhile([&] { scratch_.Write("sub/a", "theirs"); });
  EXPECT_THAT(Write("sub/a", "mine"), StatusIs(kAborted));
  EXPECT_EQ(Content("sub/a"), "theirs");
  EXPECT_THAT(Names("sub"), ElementsAre("a"));
  policy_.Meanwhile([&] { scratch_.Write("b", "theirs"); });
  EXPECT_THAT(Write("b", "mine"), StatusIs(kAborted));
  EXPECT_EQ(Content("b"), "theirs");
}

TEST_P(FileWriteTest, LeavesNoFolderBehindThatItMadeForNothing) {
  scratch_.MakeFolder("theirs");
  std::stop_source stop;
  // A link is put where a folder is to be made: it must not lead anywhere.
  policy_.Meanwhile([&] { scratch_.MakeLink("theirs/a/b", outside_.path()); });
  EXPECT_FALSE(Write("theirs/a/b/c/d", "x").ok());
  EXPECT_THAT(Names("theirs"), ElementsAre("a"));
  EXPECT_TRUE(fs::is_empty(outside_.path()));
  // The name is too long for the file, and not for its folders.
  policy_.Decide(nullptr);
  EXPECT_FALSE(Write("theirs/x/y/" + std::string(300, 'n'), "x").ok());
  EXPECT_THAT(Names("theirs"), ElementsAre("a"));
}

TEST_P(FileWriteTest, StaysBelowTheFolder) {
  outside_.Write("file", "outside");
  scratch_.MakeLink("out", outside_.path());
  scratch_.MakeLink("out_file", outside_.At("file"));
  scratch_.MakeLink("up", "../" + fs::path(outside_.path()).filename().string() + "/file");
  scratch_.MakeLink("loop", "loop");
  for (const char* path : {"../x", "/etc/x", "out/x", "out_file", "up", "up/x", "loop", "loop/x"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(Write(path, "x"), StatusIs(kPermissionDenied));
  }
  EXPECT_THAT(policy_.actions(), IsEmpty());
  std::ifstream file(outside_.At("file"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "outside");
}

TEST_P(FileWriteTest, FollowsLinksThatStayWithin) {
  scratch_.Write("real/file", "old");
  scratch_.MakeLink("to_folder", "real");
  scratch_.MakeLink("sub/to_file", "../to_folder/file");
  scratch_.MakeLink("chain", "sub/to_file");
  scratch_.MakeLink("dangling", "real/new");
  scratch_.MakeLink("no_folder", "real/none/new");
  ASSERT_THAT(Write("chain", "1"), IsOk());
  EXPECT_EQ(policy_.last<WriteAction>().path, scratch_.At("real/file"));
  EXPECT_EQ(Content("real/file"), "1");
  EXPECT_TRUE(fs::is_symlink(scratch_.At("chain")));
  EXPECT_TRUE(fs::is_symlink(scratch_.At("sub/to_file")));
  ASSERT_THAT(Write("dangling", "2"), IsOk());
  EXPECT_EQ(Content("real/new"), "2");
  ASSERT_THAT(Write("to_folder/x/y", "3"), IsOk());
  EXPECT_EQ(policy_.last<WriteAction>().path, scratch_.At("real/x/y"));
  EXPECT_THAT(Write("no_folder", "4"), StatusIs(kNotFound));
  EXPECT_THAT(Write("to_folder", "5"), StatusIs(kInvalidArgument));
}

TEST_P(FileWriteTest, TakesRegularFilesAlone) {
  scratch_.MakeFolder("folder");
  scratch_.MakePipe("pipe");
  scratch_.Write("file", "");
  const std::string too_long(5000, 'x');
  for (const std::string& path :
       {std::string(), std::string("."), std::string("folder"), std::string("pipe"),
        std::string("file/x"), "file://" + scratch_.At("%FF"), too_long}) {
    SCOPED_TRACE(path.substr(0, 100));
    EXPECT_THAT(Write(path, "x"), StatusIs(kInvalidArgument));
  }
  EXPECT_THAT(policy_.actions(), IsEmpty());
}

TEST_P(FileWriteTest, SaysWhereADiffSaysNothing) {
  const auto diff = [&](const std::string& old_content, const std::string& content) {
    scratch_.Write("a", old_content);
    EXPECT_THAT(Write("a", content), IsOk());
    EXPECT_EQ(Content("a"), content);
    EXPECT_EQ(policy_.last<WriteAction>().shown, old_content == content);
    return policy_.last<WriteAction>().diff;
  };
  const std::string zero("\0", 1);
  EXPECT_EQ(diff("ab", zero), "Bytes that are no text: 1 bytes in place of 2.");
  EXPECT_EQ(diff("\xFF", "\xFE\xFE"), "Bytes that are no text: 2 bytes in place of 1.");
  EXPECT_EQ(diff(zero, "text"), "Bytes that are no text: 4 bytes in place of 1.");
  EXPECT_EQ(diff("a", "a"), "Nothing changes.");
  EXPECT_EQ(diff("a", std::string(2'000'000, 'x')),
            "The change is too large to be shown: 2000000 bytes in place of 1.");
  options_.max_write_bytes = 3;
  EXPECT_EQ(diff("abcd", "x"),
            "The old file cannot be read, or is too large to be shown: 1 bytes in place of 4.");
  EXPECT_THAT(Write("a", "abcd"), StatusIs(kInvalidArgument, HasSubstr("limit of 3")));
  EXPECT_THAT(Write("new", ""), IsOk());
  EXPECT_EQ(policy_.last<WriteAction>().diff, "An empty file.");
  EXPECT_TRUE(policy_.last<WriteAction>().shown);
}

TEST_P(FileWriteTest, KeepsTheEncodingOfTheFile) {
  const std::string mark = "\xEF\xBB\xBF";
  scratch_.Write("a", mark + "old\n");
  ASSERT_THAT(Write("a", "new\n"), IsOk());
  EXPECT_EQ(Content("a"), mark + "new\n");
  EXPECT_THAT(policy_.last<WriteAction>().diff, HasSubstr("-" + mark + "old\n+" + mark + "new\n"));
  ASSERT_THAT(Write("a", mark + "newer\n"), IsOk());
  EXPECT_EQ(Content("a"), mark + "newer\n") << "not twice";

  scratch_.Write("b", std::string("\xFE\xFF\0o\0l\0d\0\n", 10));
  const absl::StatusOr<WriteOutput> output = Write("b", "n\xC3\xA4\n");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(Content("b"), std::string("\xFE\xFF\0n\0\xE4\0\n", 8));
  EXPECT_EQ(output->file_bytes, 8);
  EXPECT_EQ(output->lines, 1);
  EXPECT_TRUE(policy_.last<WriteAction>().shown);
  EXPECT_THAT(policy_.last<WriteAction>().diff, HasSubstr("-old\n+n\xC3\xA4\n"));
}

TEST_P(FileWriteTest, RefusesTextWhereItWouldChangeAnEncoding) {
  scratch_.Write("a", "caf\xE9\n");
  EXPECT_THAT(Write("a", "caf\xC3\xA9\n"),
              StatusIs(kInvalidArgument, HasSubstr("another encoding than UTF-8")));
  EXPECT_EQ(Content("a"), "caf\xE9\n");
  EXPECT_THAT(policy_.actions(), IsEmpty()) << "nobody is asked";
  EXPECT_THAT(Write("a", ""), IsOk()) << "nothing of it is left";
}

TEST_P(FileWriteTest, WritesBytesAsTheyAre) {
  const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
  options_.policy = policy_.Get();
  for (const std::string old : {"caf\xE9\n",
                                "\xEF\xBB\xBF"
                                "old"}) {
    scratch_.Write("a", old);
    KnownFiles known;
    EXPECT_THAT(WriteFile({*workspace, options_, options_.policy, known},
                          {.path = "a", .content = "new\n", .is_text = false}, {}),
                IsOk());
    EXPECT_EQ(Content("a"), "new\n");
  }
}

TEST_P(FileWriteTest, KeepsToTheRightsOfTheUser) {
  scratch_.Write("read_only", "old");
  scratch_.Write("locked/file", "old");
  ASSERT_EQ(::chmod(scratch_.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(scratch_.At("read_only").c_str(), 0444), 0);
  ASSERT_EQ(::chmod(scratch_.At("locked").c_str(), 0555), 0);
  ASSERT_EQ(::chmod(scratch_.At("locked/file").c_str(), 0666), 0);
  {
    const test::WithoutRootRights without;
    EXPECT_THAT(Write("read_only", "new"), StatusIs(kPermissionDenied));
    EXPECT_THAT(Write("locked/file", "new"), StatusIs(kPermissionDenied));
    EXPECT_THAT(Write("locked/new", "new"), StatusIs(kPermissionDenied));
  }
  ASSERT_EQ(::chmod(scratch_.At("locked").c_str(), 0755), 0);
  EXPECT_EQ(Content("read_only"), "old");
  EXPECT_EQ(Content("locked/file"), "old");
  EXPECT_THAT(Names("locked"), ElementsAre("file"));
}

// A file that cannot grow stands for a device that is full.
TEST_P(FileWriteTest, LosesNothingWhereItFails) {
  scratch_.Write("a", "old");
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 100, .rlim_max = old_limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::StatusOr<WriteOutput> replaced = Write("a", std::string(1000, 'x'));
  const absl::StatusOr<WriteOutput> made = Write("b/c", std::string(1000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(replaced.ok());
  EXPECT_FALSE(made.ok());
  EXPECT_EQ(Content("a"), "old");
  EXPECT_THAT(Names(), ElementsAre("a"));
}

TEST(FileWriteErrors, TellOfADeviceThatIsFull) {
  EXPECT_THAT(ChangeError(ENOSPC), StatusIs(kResourceExhausted));
  EXPECT_THAT(ChangeError(EDQUOT), StatusIs(kResourceExhausted));
  EXPECT_THAT(ChangeError(EROFS), StatusIs(kPermissionDenied));
  EXPECT_THAT(ChangeError(ENOENT), StatusIs(kNotFound));
}

TEST_P(FileWriteTest, ServesSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path(), GetParam());
      const LocalExecOptions options{.policy = policy_.Get()};
      const std::string name = "deep/folder/" + std::to_string(i);
      EXPECT_THAT(WriteFile({*workspace, options, options.policy, known_},
                            {.path = name, .content = name}, {}),
                  IsOk());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(Names("deep/folder"), UnorderedElementsAre("0", "1", "2", "3", "4", "5", "6", "7"));
  EXPECT_EQ(Content("deep/folder/7"), "deep/folder/7");
}

}  // namespace
}  // namespace cursorwire::workspace
