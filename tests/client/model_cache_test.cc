#include "cursorwire/model_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using List = absl::StatusOr<ModelCache::List>;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

constexpr ModelCacheOptions kPatient{.life = milliseconds(0), .wait = kPatience};

ModelList OneModel(const std::string& id = "m") { return {.models = {{.id = id}}}; }
std::string NameIn(const List& list) {
  return list.ok() ? (*list)->models.at(0).id : std::string(list.status().message());
}

// Fails at first.
struct Host {
  int questions = 0;
  ModelCache::Lister lister() {
    return [this]() -> absl::StatusOr<ModelList> {
      if (++questions == 1) return absl::UnavailableError("no host");
      return OneModel();
    };
  }
};

TEST(ModelCache, AsksOnceForAllWhoWant) {
  std::atomic<int> questions = 0;
  std::promise<ModelList> answer;
  ModelCache cache(kPatient);
  const auto list = [&]() -> absl::StatusOr<ModelList> {
    ++questions;
    return answer.get_future().get();
  };
  std::promise<std::string> called;
  cache.Get(list, [&called](const List& models) { called.set_value(NameIn(models)); });
  auto first = std::async(std::launch::async, [&] { return cache.Get(list); });
  auto second = std::async(std::launch::async, [&] { return cache.Require(list); });
  EXPECT_EQ(cache.known(), nullptr);
  answer.set_value(OneModel());
  EXPECT_EQ(NameIn(WaitFor(first)), "m");
  EXPECT_EQ(NameIn(WaitFor(second)), "m");
  EXPECT_EQ(called.get_future().get(), "m");
  EXPECT_EQ(NameIn(cache.Get(list)), "m");
  EXPECT_EQ(cache.known(), *cache.Get(list));
  EXPECT_EQ(questions, 1);
}

TEST(ModelCache, WhoComesWhileTheListHangsDoesNotWaitAgain) {
  constexpr int kMany = 10000;
  std::promise<ModelList> answer;
  std::atomic<int> questions = 0;
  ModelCache cache({.wait = milliseconds(50)});
  const auto list = [&]() -> absl::StatusOr<ModelList> {
    ++questions;
    return answer.get_future().get();
  };
  // Each waiting for itself would take longer than a test may.
  for (int i = 0; i < kMany; ++i) {
    EXPECT_THAT(cache.Get(list), StatusIs(absl::StatusCode::kDeadlineExceeded));
  }
  answer.set_value(OneModel());
  EXPECT_EQ(NameIn(cache.Require(list)), "m");
  EXPECT_EQ(questions, 1);
}

TEST(ModelCache, RemembersAFailureForAWhile) {
  Host host;
  ModelCache patient({.pause = kPatience, .wait = kPatience});
  EXPECT_EQ(NameIn(patient.Get(host.lister())), "no host");
  EXPECT_EQ(NameIn(patient.Get(host.lister())), "no host");
  std::string called;
  patient.Get(host.lister(), [&called](const List& list) { called = NameIn(list); });
  EXPECT_EQ(called, "no host");
  EXPECT_EQ(host.questions, 1);
  EXPECT_EQ(NameIn(patient.Require(host.lister())), "m");
  EXPECT_EQ(host.questions, 2);
}

TEST(ModelCache, AsksAgainAfterAFailureAndAfterTheLifeOfAList) {
  Host host;
  ModelCache cache({.life = milliseconds(1), .wait = kPatience});
  EXPECT_EQ(NameIn(cache.Get(host.lister())), "no host");
  const List old = cache.Get(host.lister());
  EXPECT_EQ(NameIn(old), "m");
  while (host.questions == 2) ASSERT_EQ(NameIn(cache.Get(host.lister())), "m");
  EXPECT_EQ((*old)->models.size(), 1) << "a list that somebody holds stays as it is";
}

TEST(ModelCache, AStopWakesAllWhoWait) {
  std::promise<ModelList> answer;
  ModelCache cache(kPatient);
  const auto list = [&]() -> absl::StatusOr<ModelList> { return answer.get_future().get(); };
  std::vector<absl::StatusCode> called;
  const auto note = [&called](const List& models) { called.push_back(models.status().code()); };
  cache.Get(list, note);
  std::stop_source stop;
  auto stopped = std::async(std::launch::async, [&] { return cache.Get(list, stop.get_token()); });
  auto waiting = std::async(std::launch::async, [&] { return cache.Require(list); });
  stop.request_stop();
  EXPECT_THAT(WaitFor(stopped), StatusIs(absl::StatusCode::kCancelled));
  cache.Stop();
  EXPECT_THAT(WaitFor(waiting), StatusIs(absl::StatusCode::kCancelled));
  cache.Get(list, note);
  EXPECT_THAT(called, ElementsAre(absl::StatusCode::kCancelled, absl::StatusCode::kCancelled));
  EXPECT_THAT(cache.Get(list), StatusIs(absl::StatusCode::kCancelled));
  answer.set_value({});
}

TEST(ModelCache, LetsTheListerGoOnceItHasAnswered) {
  ModelCache cache(kPatient);
  auto connection = std::make_shared<int>(0);
  const std::weak_ptr<int> weak = connection;
  EXPECT_EQ(NameIn(cache.Get([connection = std::move(connection)] {
              return absl::StatusOr<ModelList>(absl::UnavailableError("no host"));
            })),
            "no host");
  EXPECT_TRUE(weak.expired());
}

// One that comes while the others are being told must not be forgotten.
TEST(ModelCache, TellsWhoAsksWithinTheAnswer) {
  Host host;
  ModelCache cache(kPatient);
  std::promise<std::string> second;
  cache.Get(host.lister(), [&](const List& first) {
    EXPECT_EQ(NameIn(first), "no host");
    cache.Get(host.lister(), [&second](const List& list) { second.set_value(NameIn(list)); });
  });
  EXPECT_EQ(second.get_future().get(), "no host");
  // As long as the others are being told, it is that answer which is told.
  std::string next = "no host";
  while (next == "no host") next = NameIn(cache.Get(host.lister()));
  EXPECT_EQ(next, "m");
}

}  // namespace
}  // namespace cursorwire::test
