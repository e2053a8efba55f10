#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_QUESTION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_QUESTION_H_

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "output/output.h"
#include "output/terminal.h"

namespace cursor_chat {

// Limits of the text of a question, as the agent gave it: nobody reads more.
inline constexpr size_t kMaxQuestionBytes = size_t{64} * 1024;
inline constexpr size_t kMaxQuestionLines = 200;  // total on the screen
inline constexpr size_t kMaxQuestionScreens = 4;  // likewise, in heights of the terminal
// Number of lines repeated for each part at the end, if the screen does not show everything.
inline constexpr size_t kRepeatedQuestionLines = 3;

// A question that is answered with yes or no.
struct Question {
  // One thing that the question is about. The text comes from the agent.
  struct Part {
    std::string label{};  // ours, ASCII
    std::string text{};
  };

  std::string title{};  // ours, ASCII
  std::vector<Part> parts{};
};

enum class Answer { kYes, kNo, kNotAsked, kTooLong, kStopped };

// The lines of a question, except for the last one, where the user answers. Each line of the
// agent's text has a margin that the text cannot leave, neither by control characters nor by being
// wider than the terminal. If not everything fits the screen, the first lines of each part are
// repeated at the end.
std::string QuestionText(const Question& question, const TerminalSize& terminal);

// True if the question exceeds one of the limits above.
bool IsTooLong(const Question& question, const TerminalSize& terminal);

// Asks the user at the controlling terminal of this process, whatever standard input and output
// are. Thread-safe: questions are asked one after the other, and `output` writes nothing in
// between.
class TerminalQuestion {
 public:
  // `output` must outlive it.
  explicit TerminalQuestion(Output& output) : output_(output) {}

  // Waits for a line; "y" and "yes" mean yes. Ignores what was typed before the question or in its
  // first half second, and a line without an end: these were meant for something else.
  //   kNotAsked  there is no terminal
  //   kTooLong   the question is too long for the terminal and was not asked
  //   kStopped   `stop` was requested
  Answer Ask(const Question& question, const std::stop_token& stop);

 private:
  Output& output_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_QUESTION_H_
