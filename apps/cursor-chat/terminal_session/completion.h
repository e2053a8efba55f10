#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMPLETION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMPLETION_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// What may take the place of the word before the cursor. A value.
struct Completion {
  size_t start = 0;  // of the word, in bytes of the line
  // Whole words, sorted. One that ends with '/' goes on: no space follows it.
  std::vector<std::string> words{};
  bool is_cut = false;  // there may be more words, at which nobody has looked
};

// Where words come from. Each function may be slow: it is called only for a word of its kind.
struct CompletionSources {
  std::function<std::vector<std::string>()> models{};
  std::function<std::vector<std::string>()> efforts{};
  // Names that follow this start of a path; folders end with '/'. Files of the current folder, and
  // files that can be attached.
  std::function<std::vector<std::string>(std::string_view start)> files{};
  std::function<std::vector<std::string>(std::string_view start)> attachable{};
};

// Completes the last word of `before`, which is the line up to the cursor: a command, what a
// command takes, or a path after '@'. Nothing else.
Completion Complete(std::string_view before, const CompletionSources& sources);

// The longest start that all words share, in whole characters; "" without words.
std::string CommonStart(const std::vector<std::string>& words);

// The names below `folder` that follow the start of a path, as completions of it: "sr" gives
// "src/". Hidden ones only if the start says so. At most kMaxCompletions.
inline constexpr size_t kMaxCompletions = 200;
std::vector<std::string> CompletePath(const std::string& folder, std::string_view start);

// The words in columns of a screen that has `columns`, each made visible; at most
// kMaxCompletionLines, and a last one that says how many are left out.
inline constexpr size_t kMaxCompletionLines = 10;
std::string InColumns(const Completion& completion, size_t columns);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_COMPLETION_H_
