#include "client/detect_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/fake_process_environment.h"

namespace cursorwire {
namespace {

using test::FakeProcessEnvironment;

std::string ZoneOfVariable(const std::string& tz) {
  return DetectEnvironment(FakeProcessEnvironment({{"TZ", tz}})).time_zone;
}

std::string ZoneOfLink(const std::string& target) {
  return DetectEnvironment(FakeProcessEnvironment({}, {}, {{"/etc/localtime", target}})).time_zone;
}

TEST(DetectEnvironment, KnowsTheSystemAndNoWorkspace) {
  const Environment environment =
      DetectEnvironment(FakeProcessEnvironment({{"SHELL", "/bin/zsh"}}));
  EXPECT_THAT(environment.os_version, testing::StartsWith("linux "));
  EXPECT_EQ(environment.shell, "/bin/zsh");
  EXPECT_EQ(environment.time_zone, "");
  EXPECT_EQ(environment.workspace, "");
}

TEST(DetectEnvironment, TellsNamesOfTimeZonesOnly) {
  EXPECT_EQ(ZoneOfVariable("Europe/Zurich"), "Europe/Zurich");
  EXPECT_EQ(ZoneOfVariable("America/Argentina/Buenos_Aires"), "America/Argentina/Buenos_Aires");
  EXPECT_EQ(ZoneOfVariable("Etc/GMT+5"), "Etc/GMT+5");
  EXPECT_EQ(ZoneOfVariable("UTC"), "UTC");
  EXPECT_EQ(ZoneOfVariable(":Europe/Zurich"), "Europe/Zurich");
  EXPECT_EQ(ZoneOfVariable(":/usr/share/zoneinfo/Asia/Tokyo"), "Asia/Tokyo");
  EXPECT_EQ(ZoneOfVariable("/usr/share/zoneinfo/Asia/Tokyo"), "Asia/Tokyo");

  for (const char* rule : {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "<+03>-3", ":", "/home/me/zone",
                           "Europe/", "a//b", "two words", "Z\xC3\xBCrich"}) {
    EXPECT_EQ(ZoneOfVariable(rule), "") << rule;
  }
}

TEST(DetectEnvironment, FollowsLocaltimeWithoutAVariable) {
  EXPECT_EQ(ZoneOfLink("/usr/share/zoneinfo/Europe/Zurich"), "Europe/Zurich");
  EXPECT_EQ(ZoneOfLink("../usr/share/zoneinfo/Etc/UTC"), "Etc/UTC");
  EXPECT_EQ(ZoneOfLink("/etc/zone.own"), "");
  EXPECT_EQ(
      DetectEnvironment(FakeProcessEnvironment({{"TZ", "UTC0"}}, {},
                                               {{"/etc/localtime", "/x/zoneinfo/Asia/Tokyo"}}))
          .time_zone,
      "")
      << "the variable goes before the link";
}

}  // namespace
}  // namespace cursorwire
