#include "base/file_descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

namespace cursorwire {
namespace {

TEST(FileDescriptor, IsClosedOnceByItsLastOwner) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  const FileDescriptor read_end(fds[0]);
  FileDescriptor first(fds[1]);
  FileDescriptor second(std::move(first));
  EXPECT_FALSE(first.valid());  // NOLINT(bugprone-use-after-move)
  EXPECT_EQ(second.get(), fds[1]);
  FileDescriptor third;
  third = std::move(second);
  FileDescriptor& same = third;
  third = std::move(same);
  ASSERT_TRUE(third.valid());
  EXPECT_NE(::fcntl(third.get(), F_GETFD), -1);
  third.Reset();
  EXPECT_FALSE(third.valid());
  EXPECT_EQ(::fcntl(fds[1], F_GETFD), -1);
  third.Reset();
}

TEST(FileDescriptor, IsNotClosedIfItIsReleased) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  const FileDescriptor read_end(fds[0]);
  {
    FileDescriptor write_end(fds[1]);
    EXPECT_EQ(write_end.Release(), fds[1]);
    EXPECT_FALSE(write_end.valid());
  }
  EXPECT_EQ(::close(fds[1]), 0);
}

}  // namespace
}  // namespace cursorwire
