#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursorwire {
namespace {

TEST(Suggest, FindsWhatWasMeant) {
  const std::vector<std::string> known = {"--tools", "--token-source", "--mode", "command"};
  EXPECT_EQ(Suggest("comand", known), "command");
  EXPECT_EQ(Suggest("ocmmand", known), "command");
  EXPECT_EQ(Suggest("--modes", known), "--mode");
  EXPECT_EQ(Suggest("--to", known), "--tools") << "the first that begins so";
}

TEST(Suggest, NamesNothingThatIsFarAway) {
  const std::vector<std::string> known = {"command"};
  EXPECT_EQ(Suggest("description", known), "");
  EXPECT_EQ(Suggest("com", known), "") << "too short";
  EXPECT_EQ(Suggest(std::string(1000, 'c'), known), "");
  EXPECT_EQ(Suggest("comand", {}), "");
}

}  // namespace
}  // namespace cursorwire
