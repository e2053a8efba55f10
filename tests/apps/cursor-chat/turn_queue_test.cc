#include "turn_queue.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <string>
#include <variant>

namespace cursor_chat {
namespace {

using cursorwire::AgentMode;
using cursorwire::AskQuestionQuery;
using cursorwire::ChatEvent;
using cursorwire::CreatePlanQuery;
using cursorwire::QueryArgs;
using cursorwire::TextDelta;
using std::chrono::seconds;

std::string Describe(const TurnQueue::Item& item) {
  if (const auto* event = std::get_if<ChatEvent>(&item)) return event->As<TextDelta>()->text;
  if (std::holds_alternative<QueryArgs>(item)) return "query";
  return std::string(std::get<absl::Status>(item).message());
}

TEST(TurnQueue, KeepsTheOrderOfEventsAndQuestions) {
  TurnQueue queue(AgentMode::kAgent);
  queue.OnEvent(TextDelta{"before"}, {});
  auto answer = std::async(std::launch::async, [&queue] { return queue.AskQuestion({}, {}); });
  EXPECT_EQ(Describe(queue.Next()), "before");
  // Asked, but not taken.
  EXPECT_EQ(answer.wait_for(seconds(0)), std::future_status::timeout);
  EXPECT_EQ(Describe(queue.Next()), "query");
  EXPECT_FALSE(answer.get().ok());
  queue.OnEvent(TextDelta{"behind"}, {});
  queue.OnEnd(absl::CancelledError("the end"));
  EXPECT_EQ(Describe(queue.Next()), "behind");
  EXPECT_EQ(Describe(queue.Next()), "the end");
}

TEST(TurnQueue, AcceptsPlansInTheModeOfPlans) {
  for (const AgentMode mode : {AgentMode::kPlan, AgentMode::kAgent}) {
    TurnQueue queue(mode);
    auto answer = std::async(std::launch::async, [&queue] { return queue.CreatePlan({}, {}); });
    EXPECT_EQ(Describe(queue.Next()), "query");
    EXPECT_EQ(answer.get().ok(), mode == AgentMode::kPlan);
  }
}

TEST(TurnQueue, LetsAQuestionGoThatNobodyWaitsFor) {
  TurnQueue queue(AgentMode::kAgent);
  std::stop_source stop;
  auto stopped =
      std::async(std::launch::async, [&] { return queue.AskQuestion({}, stop.get_token()); });
  stop.request_stop();
  EXPECT_FALSE(stopped.get().ok());
  auto ended = std::async(std::launch::async, [&queue] { return queue.AskQuestion({}, {}); });
  queue.OnEnd(absl::OkStatus());
  EXPECT_FALSE(ended.get().ok());
  EXPECT_FALSE(queue.AskQuestion({}, {}).ok());  // behind the end
}

}  // namespace
}  // namespace cursor_chat
