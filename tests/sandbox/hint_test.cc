#include "sandbox/hint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::sandbox {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Hint, NamesThePermission) {
  const struct {
    const char* output;
    const char* permission;
  } cases[] = {
      {"curl: (6) Could not resolve host: example.com\n", "\"network\""},
      {"getaddrinfo EAI_AGAIN registry.npmjs.org", "\"network\""},
      {"socket.gaierror: [Errno -3] Temporary failure in name resolution", "\"network\""},
      {"connect: Network is unreachable", "\"network\""},
      {"fatal: Unable to create '/ws/.git/index.lock': Read-only file system", "\"git_write\""},
      {"mv: cannot move '.git' to 'x': Device or resource busy", "\"git_write\""},
      {"error: could not write config file .git/config: Device or resource busy", "\"all\""},
      {"sh: 1: cannot create .git/hooks/pre-commit: Read-only file system", "\"all\""},
      {"touch: cannot touch '/etc/x': Read-only file system", "\"all\""},
      {"Error: EROFS: read-only file system, open '/home/u/.npm/x'", "\"all\""},
      {"Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "\"all\""},
      {"unshare: unshare failed: Operation not permitted", "\"all\""},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.output);
    EXPECT_THAT(Hint({}, c.output), AllOf(HasSubstr(c.permission), Not(HasSubstr("\n"))));
  }
}

TEST(Hint, IsEmptyWhereNothingFits) {
  EXPECT_THAT(Hint({}, ""), IsEmpty());
  EXPECT_THAT(Hint({}, "\n\n"), IsEmpty());
  EXPECT_THAT(Hint({}, "error: expected ';'\nmake: *** [all] Error 1\n"), IsEmpty());
}

TEST(Hint, DoesNotOfferWhatIsOpen) {
  EXPECT_THAT(Hint({.network = true}, "Could not resolve host: nowhere"), IsEmpty());
  EXPECT_THAT(Hint({.git_write = true}, "'/ws/.git/index.lock': Read-only file system"),
              Not(HasSubstr("git_write")));
}

TEST(Hint, SaysThatTheWorkspaceIsReadOnly) {
  EXPECT_THAT(Hint({.workspace = WorkspaceAccess::kRead}, "x: Read-only file system"),
              HasSubstr("the workspace is read-only"));
}

TEST(Hint, TheLastLineCounts) {
  EXPECT_THAT(Hint({}, "a: Read-only file system\nCould not resolve host: b\nmake: Error 1\n"),
              HasSubstr("\"network\""));
}

TEST(Hint, ReadsOnlyTheEnd) {
  const std::string output = "Could not resolve host: b\n" + std::string(20'000, 'x');
  EXPECT_THAT(Hint({}, output), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::sandbox
