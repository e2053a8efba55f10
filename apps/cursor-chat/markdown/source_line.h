#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_SOURCE_LINE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_SOURCE_LINE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// What a line of Markdown begins, judged by that line alone. Source: CommonMark 0.30. The lines
// have no newline, and no tabs before their first other character.
namespace cursor_chat::markdown {

std::string WithoutLeadingTabs(std::string_view line);

bool IsBlankLine(std::string_view line);
size_t IndentOf(std::string_view line);
// "# Title"
bool IsHeading(std::string_view line);
// "***"
bool IsRule(std::string_view line);
// "---" or "===", which make a heading of the paragraph above
bool IsUnderline(std::string_view line);
bool IsQuote(std::string_view line);
// "[name]: url"
bool IsLinkDefinition(std::string_view line);
// "--- | ---:", below the head of a table
bool IsTableDelimiter(std::string_view line);

struct ListMarker {
  char delimiter = '-';          // '-', '*', '+', or what follows the number
  std::optional<size_t> number;  // if the list has numbers
  size_t indent = 0;             // columns before the marker
  size_t content = 0;            // columns before the text of the item
  bool empty = false;            // no text follows
};
std::optional<ListMarker> ParseListMarker(std::string_view line);

struct Fence {
  char mark = '`';
  size_t length = 3;
  size_t indent = 0;
  std::string language;
};
std::optional<Fence> ParseFence(std::string_view line);
bool EndsFence(std::string_view line, const Fence& fence);

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MARKDOWN_SOURCE_LINE_H_
