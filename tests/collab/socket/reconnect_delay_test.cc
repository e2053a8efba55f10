#include "collab/socket/reconnect_delay.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kNoJitter = 0.5;

// One connection or attempt.
struct DelayStep {
  std::optional<milliseconds> lasts;  // nullopt: it was never open
  bool clean_restart;
  milliseconds next;
};

TEST(ReconnectDelay, GrowsUntilAConnectionIsStable) {
  constexpr bool kRestart = true;
  constexpr bool kLost = false;
  const struct {
    const char* name;
    std::vector<DelayStep> steps;
  } kCases[] = {
      {"doubles up to the most",
       {{{}, kLost, milliseconds(500)},
        {{}, kLost, seconds(1)},
        {{}, kLost, seconds(2)},
        {{}, kLost, seconds(4)},
        {{}, kLost, seconds(8)},
        {{}, kLost, seconds(16)},
        {{}, kLost, seconds(30)},
        {{}, kLost, seconds(30)}}},
      {"begins anew after a stable connection",
       {{{}, kLost, milliseconds(500)},
        {{}, kLost, seconds(1)},
        {seconds(10), kLost, milliseconds(500)},
        {{}, kLost, seconds(1)}}},
      {"goes on after a short connection",
       {{{}, kLost, milliseconds(500)},
        {milliseconds(9999), kLost, seconds(1)},
        {seconds(0), kLost, seconds(2)}}},
      {"is 0 after a restart of the server, once",
       {{seconds(3), kRestart, seconds(0)},
        {seconds(0), kRestart, milliseconds(500)},
        {seconds(0), kRestart, seconds(1)},
        {{}, kLost, seconds(2)}}},
      {"is 0 again after a stable connection",
       {{seconds(60), kRestart, seconds(0)},
        {{}, kLost, milliseconds(500)},
        {seconds(60), kRestart, seconds(0)},
        {{}, kLost, milliseconds(500)}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ReconnectDelay delay;
    ReconnectDelay::TimePoint now{};
    for (const DelayStep& step : c.steps) {
      if (step.lasts) {
        delay.OnConnected(now);
        now += *step.lasts;
      }
      delay.OnClosed(now, step.clean_restart);
      EXPECT_EQ(delay.Next(kNoJitter), step.next);
      now += step.next;
    }
  }
}

TEST(ReconnectDelay, HasAJitterOfAFifth) {
  const struct {
    const char* name;
    double random;
    milliseconds delay;
  } kCases[] = {
      {"least", 0, milliseconds(800)},
      {"middle", 0.5, milliseconds(1000)},
      {"most", 1, milliseconds(1200)},
      {"below its range", -3, milliseconds(800)},
      {"above its range", 7, milliseconds(1200)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReconnectDelay({.first = seconds(1)}).Next(c.random), c.delay);
  }
}

TEST(ReconnectDelay, KeepsToTheMostFromTheBeginning) {
  ReconnectDelay delay({.first = seconds(5), .max = seconds(2)});
  EXPECT_EQ(delay.Next(kNoJitter), seconds(2));
  EXPECT_EQ(delay.Next(kNoJitter), seconds(2));
}

}  // namespace
}  // namespace cursorwire::collab
