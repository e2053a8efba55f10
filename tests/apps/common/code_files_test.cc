#include "common/code_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_apps {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::ScratchFolder;
using cursorwire::test::StatusIs;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(CodeFiles, AreNamedByTheWordsOfACommandAndTheirParts) {
  const ScratchFolder scratch;
  std::filesystem::create_directory(scratch.At("scripts"));
  std::filesystem::create_directories(scratch.At("a/b c"));
  for (const char* file : {"scripts/run.sh", "conf.json", "run.mk", "run me.sh", "a/b c/x.sh"}) {
    scratch.Write(file, "");
  }
  const struct {
    std::vector<std::string> command;
    const char* file;  // of the folder
  } kCases[] = {
      {{"./scripts/run.sh"}, "scripts/run.sh"},
      {{"make", "-f", "run.mk"}, "run.mk"},
      {{"none/yet.sh"}, "none/yet.sh"},
      {{"sh", "absent.sh"}, "absent.sh"},
      {{"sh", "-c", "cd scripts && sh soon.sh"}, "scripts/soon.sh"},
      {{"sh", "-c", "./scripts/run.sh"}, "scripts/run.sh"},
      {{"sh", "-c", "./scripts/run.sh --short"}, "scripts/run.sh"},
      {{"sh", "-c", "cd scripts && sh run.sh"}, "scripts/run.sh"},
      {{"sh", "-c", "(cd ./scripts/;sh 'run.sh')"}, "scripts/run.sh"},
      {{"bash", "-lc", "scripts/run.sh | head -c 100"}, "scripts/run.sh"},
      {{"bash", "-c", "X=$(scripts/run.sh) exec x"}, "scripts/run.sh"},
      {{"bash", "-c", "\"$PWD/scripts/run.sh\""}, "scripts/run.sh"},
      {{"bash", "-c", "\"${PWD}\"/scripts/run.sh"}, "scripts/run.sh"},
      {{"sh", "-c", "sh \"run me.sh\""}, "run me.sh"},
      {{"sh", "-c", "cd a; cd 'b c' && sh x.sh"}, "a/b c/x.sh"},
      {{"sh", "-c", "sh run\\ me.sh"}, "run me.sh"},
      {{"sh", "-c", "cd a/b\\ c && sh x.sh"}, "a/b c/x.sh"},
      {{"sh", "-c", "sh \\\nscripts/run.sh\\\n --short"}, "scripts/run.sh"},
      {{"sh", "-c", "cd scripts && \\\r\n./run.sh"}, "scripts/run.sh"},
      {{"sh", "-c", "cd 'a'/'b c' && ./x.sh"}, "a/b c/x.sh"},
      {{"sh", "-c", "'a/b c'/x.sh"}, "a/b c/x.sh"},
      {{"sh", "-c", "echo it\\'s; sh 'run me.sh'"}, "run me.sh"},
      {{"sh", "-c", "# it's here\nsh \"run me.sh\""}, "run me.sh"},
      {{"sh", "-c", "sh -c \"sh -c \\\"./scripts/run.sh\\\"\""}, "scripts/run.sh"},
      {{"make", "-frun.mk"}, "run.mk"},
      {{"sh", "-c", "sed -nfrun.mk"}, "run.mk"},
      {{"server", "--config=conf.json"}, "conf.json"},
      {{"env", "PATH=/usr/bin:scripts/none", "x"}, "scripts/none"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(::testing::PrintToString(c.command));
    std::vector<std::string> files;
    EXPECT_THAT(AddCodeFiles(c.command, scratch.path(), files), IsOk());
    EXPECT_THAT(files, Contains(scratch.At(c.file)));
  }
}

TEST(CodeFiles, MayLieInAFolderWithABlank) {
  const ScratchFolder scratch;
  for (const char* folder : {"w c", "w=c", "w,(c)"}) {
    std::filesystem::create_directory(scratch.At(folder));
    for (const char* text : {"\"$PWD\"/run.sh", "$PWD/run.sh", "sh \"${PWD}/run.sh\""}) {
      SCOPED_TRACE(text);
      std::vector<std::string> files;
      EXPECT_THAT(AddCodeFiles({"sh", "-c", text}, scratch.At(folder), files), IsOk());
      EXPECT_THAT(files, Contains(scratch.At(folder) + "/run.sh"));
    }
  }
}

TEST(CodeFiles, OfNoFolderLieInTheCurrentOne) {
  const std::string here = std::filesystem::current_path().string();
  std::vector<std::string> files;
  EXPECT_THAT(AddCodeFiles({"sh", "-c", "\"$PWD\"/x/run.sh; y/run.sh"}, "", files), IsOk());
  EXPECT_THAT(files, Contains(here + "/x/run.sh"));
  EXPECT_THAT(files, Contains(here + "/y/run.sh"));
}

TEST(CodeFiles, MayLieInTheHomeFolder) {
  for (const char* word : {"cd ~ && sh x/run.sh", "cd; sh x/run.sh", "exec ~/x/run.sh",
                           "exec $HOME/x/run.sh", "sh \"${HOME}\"/x/run.sh"}) {
    SCOPED_TRACE(word);
    std::vector<std::string> files;
    EXPECT_THAT(AddCodeFiles({"sh", "-c", word}, "/", files), IsOk());
    EXPECT_THAT(files, Contains(std::string(std::getenv("HOME")) + "/x/run.sh"));
  }
}

TEST(CodeFiles, AreNotWordsOfOtherKinds) {
  const ScratchFolder scratch;
  scratch.Write("conf.json", "");
  std::vector<std::string> files;
  EXPECT_THAT(AddCodeFiles({"", "conf", "-c", "  ", "echo;conf"}, scratch.path(), files), IsOk());
  EXPECT_THAT(files, IsEmpty());
  AddCodeFile("", files);
  EXPECT_THAT(files, IsEmpty());
  EXPECT_THAT(AddCodeFiles({"a=conf.json"}, scratch.path(), files), IsOk());
  EXPECT_THAT(files, Contains(scratch.At("conf.json")));
  EXPECT_THAT(files, Not(Contains(scratch.path())));
}

// As the kernel resolves them, and as a shell does that goes there.
TEST(CodeFiles, AreFoundThroughLinksToFolders) {
  const ScratchFolder scratch;
  scratch.Write("tools/linux/lib/run.sh", "");
  scratch.MakeFolder("tools/linux/bin");
  scratch.MakeLink("bin", "tools/linux/bin");
  const std::vector<std::string> kCommands[] = {
      {"bin/../lib/run.sh"},
      {"sh", "bin/../lib/run.sh"},
      {"sh", "-c", "bin/../lib/run.sh"},
      {"sh", "-c", "cd bin && ../lib/run.sh"},
      {"sh", "-c", "cd -P bin && cd .. && lib/run.sh"},
      {"sh", "-c", "cd tools && cd linux && sh lib/run.sh"},
  };
  for (const std::vector<std::string>& command : kCommands) {
    SCOPED_TRACE(::testing::PrintToString(command));
    std::vector<std::string> files;
    EXPECT_THAT(AddCodeFiles(command, scratch.path(), files), IsOk());
    EXPECT_TRUE(std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      std::error_code error;
      return std::filesystem::equivalent(file, scratch.At("tools/linux/lib/run.sh"), error);
    })) << ::testing::PrintToString(files);
  }
  std::vector<std::string> files;
  AddCodeFile(scratch.At("bin/../lib/run.sh"), files);
  EXPECT_THAT(files, ElementsAre(scratch.At("bin/../lib/run.sh"), scratch.At("lib/run.sh")));
}

TEST(CodeFiles, AreRefusedWhereTheyAreTooMany) {
  const ScratchFolder scratch;
  scratch.Write("scripts/run.sh", "");
  std::string text;
  for (int folder = 0; folder < 100; ++folder) {
    scratch.MakeFolder("d" + std::to_string(folder));
    text += "cd d" + std::to_string(folder) + "; ";
  }
  const std::string then = "cd scripts && ./run.sh";
  std::vector<std::string> files;
  EXPECT_THAT(AddCodeFiles({"sh", "-c", text + then}, scratch.path(), files), IsOk());
  EXPECT_THAT(files, Contains(scratch.At("scripts/./run.sh")));
  for (int folder = 100; folder < 300; ++folder) {
    scratch.MakeFolder("d" + std::to_string(folder));
    text += "cd d" + std::to_string(folder) + "; ";
  }
  EXPECT_THAT(AddCodeFiles({"sh", "-c", text + then}, scratch.path(), files),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("256 folders")));
  for (int word = 0; word < 5000; ++word) text += "w" + std::to_string(word) + " ";
  EXPECT_THAT(AddCodeFiles({"sh", "-c", text + then}, scratch.path(), files),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("4096 files")));
}

}  // namespace
}  // namespace cursor_apps
