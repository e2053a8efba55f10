#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_QUESTION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_QUESTION_H_

#include <cstddef>
#include <stop_token>
#include <string>
#include <vector>

#include "output.h"
#include "terminal.h"

namespace cursor_chat {

// What a question shows at most, as the agent gave it: more than that nobody reads.
inline constexpr size_t kMaxQuestionBytes = size_t{64} * 1024;
inline constexpr size_t kMaxQuestionLines = 200;  // on the screen, all together
inline constexpr size_t kMaxQuestionScreens = 4;  // the same, by the height of the terminal
// Lines that are repeated at the end of each part, if the screen does not show all.
inline constexpr size_t kRepeatedQuestionLines = 3;

// A question that is answered by yes or no.
struct Question {
  // One thing that it is about. The text is the agent's.
  struct Part {
    std::string label{};  // ours, ASCII
    std::string text{};
  };

  std::string title{};  // ours, ASCII
  std::vector<Part> parts{};
};

enum class Answer { kYes, kNo, kNotAsked, kTooLong, kStopped };

// The lines of a question, but for the last, where the answer is given. Each line of the agent's
// text has a margin that it cannot leave, whatever it holds: neither by control characters nor by
// being wider than the terminal. If the terminal does not show them all at a time, the first of
// each part come again at the end.
std::string QuestionText(const Question& question, const TerminalSize& terminal);

// Over one of the bounds above.
bool IsTooLong(const Question& question, const TerminalSize& terminal);

// Asks the user at the controlling terminal of this process, whatever standard input and output
// are. Thread-safe: one question follows the other, and nothing of `output` comes between.
class TerminalQuestion {
 public:
  // `output` outlives it.
  explicit TerminalQuestion(Output& output) : output_(output) {}

  // Waits for a line, and takes "y" or "yes" for a yes. What was typed before or in the first half
  // second does not count, nor does a line without an end: it was for something else.
  //   kNotAsked  there is no terminal
  //   kTooLong   it is too long for the terminal, and was not asked
  //   kStopped   `stop` was requested
  Answer Ask(const Question& question, const std::stop_token& stop);

 private:
  Output& output_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_QUESTION_H_
