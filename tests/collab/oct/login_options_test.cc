#include "collab/oct/login_options.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using cursorwire::test::StatusIs;
using ::testing::HasSubstr;

TEST(LoginOptions, AreChecked) {
  using std::chrono::milliseconds;
  const struct {
    const char* name;
    std::function<void(LoginOptions&)> change;
    const char* says;  // "": they are good
  } kCases[] = {
      {"defaults with a room", [](LoginOptions&) {}, ""},
      {"the longest room", [](auto& o) { o.room.assign(kMaxRoomIdCharacters, 'r'); }, ""},
      {"a name that is not ASCII", [](auto& o) { o.name = "J\u00FCrgen \u4E2D"; }, ""},
      {"an email address", [](auto& o) { o.email = "a@b.example"; }, ""},
      {"no room", [](auto& o) { o.room = ""; }, "room"},
      {"room too long", [](auto& o) { o.room.assign(kMaxRoomIdCharacters + 1, 'r'); }, "room"},
      {"room with a blank", [](auto& o) { o.room = "a b"; }, "room"},
      {"room with a line feed", [](auto& o) { o.room = "a\r\nb"; }, "room"},
      {"room that is not ASCII", [](auto& o) { o.room = "r\u00F6"; }, "room"},
      {"room that leads upwards", [](auto& o) { o.room = ".."; }, "room"},
      {"room that stays", [](auto& o) { o.room = "."; }, "room"},
      {"no name", [](auto& o) { o.name = ""; }, "name"},
      {"name too long", [](auto& o) { o.name.assign(kMaxLoginFieldBytes + 1, 'n'); }, "name"},
      {"name that is not UTF-8", [](auto& o) { o.name = "\xFF"; }, "name"},
      {"name with escape codes", [](auto& o) { o.name = "a\x1b[1m"; }, "name"},
      {"name with invisible characters", [](auto& o) { o.name = "a\u200B"; }, "name"},
      {"email with a line feed", [](auto& o) { o.email = "a\nb"; }, "email"},
      {"no time", [](auto& o) { o.join_timeout = milliseconds(0); }, "timeout"},
      {"less", [](auto& o) { o.login_timeout = milliseconds(-1); }, "timeout"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    LoginOptions options{.room = "RSyO4Iun8pzTRUdCTivEI9Xc"};
    c.change(options);
    const absl::Status status = CheckLoginOptions(options);
    if (c.says[0] == '\0') {
      EXPECT_THAT(status, cursorwire::test::IsOk());
    } else {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.says)));
    }
  }
}

}  // namespace
}  // namespace cursorwire::oct
