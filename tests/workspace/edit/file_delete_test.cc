#include "workspace/edit/file_delete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"
#include "workspace/recorded_policy.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::RecordedPolicy;
using test::ScratchFolder;
using test::StatusIs;
using ::testing::IsEmpty;
using enum absl::StatusCode;

namespace fs = std::filesystem;

class FileDeleteTest : public testing::Test {
 protected:
  absl::StatusOr<DeleteOutput> Delete(const std::string& path, std::stop_token stop = {}) {
    const absl::StatusOr<Workspace> workspace = Workspace::Open(scratch_.path());
    EXPECT_THAT(workspace, IsOk());
    options_.policy = policy_.Get();
    return DeleteFile({*workspace, options_, options_.policy, known_}, {.path = path},
                      {.stop = stop});
  }
  bool Exists(const std::string& path) const {
    return fs::exists(fs::symlink_status(scratch_.At(path)));
  }

  ScratchFolder outside_;
  ScratchFolder scratch_;
  RecordedPolicy policy_;
  LocalExecOptions options_;
  KnownFiles known_;
};

TEST_F(FileDeleteTest, RemovesAFile) {
  scratch_.Write("sub/a", "text\n");
  const absl::StatusOr<DeleteOutput> output = Delete("sub/a");
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->path, "sub/a");
  EXPECT_EQ(output->deleted_file, scratch_.At("sub/a"));
  EXPECT_EQ(output->file_bytes, 5);
  EXPECT_EQ(output->previous_content, "text\n");
  EXPECT_FALSE(Exists("sub/a"));
  EXPECT_EQ(policy_.last<DeleteAction>().path, scratch_.At("sub/a"));
}

TEST_F(FileDeleteTest, TellsOfTextOfModerateSizeAlone) {
  options_.max_read_bytes = 3;
  scratch_.Write("large", "text");
  scratch_.Write("bytes", "\xFF");
  const absl::StatusOr<DeleteOutput> large = Delete("large");
  ASSERT_THAT(large, IsOk());
  EXPECT_EQ(large->previous_content, "");
  EXPECT_EQ(large->file_bytes, 4);
  EXPECT_EQ(Delete("bytes")->previous_content, "");
}

TEST_F(FileDeleteTest, RemovesALinkAndNotItsTarget) {
  outside_.Write("file", "");
  scratch_.Write("file", "");
  scratch_.MakeFolder("folder");
  scratch_.MakeLink("out", outside_.At("file"));
  scratch_.MakeLink("within", "file");
  scratch_.MakeLink("to_folder", "folder");
  scratch_.MakeLink("dangling", "none");
  for (const char* path : {"out", "within", "to_folder", "dangling"}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(Delete(path), IsOk());
    EXPECT_FALSE(Exists(path));
  }
  EXPECT_TRUE(fs::exists(outside_.At("file")));
  EXPECT_TRUE(Exists("file"));
  EXPECT_TRUE(Exists("folder"));
}

TEST_F(FileDeleteTest, RefusesTheRest) {
  outside_.Write("file", "");
  scratch_.MakeFolder("folder");
  scratch_.MakePipe("pipe");
  scratch_.Write("file", "");
  scratch_.MakeLink("out", outside_.path());
  const struct {
    const char* path;
    absl::StatusCode code;
  } cases[] = {
      {"", kInvalidArgument},      {"folder", kInvalidArgument},    {"pipe", kInvalidArgument},
      {"none", kNotFound},         {"none/x", kNotFound},           {"file/x", kInvalidArgument},
      {"../x", kPermissionDenied}, {"out/file", kPermissionDenied},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    EXPECT_THAT(Delete(c.path), StatusIs(c.code));
  }
  EXPECT_THAT(policy_.actions(), IsEmpty());
  EXPECT_TRUE(fs::exists(outside_.At("file")));
}

TEST_F(FileDeleteTest, AsksThePolicy) {
  scratch_.Write("a", "");
  policy_.Refuse("no");
  EXPECT_THAT(Delete("a"), StatusIs(kPermissionDenied, "no"));
  std::stop_source stop;
  policy_.Meanwhile([&] { stop.request_stop(); });
  EXPECT_THAT(Delete("a", stop.get_token()), StatusIs(kCancelled));
  policy_.Meanwhile([&] { scratch_.Write("a", "changed"); });
  EXPECT_THAT(Delete("a"), StatusIs(kAborted));
  EXPECT_TRUE(Exists("a"));
  policy_.Meanwhile([&] { fs::remove(scratch_.At("a")); });
  EXPECT_THAT(Delete("a"), StatusIs(kNotFound));
}

}  // namespace
}  // namespace cursorwire::workspace
