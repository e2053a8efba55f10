#include "sandbox/mount_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/status_matchers.h"

namespace cursorwire::sandbox {
namespace {

using absl::StatusCode;
using test::IsOk;
using test::StatusIs;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGood =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "36 22 0:31 /a\\040b /mnt/tab\\011new\\012back\\134 ro,nosuid master:1 propagate_from:2 - "
    "fuse.sshfs u@h:/x rw\n"
    "37 36 0:32 / /mnt/\xff\xfe rw - tmpfs  rw,size=1k\n"
    "38 22 0:4 net:[4026531840] /run/netns/x rw shared:5 - nsfs nsfs rw\n";

TEST(MountTable, ReadsEachPart) {
  const absl::StatusOr<MountTable> table = ParseMountTable(kGood);
  ASSERT_THAT(table, IsOk());
  ASSERT_EQ(table->size(), 4U);
  EXPECT_EQ(table->at(22).mount_point, "/");
  const TableMount& escaped = table->at(36);
  EXPECT_EQ(escaped.parent, 22U);
  EXPECT_EQ(escaped.root, "/a b");
  EXPECT_EQ(escaped.mount_point, "/mnt/tab\tnew\nback\\");
  EXPECT_EQ(escaped.type, "fuse.sshfs");
  EXPECT_EQ(table->at(37).mount_point, "/mnt/\xff\xfe");
  EXPECT_EQ(table->at(37).type, "tmpfs");
  EXPECT_EQ(table->at(38).root, "net:[4026531840]");
}

TEST(MountTable, NothingIsNoMounts) {
  const absl::StatusOr<MountTable> table = ParseMountTable("");
  ASSERT_THAT(table, IsOk());
  EXPECT_THAT(*table, IsEmpty());
}

// A path cannot end its line, nor begin another field.
TEST(MountTable, EscapedBytesAreNoSeparators) {
  const absl::StatusOr<MountTable> table =
      ParseMountTable("1 0 0:1 / /a\\012\\0401\\0400\\0400:1\\040/\\040/tmp rw - tmpfs x rw\n");
  ASSERT_THAT(table, IsOk());
  ASSERT_EQ(table->size(), 1U);
  EXPECT_EQ(table->begin()->second.mount_point, "/a\n 1 0 0:1 / /tmp");
}

TEST(MountTable, RefusesMalformedLines) {
  for (const std::string_view line : {
           "\n",
           "x 1 8:1 / / rw - ext4 s rw\n",
           "-2 1 8:1 / / rw - ext4 s rw\n",
           "+2 1 8:1 / / rw - ext4 s rw\n",
           "2x 1 8:1 / / rw - ext4 s rw\n",
           "4294967296 1 8:1 / / rw - ext4 s rw\n",
           "2  8:1 / / rw - ext4 s rw\n",
           "2 1 81 / / rw - ext4 s rw\n",
           "2 1 8:1  / rw - ext4 s rw\n",
           "2 1 8:1 / mnt rw - ext4 s rw\n",
           "2 1 8:1 /  rw - ext4 s rw\n",
           "2 1 8:1 / /\n",
           "2 1 8:1 / /  - ext4 s rw\n",
           "2 1 8:1 / / rw\n",
           "2 1 8:1 / / rw  - ext4 s rw\n",
           "2 1 8:1 / / rw shared:1 ext4 s rw\n",
           "2 1 8:1 / / rw -\n",
           "2 1 8:1 / / rw - \n",
           "2 1 8:1 / / rw - ext4\n",
           "2 1 8:1 / /\\ rw - ext4 s rw\n",
           "2 1 8:1 / /\\04 rw - ext4 s rw\n",
           "2 1 8:1 / /\\049 rw - ext4 s rw\n",
           "2 1 8:1 / /\\-40 rw - ext4 s rw\n",
           "2 1 8:1 / /\\000 rw - ext4 s rw\n",
           "2 1 8:1 / /\\400 rw - ext4 s rw\n",
           "2 1 8:1 / / rw - ext4 s rw",
       }) {
    EXPECT_THAT(ParseMountTable(line), StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 1")))
        << line;
  }
  constexpr char kWithZero[] = "2 1 8:1 / /a\0b rw - ext4 s rw\n";
  EXPECT_THAT(ParseMountTable({kWithZero, sizeof(kWithZero) - 1}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseMountTable(std::string(kGood) + "2 1\n"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 5")));
  EXPECT_THAT(ParseMountTable(std::string(kGood) + std::string(kGood)),
              StatusIs(StatusCode::kInvalidArgument));
}

// Wherever it is cut, it is whole lines or an error.
TEST(MountTable, CutTextIsNeverTakenForMore) {
  for (size_t size = 0; size < kGood.size(); ++size) {
    const std::string_view part = kGood.substr(0, size);
    EXPECT_EQ(ParseMountTable(part).ok(), part.empty() || part.ends_with('\n')) << size;
  }
}

TEST(MountTable, IsBounded) {
  EXPECT_THAT(ParseMountTable(std::string(kMaxMountTableBytes + 1, '\n')),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::sandbox
