#include "terminal_session/screen_style.h"

#include <langinfo.h>
#include <stdlib.h>

namespace cursor_chat {
namespace {

std::string_view Variable(const char* name) {
  const char* value = ::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

ScreenStyle StyleOfProcess(bool plain) {
  // Source of the variable: https://no-color.org
  const bool dumb = Variable("TERM").empty() || Variable("TERM") == "dumb";
  const bool decorated = !plain && Variable("NO_COLOR").empty() && !dumb;
  const char* codeset = ::nl_langinfo(CODESET);  // NOLINT(concurrency-mt-unsafe)
  return {.decorated = decorated, .unicode = std::string_view(codeset) == "UTF-8", .dumb = dumb};
}

std::string Painted(const ScreenStyle& style, std::string_view color, std::string_view text) {
  if (!style.decorated || text.empty()) return std::string(text);
  return "\033[" + std::string(color) + "m" + std::string(text) + "\033[0m";
}

}  // namespace cursor_chat
