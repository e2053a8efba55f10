#include "sandbox/status_pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>

namespace cursorwire::sandbox {
namespace {

using ::testing::Eq;
using ::testing::Optional;

TEST(ParseBwrapStatus, ReadsBothObjects) {
  // Written by bubblewrap 0.8.0.
  const BwrapStatus status = ParseBwrapStatus(
      "{ \"child-pid\": 27 ,\"ipc-namespace\": 4026532179 ,\"net-namespace\": 4026532182 }\n"
      "{ \"exit-code\": 3 }\n");
  EXPECT_EQ(status.child_pid, 27);
  EXPECT_THAT(status.exit_code, Optional(3));
}

TEST(ParseBwrapStatus, PassesByWhatItCannotRead) {
  for (const char* text : {"", "{", "\"child-pid\"", "{ \"child-pid\": ", "{ \"child-pid\": 12",
                           "{ \"child-pid\": \"12\" }", "{ \"child-pid\": 99999999999999 }",
                           "{ \"child-pid\": --3 }"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(ParseBwrapStatus(text).child_pid, 0);
    EXPECT_THAT(ParseBwrapStatus(text).exit_code, Eq(std::nullopt));
  }
}

TEST(StatusPipe, NeverWaitsAndEndsWithTheOtherEnd) {
  absl::StatusOr<StatusPipe> pipe = StatusPipe::Make();
  ASSERT_TRUE(pipe.ok());
  EXPECT_TRUE(pipe->Read());
  const std::string start = "{\"child-pid\":5}";
  ASSERT_EQ(::write(pipe->write_end(), start.data(), start.size()),
            static_cast<ssize_t>(start.size()));
  EXPECT_TRUE(pipe->Read());
  EXPECT_EQ(pipe->status().child_pid, 5);
  pipe->CloseWriteEnd();
  EXPECT_FALSE(pipe->Read());
  EXPECT_EQ(pipe->status().child_pid, 5);
}

}  // namespace
}  // namespace cursorwire::sandbox
