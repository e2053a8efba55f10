#include "http/curl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"

namespace cursorwire::http {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

TEST(CurlLibrary, IsLoadedOnce) {
  const auto first = CurlLibrary::Get();
  ASSERT_THAT(first, IsOk());
  const auto second = CurlLibrary::Get();
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(*first, *second);
  EXPECT_NE((*first)->multi_socket_action, nullptr);
  EXPECT_NE((*first)->url_set, nullptr);
}

TEST(CurlLibrary, NamesTheFileThatCannotBeLoaded) {
  EXPECT_THAT(
      CurlLibrary::Load("libnothing.so.4"),
      StatusIs(absl::StatusCode::kUnavailable,
               ::testing::AllOf(HasSubstr("servers over HTTP"), HasSubstr("libnothing.so.4"))));
}

TEST(CurlLibrary, NamesTheFunctionThatIsMissing) {
  EXPECT_THAT(CurlLibrary::Load("libc.so.6"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("curl_easy_cleanup")));
}

}  // namespace
}  // namespace cursorwire::http
