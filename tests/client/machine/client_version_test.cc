#include "client/machine/client_version.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/fake_process_environment.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

using test::FakeProcessEnvironment;
using test::StatusIs;
using ::testing::HasSubstr;

constexpr char kVersions[] = "/home/u/.local/share/cursor-agent/versions";

TEST(FindClientVersion, TakesTheVariableFirst) {
  const auto found = FindClientVersion(FakeProcessEnvironment(
      {{"CURSORWIRE_CLIENT_VERSION", "cli-2027.01.01-abcdef0"}, {"HOME", "/home/u"}}, {}, {},
      {{kVersions, {"2026.09.30-1234567"}}}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->version, "cli-2027.01.01-abcdef0");
  EXPECT_EQ(found->origin, "CURSORWIRE_CLIENT_VERSION");
}

TEST(FindClientVersion, TakesTheNewestThatIsInstalled) {
  const auto found = FindClientVersion(FakeProcessEnvironment(
      {{"HOME", "/home/u"}}, {}, {},
      {{kVersions,
        {"2026.09.02-ffffff0", "2026.10.01-e373342", "2026.10.01-0000000", "2026.9.30-1234567",
         "2026.11.01-E373342", "2026.11.01-123456", "2026.11.01_1234567", "tmp", "latest",
         "2026.11.01-1234567x", "..", ""}}}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->version, "cli-2026.10.01-e373342");
  EXPECT_EQ(found->origin, std::string(kVersions) + "/2026.10.01-e373342");
}

TEST(FindClientVersion, FallsBackToThatOfThisLibrary) {
  for (const std::string home : {"", "home/u", "/home/u", "/home/other"}) {
    SCOPED_TRACE(home);
    const auto found = FindClientVersion(FakeProcessEnvironment(
        {{"HOME", home}}, {}, {}, {{kVersions, {"tmp"}}, {"home/u", {"2026.10.01-e373342"}}}));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->version, RunOptions{}.client_version);
    EXPECT_EQ(found->origin, "this library");
  }
}

TEST(FindClientVersion, RefusesWhatNoHeaderCanCarry) {
  for (const std::string& version : {std::string("cli 1"), std::string("cli-1\r\nx: y"),
                                     std::string("caf\xC3\xA9"), std::string(101, 'x')}) {
    EXPECT_THAT(FindClientVersion(FakeProcessEnvironment({{"CURSORWIRE_CLIENT_VERSION", version}})),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("CURSORWIRE_CLIENT_VERSION must be 1 to 100")));
  }
  EXPECT_TRUE(CheckClientVersion(std::string(100, 'x'), "it").ok());
  EXPECT_THAT(CheckClientVersion("", "it"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire
