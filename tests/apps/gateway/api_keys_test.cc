#include "api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/scratch_folder.h"
#include "support/status_matchers.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::IsOk;
using cursorwire::test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ApiKeys, LetsEverybodyInWithoutKeys) {
  EXPECT_EQ(ApiKeys().OwnerOf({}), "");
  EXPECT_EQ(ApiKeys().OwnerOf({.fields = {{"Authorization", "Bearer anything"}}}), "");
}

TEST(ApiKeys, KnowsThoseOfItsFile) {
  const cursorwire::test::ScratchFolder folder;
  const std::string file = folder.path() + "/keys";
  std::ofstream(file) << "# ours\n\nkey-one\n  key-two \n";
  const auto keys = ApiKeys::Load(file);
  ASSERT_THAT(keys, IsOk());
  const auto owner = [&](const std::string& header) {
    return keys->OwnerOf({.fields = {{"Authorization", header}}});
  };
  EXPECT_TRUE(owner("Bearer key-one"));
  EXPECT_TRUE(owner("bEARER key-two"));
  EXPECT_NE(owner("Bearer key-one"), owner("Bearer key-two"));
  EXPECT_THAT(*owner("Bearer key-one"), Not(HasSubstr("key")));
  for (const char* header : {"", "Bearer", "Bearer ", "Bearer key", "Basic key-one", "key-one"}) {
    EXPECT_FALSE(owner(header)) << header;
  }
  EXPECT_FALSE(keys->OwnerOf({}));
}

TEST(ApiKeys, TakesEitherHeader) {
  const ApiKeys keys = ApiKeys::Of("key-one");
  const auto owner = [&](const std::string& bearer, const std::string& key) {
    return keys.OwnerOf({.fields = {{"authorization", "Bearer " + bearer}, {"X-API-Key", key}}});
  };
  EXPECT_EQ(owner("key-one", "other"), owner("other", "key-one"));
  EXPECT_TRUE(owner("key-one", "other"));
  EXPECT_FALSE(owner("other", "another"));
  EXPECT_FALSE(owner("", ""));
  EXPECT_TRUE(keys.OwnerOf({.fields = {{"x-api-key", "key-one"}}}));
  EXPECT_FALSE(keys.OwnerOf({.fields = {{"x-api-key", "Bearer key-one"}}}));
}

TEST(ApiKeys, WantsAFileWithKeys) {
  const cursorwire::test::ScratchFolder folder;
  const std::string file = folder.path() + "/keys";
  EXPECT_THAT(ApiKeys::Load(file), StatusIs(absl::StatusCode::kInvalidArgument));
  std::ofstream(file) << "# none\n";
  EXPECT_THAT(ApiKeys::Load(file), StatusIs(absl::StatusCode::kInvalidArgument));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_FALSE(ApiKeys::IsReadByOthers(file));
  std::filesystem::permissions(file, std::filesystem::perms(0640));
  EXPECT_TRUE(ApiKeys::IsReadByOthers(file));
}

}  // namespace
}  // namespace cursor_gateway
