#include "cursorwire/run_options.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace cursorwire {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(DriftLog, CountsEachPath) {
  DriftLog log;
  EXPECT_TRUE(log.Add("b"));
  EXPECT_TRUE(log.Add("a"));
  EXPECT_FALSE(log.Add("b"));
  EXPECT_THAT(log.Counts(), ElementsAre(Pair("a", 1), Pair("b", 2)));
}

TEST(DriftLog, CountsWhatIsTooMuchTogether) {
  DriftLog log;
  for (size_t i = 0; i < DriftLog::kMaxPaths; ++i) EXPECT_TRUE(log.Add(absl::StrCat("p", i)));
  EXPECT_FALSE(log.Add("one more"));
  EXPECT_FALSE(log.Add("and another"));
  EXPECT_FALSE(log.Add("p0"));
  const std::map<std::string, uint64_t> counts = log.Counts();
  EXPECT_THAT(counts, SizeIs(DriftLog::kMaxPaths + 1));
  EXPECT_EQ(counts.at("(more)"), 2U);
  EXPECT_EQ(counts.at("p0"), 2U);
}

TEST(DriftLog, CountsOnSeveralThreadsAtOnce) {
  DriftLog log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&log] {
      for (int n = 0; n < 1000; ++n) log.Add("a");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(log.Counts(), ElementsAre(Pair("a", 4000)));
}

TEST(DriftToJson, ListsThePathsInOrder) {
  EXPECT_EQ(DriftToJson({}), R"({"drift":[]})");
  EXPECT_EQ(DriftToJson({{"b=9", 2}, {"a.7", 1}}),
            R"({"drift":[{"path":"a.7","count":1},{"path":"b=9","count":2}]})");
  EXPECT_EQ(DriftToJson({{"\"\xFF", 1}}),
            "{\"drift\":[{\"path\":\"\\\"\xEF\xBF\xBD\",\"count\":1}]}");
}

}  // namespace
}  // namespace cursorwire
