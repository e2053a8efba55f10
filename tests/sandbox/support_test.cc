#include "sandbox/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <iostream>
#include <string>

#include "sandbox/filter.h"
#include "support/scratch_folder.h"

namespace cursorwire::sandbox {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Backend WithoutBwrap(const Support& support) {
  return support.landlock_abi >= 2 && HasFilter() ? Backend::kPartial : Backend::kNone;
}

TEST(Probe, SaysWhatThisMachineCanDo) {
  const Support support = Probe();
  std::cout << "backend " << static_cast<int>(support.backend) << ", bwrap " << support.bwrap
            << ", disables userns " << support.disables_userns << ", Landlock "
            << support.landlock_abi << ", why not: " << support.why_not << "\n";
  EXPECT_EQ(support.backend == Backend::kFull, support.why_not.empty());
  EXPECT_EQ(support.has_filter, HasFilter());
}

TEST(OwnSupport, IsProbedOnce) { EXPECT_EQ(&OwnSupport(), &OwnSupport()); }

// A program in place of bubblewrap.
class FakeBwrapTest : public testing::Test {
 protected:
  Support ProbeWith(const std::string& script,
                    std::chrono::milliseconds timeout = std::chrono::minutes{1}) {
    folder_.Write("bwrap", "#!/bin/sh\n" + script);
    EXPECT_EQ(::chmod(folder_.At("bwrap").c_str(), 0700), 0);
    return Probe({.bwrap = folder_.At("bwrap"), .timeout = timeout});
  }

  test::ScratchFolder folder_;
};

TEST_F(FakeBwrapTest, SaysThatItIsNotThere) {
  EXPECT_THAT(Probe({.bwrap = folder_.At("bwrap")}).why_not, HasSubstr("there is no program"));
  folder_.MakeFolder("bwrap");
  const Support support = Probe({.bwrap = folder_.At("bwrap")});
  EXPECT_THAT(support.why_not, HasSubstr("there is no program"));
  EXPECT_EQ(support.backend, WithoutBwrap(support));
  EXPECT_THAT(support.bwrap, IsEmpty());
}

TEST_F(FakeBwrapTest, IsNeverLookedForInPath) {
  folder_.Write("bwrap", "#!/bin/sh\n");
  EXPECT_THAT(Probe({.bwrap = "bwrap"}).why_not, HasSubstr("must be absolute"));
  EXPECT_THAT(Probe({.bwrap = "./bwrap"}).why_not, HasSubstr("must be absolute"));
}

TEST_F(FakeBwrapTest, TellsWhatItSaid) {
  const Support support = ProbeWith("echo 'bwrap: the moon is full' >&2; exit 1\n");
  EXPECT_THAT(support.why_not, HasSubstr("bwrap: the moon is full"));
  EXPECT_EQ(support.backend, WithoutBwrap(support));
}

TEST_F(FakeBwrapTest, TakesNoSuccessThatWasNotTold) {
  EXPECT_THAT(ProbeWith("exit 0\n").why_not, HasSubstr("without saying why"));
}

TEST_F(FakeBwrapTest, DoesWithoutDisableUserns) {
  const Support old = ProbeWith("echo '{ \"exit-code\": 0 }' >&4 2>/dev/null\n");
  EXPECT_EQ(old.backend, Backend::kFull);
  EXPECT_FALSE(old.disables_userns);
  const Support knows = ProbeWith(
      "[ $1 = --help ] && echo ' --disable-userns  Disable' && exit\n"
      "echo '{ \"exit-code\": 0 }' >&4\n");
  EXPECT_EQ(knows.backend, Backend::kFull);
  EXPECT_TRUE(knows.disables_userns);
  const Support forbidden = ProbeWith(
      "[ $1 = --help ] && echo ' --disable-userns  Disable' && exit\n"
      "grep -q disable-userns <&3 && echo 'bwrap: cannot open' >&2 && exit 1\n"
      "echo '{ \"exit-code\": 0 }' >&4\n");
  EXPECT_EQ(forbidden.backend, HasFilter() ? Backend::kFull : WithoutBwrap(forbidden));
  EXPECT_EQ(forbidden.disables_userns, false);
}

TEST_F(FakeBwrapTest, DoesNotWaitForOneThatHangs) {
  const Support support = ProbeWith("[ $1 = --help ] || exec cat /dev/zero >/dev/null\n",
                                    std::chrono::milliseconds{300});
  EXPECT_THAT(support.why_not, HasSubstr("did not end"));
  EXPECT_THAT(support.why_not, Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace cursorwire::sandbox
