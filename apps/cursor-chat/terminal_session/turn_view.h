#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_VIEW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_VIEW_H_

#include <cursorwire/chat.h>

#include <cstddef>
#include <map>
#include <string>

#include "output/output.h"
#include "terminal_session/answer_view.h"
#include "terminal_session/screen_style.h"
#include "terminal_session/spinner.h"

namespace cursor_chat {

// Shows a turn on the terminal as its events come: the answer, each tool call as a line once it has
// ended, and meanwhile the spinner. Only for one thread.
class TurnView {
 public:
  // `output` must outlive it.
  TurnView(Output& output, const ScreenStyle& style);

  void OnEvent(const cursorwire::ChatEvent& event);
  // Call once, after the last event: shows what is left. The spinner ends with the view.
  void OnEnd();

 private:
  void OnText(const std::string& text);
  // What is shown as a line of its own.
  void OnRemark(const cursorwire::ChatEvent& event);
  void OnToolStarted(const cursorwire::ToolCallInfo& call);
  void OnToolCompleted(const cursorwire::ToolCallInfo& call);
  // Writes a piece of the answer, below what others have written since the last one.
  void Write(const std::string& shown);
  // Ends the text before something else is shown.
  void EndText();
  void ShowTool(const cursorwire::ToolCallInfo& call);

  Output& output_;
  const ScreenStyle style_;
  AnswerView answer_;
  size_t lines_started_ = 0;  // of the output, as of the last text
  Spinner spinner_;
  std::map<std::string, cursorwire::ToolCallInfo> running_;  // by call id
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_VIEW_H_
