#include "markdown/preview.h"

namespace cursor_chat::markdown {

bool MayBecomeMark(std::string_view line) {
  return line.find_first_not_of(" \t#-*+`~|>=_:.)0123456789[") == line.npos;
}

std::string WithMarksClosed(std::string_view line) {
  std::string result(line);
  while (result.ends_with('*') || result.ends_with('`')) result.pop_back();
  const size_t cut = line.size() - result.size();
  bool code = false;
  bool strong = false;
  for (size_t i = 0; i < result.size(); ++i) {
    if (result[i] == '`') {
      code = !code;
    } else if (!code && result.compare(i, 2, "**") == 0) {
      strong = !strong;
      ++i;
    }
  }
  // Marks at the end either close what is open or open what has no text yet.
  if (cut > 0 && !code && !strong) return result;
  if (result.ends_with(' ') && cut == 0) result.pop_back();
  if (code) result += '`';
  if (strong) result += "**";
  return result;
}

}  // namespace cursor_chat::markdown
