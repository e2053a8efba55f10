#include "output/terminal_question.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>

#include "base/file_descriptor.h"
#include "common/standard_stream.h"
#include "common/visible_text.h"
#include "common/write_limit.h"
#include "output/terminal_mode_mutex.h"
#include "process/stop_event.h"

namespace cursor_chat {
namespace {

// A longer line is not an answer.
constexpr size_t kMaxAnswerBytes = 1024;
constexpr size_t kMinColumns = 20;
// Answers in less time are ignored: nobody reads a question faster.
constexpr int kReadingMilliseconds = 500;
constexpr char kPrompt[] = "cursor-chat: y or n? [n] ";

size_t BytesOf(const Question& question) {
  size_t size = 0;
  for (const Question::Part& part : question.parts) size += part.text.size();
  return size;
}

size_t LinesOf(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

// Adds "  label | text", with "  label + " before the continuations of a wrapped line.
void AddPart(const Question::Part& part, size_t label_columns, size_t columns, size_t max_lines,
             std::string& result) {
  const size_t margin = 2 + label_columns + 3;
  const size_t width = std::max(columns, margin + kMinColumns) - margin - 1;
  std::string label = part.label;
  label.resize(label_columns, ' ');
  std::string_view text = part.text;
  if (text.ends_with('\n')) text.remove_suffix(1);
  for (;;) {
    const size_t end = std::min(text.find('\n'), text.size());
    char mark = '|';
    for (const std::string& piece :
         cursor_apps::WrapLine(cursor_apps::ExactText(text.substr(0, end)), width)) {
      if (max_lines-- == 0) return;
      result.append("  ").append(label).append({' ', mark, ' '}).append(piece).append("\n");
      label.assign(label_columns, ' ');
      mark = '+';
    }
    if (end == text.size()) return;
    text.remove_prefix(end + 1);
  }
}

// Adds at most `max_lines` lines of each part.
void AddParts(const Question& question, size_t columns, size_t max_lines, std::string& text) {
  size_t label_columns = 0;
  for (const Question::Part& part : question.parts) {
    label_columns = std::max(label_columns, part.label.size());
  }
  for (const Question::Part& part : question.parts) {
    AddPart(part, label_columns, columns, max_lines, text);
  }
}

std::string AllLines(const Question& question, size_t columns) {
  std::string text = "cursor-chat: " + question.title + "\n";
  AddParts(question, columns, std::numeric_limits<size_t>::max(), text);
  return text;
}

// While it lives, the terminal shows what is typed and hands it out in lines, whatever mode a
// session has set.
class LineMode {
 public:
  explicit LineMode(int terminal) : terminal_(terminal) {
    if (::tcgetattr(terminal, &before_) != 0) return;
    termios lines = before_;
    lines.c_lflag |= ECHO | ICANON;
    lines.c_iflag |= ICRNL;
    changed_ = lines.c_lflag != before_.c_lflag || lines.c_iflag != before_.c_iflag;
    if (!changed_) return;
    const std::lock_guard lock(TerminalModeMutex());
    ::tcsetattr(terminal, TCSADRAIN, &lines);
  }
  ~LineMode() {
    if (!changed_) return;
    const std::lock_guard lock(TerminalModeMutex());
    ::tcsetattr(terminal_, TCSADRAIN, &before_);
  }
  LineMode(const LineMode&) = delete;
  LineMode& operator=(const LineMode&) = delete;

 private:
  const int terminal_;
  termios before_{};
  bool changed_ = false;
};

void LetRead(int stop_event) {
  pollfd event{.fd = stop_event, .events = POLLIN, .revents = 0};
  ::poll(&event, 1, kReadingMilliseconds);
}

// One line, or what is left at the end of the input; nullopt if `stop_event` came first.
std::optional<std::string> ReadLine(int terminal, int stop_event) {
  std::string line;
  for (;;) {
    pollfd events[] = {{stop_event, POLLIN, 0}, {terminal, POLLIN, 0}};
    if (::poll(events, std::size(events), -1) < 0 && errno != EINTR) return line;
    if (events[0].revents != 0) return std::nullopt;
    if (events[1].revents == 0) continue;
    char buffer[256];
    const ssize_t count = ::read(terminal, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return line;
    if (line.size() < kMaxAnswerBytes) line.append(buffer, static_cast<size_t>(count));
    if (buffer[count - 1] == '\n') return line;
  }
}

bool IsYes(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
  while (line.starts_with(' ')) line.remove_prefix(1);
  return line == "y" || line == "Y" || line == "yes" || line == "Yes" || line == "YES";
}

}  // namespace

std::string QuestionText(const Question& question, const TerminalSize& terminal) {
  std::string text = AllLines(question, terminal.columns);
  const size_t lines = LinesOf(text);
  if (lines + 1 <= terminal.rows) return text;  // one more row for the answer
  text += "cursor-chat: these are " + std::to_string(lines) +
          " lines, more than the screen shows: scroll up. They begin with\n";
  AddParts(question, terminal.columns, kRepeatedQuestionLines, text);
  return text;
}

bool IsTooLong(const Question& question, const TerminalSize& terminal) {
  if (BytesOf(question) > kMaxQuestionBytes) return true;
  const size_t lines = LinesOf(AllLines(question, terminal.columns)) + 1;
  return lines > kMaxQuestionLines || lines > kMaxQuestionScreens * terminal.rows;
}

Answer TerminalQuestion::Ask(const Question& question, const std::stop_token& stop) {
  const cursorwire::FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  if (!terminal.valid()) return Answer::kNotAsked;
  const TerminalSize size = SizeOf(terminal.get());
  if (IsTooLong(question, size)) return Answer::kTooLong;
  const auto stop_event = cursorwire::process::StopEvent::Create(stop);
  if (!stop_event.ok()) return Answer::kNotAsked;
  const Terminal::Hold hold = output_.StartLine(stop);
  if (!hold) return Answer::kStopped;
  const cursor_apps::StandardStream screen(terminal.get());
  const cursor_apps::WriteLimit limit(stop);
  const auto not_shown = [&stop] {
    return stop.stop_requested() ? Answer::kStopped : Answer::kNotAsked;
  };
  if (screen.Write(QuestionText(question, size), limit) != 0) return not_shown();
  LetRead((*stop_event)->fd());
  const LineMode mode(terminal.get());
  ::tcflush(terminal.get(), TCIFLUSH);
  if (screen.Write(kPrompt, limit) != 0) return not_shown();
  const std::optional<std::string> line = ReadLine(terminal.get(), (*stop_event)->fd());
  const bool complete = line && line->ends_with('\n');
  if (!complete) screen.Write(line ? "\n" : "\ncursor-chat: no longer asked\n", limit);
  if (!line) return Answer::kStopped;
  return complete && IsYes(*line) ? Answer::kYes : Answer::kNo;
}

}  // namespace cursor_chat
