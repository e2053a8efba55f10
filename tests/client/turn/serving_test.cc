#include "client/turn/serving.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>

namespace cursorwire {
namespace {

std::string Drain(Serving& serving) {
  std::string text;
  while (const std::optional<Serving::Piece> piece = serving.TakePiece()) {
    text += piece->out.empty() ? "E" + piece->err : "O" + piece->out;
  }
  return text;
}

Serving::Answer Exit(int32_t code) {
  return absl::StatusOr<ExecOutput>(ShellOutput{.exit_code = code});
}

int32_t CodeOf(const Serving::Answer& answer) {
  return std::get<ShellOutput>(*std::get<absl::StatusOr<ExecOutput>>(answer)).exit_code;
}

TEST(Serving, HandsOutPiecesInTheirOrderAndTheAnswerBehindThem) {
  Serving serving(7, "", ExecArgs(), {});
  serving.Out("a");
  serving.Err("b");
  serving.Out("c");
  serving.SetAnswer(Exit(3));
  EXPECT_EQ(serving.id(), 7u);
  EXPECT_FALSE(serving.TakeAnswer().has_value());
  EXPECT_EQ(Drain(serving), "OaEbOc");
  const std::optional<Serving::Answer> answer = serving.TakeAnswer();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(CodeOf(*answer), 3);
  EXPECT_FALSE(serving.TakeAnswer().has_value());
}

TEST(Serving, KeepsTheFirstAnswer) {
  Serving serving(1, "", ExecArgs(), {});
  serving.SetAnswer(Exit(1));
  serving.SetAnswer(Exit(2));
  EXPECT_EQ(CodeOf(*serving.TakeAnswer()), 1);
  serving.SetAnswer(Exit(3));
  EXPECT_FALSE(serving.TakeAnswer().has_value());
}

TEST(Serving, HandsOutItsWorkOnceAndNotWhenNobodyWaits) {
  Serving serving(1, "", ExecArgs(ReadArgs{.path = "a"}), {});
  EXPECT_TRUE(serving.TakeWork().has_value());
  EXPECT_FALSE(serving.TakeWork().has_value());
  Serving stopped(1, "", ExecArgs(ReadArgs{.path = "a"}), {});
  stopped.Stop();
  EXPECT_FALSE(stopped.TakeWork().has_value());
}

TEST(Serving, LetsTheDoerWaitForATurnThatIsBehind) {
  Serving serving(1, "", ExecArgs(), {});
  const std::string text(1024 * 1024, 'x');
  std::atomic<bool> done = false;
  std::thread doer([&] {
    serving.Out(text);
    done = true;
    serving.SetAnswer(Exit(0));
  });
  size_t bytes = 0;
  // Whenever nothing is taken, a few pieces wait and no more.
  constexpr size_t kWaiting = 8 * 16 * 1024;
  while (bytes + kWaiting < text.size()) {
    EXPECT_FALSE(done);
    if (const std::optional<Serving::Piece> piece = serving.TakePiece()) bytes += piece->out.size();
  }
  std::optional<Serving::Answer> answer;
  while (!answer) {
    while (const std::optional<Serving::Piece> piece = serving.TakePiece()) {
      bytes += piece->out.size();
    }
    answer = serving.TakeAnswer();
    std::this_thread::yield();
  }
  doer.join();
  EXPECT_EQ(bytes, text.size());
}

TEST(Serving, LetsTheDoerGoOnWhenNobodyWaits) {
  Serving serving(1, "", ExecArgs(), {});
  std::thread doer([&] {
    for (int i = 0; i < 1000; ++i) serving.Out("x");  // more than wait for a turn
  });
  serving.Stop();
  doer.join();
  EXPECT_TRUE(serving.stopped());
  EXPECT_TRUE(serving.context().stop.stop_requested());
}

}  // namespace
}  // namespace cursorwire
