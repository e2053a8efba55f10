#include "workspace/fs/permission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/status_matchers.h"

namespace cursorwire::workspace {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;
using enum absl::StatusCode;

TEST(Permission, IsRefusedWhereNobodyDecides) {
  EXPECT_THAT(AskPolicy({}, WriteAction{}, {}),
              StatusIs(kPermissionDenied, HasSubstr("show the change")));
  EXPECT_THAT(AskPolicy({}, DeleteAction{}, {}), StatusIs(kPermissionDenied, HasSubstr("deleted")));
  EXPECT_THAT(AskPolicy({}, ShellAction{}, {}),
              StatusIs(kPermissionDenied, HasSubstr("read, list and search")));
  EXPECT_THAT(AskPolicy({}, ShellInputAction{}, {}),
              StatusIs(kPermissionDenied, HasSubstr("input")));
}

TEST(Permission, IsWhatThePolicySays) {
  const auto ask = [](const ActionPolicy& policy) { return AskPolicy(policy, DeleteAction{}, {}); };
  EXPECT_THAT(ask([](const auto&, const auto&) { return absl::OkStatus(); }), IsOk());
  EXPECT_THAT(ask([](const auto&, const auto&) { return absl::UnknownError("why not"); }),
              StatusIs(kPermissionDenied, "why not"));
  EXPECT_THAT(ask([](const auto&, const auto&) { return absl::PermissionDeniedError(""); }),
              StatusIs(kPermissionDenied, HasSubstr("not allowed")));
  EXPECT_THAT(
      ask([](const auto&, const auto&) -> absl::Status { throw std::runtime_error("secret"); }),
      StatusIs(kPermissionDenied, HasSubstr("failed")));
  EXPECT_THAT(ask([](const auto&, const auto&) -> absl::Status { throw 1; }),
              StatusIs(kPermissionDenied));
}

TEST(Permission, IsRefusedOnceStopped) {
  std::stop_source stop;
  int asked = 0;
  const ActionPolicy policy = [&](const LocalAction&, const ActionContext& context) {
    ++asked;
    EXPECT_EQ(context.stop, stop.get_token());
    EXPECT_EQ(context.call_id, "c1");
    stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_THAT(AskPolicy(policy, DeleteAction{}, {.call_id = "c1", .stop = stop.get_token()}),
              StatusIs(kCancelled));
  EXPECT_THAT(AskPolicy(policy, DeleteAction{}, {.call_id = "c1", .stop = stop.get_token()}),
              StatusIs(kCancelled));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace cursorwire::workspace
