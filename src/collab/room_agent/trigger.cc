#include "collab/room_agent/trigger.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/strings.h"
#include "crdt/text/text_size.h"

namespace cursorwire::room_agent {
namespace {

constexpr std::string_view kTriggerBlanks = " \t\r\f\v";
constexpr std::array<std::string_view, 3> kTriggerWideBlanks = {
    "\xc2\xa0",      // U+00A0, no-break space
    "\xe3\x80\x80",  // U+3000, ideographic space
    "\xef\xbb\xbf",  // U+FEFF, byte order mark
};
constexpr std::array<std::string_view, 2> kClosingCommentMarks = {"*/", "-->"};

// Length of the white space that the text begins with, of one character; 0: it does not.
size_t LeadingTriggerBlank(std::string_view text) {
  if (text.empty()) return 0;
  if (kTriggerBlanks.find(text.front()) != std::string_view::npos) return 1;
  for (const std::string_view wide : kTriggerWideBlanks) {
    if (text.starts_with(wide)) return wide.size();
  }
  return 0;
}

size_t TrailingTriggerBlank(std::string_view text) {
  if (text.empty()) return 0;
  if (kTriggerBlanks.find(text.back()) != std::string_view::npos) return 1;
  for (const std::string_view wide : kTriggerWideBlanks) {
    if (text.ends_with(wide)) return wide.size();
  }
  return 0;
}

std::string_view TrimTrigger(std::string_view text) {
  while (const size_t bytes = LeadingTriggerBlank(text)) text.remove_prefix(bytes);
  while (const size_t bytes = TrailingTriggerBlank(text)) text.remove_suffix(bytes);
  return text;
}

// Guess: beyond ASCII everything is a letter but these, which are signs and pictures.
bool IsTriggerLetter(char32_t character) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kSigns[] = {
      {0x80, 0xa9},       {0xab, 0xb4},     {0xb6, 0xb9},     {0xbb, 0xbf},      // Latin-1
      {0xd7, 0xd7},       {0xf7, 0xf7},                                          // times, divided
      {0x2000, 0x206f},   {0x20a0, 0x20cf}, {0x2190, 0x2bff},                    // punctuation
      {0x3000, 0x3004},   {0x3008, 0x3020}, {0x3030, 0x303f},                    // of Chinese
      {0xfe00, 0xfe6f},   {0xfeff, 0xff0f}, {0xff1a, 0xff20}, {0xff3b, 0xff40},  // full width
      {0xff5b, 0xff65},   {0xfff9, 0xffff},                                      // the same
      {0x1f000, 0x1faff},                                                        // emoji
  };
  return std::none_of(std::begin(kSigns), std::end(kSigns), [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

// Whether a mention may begin behind this text.
bool EndsWithTriggerBorder(std::string_view before) {
  if (before.empty()) return true;
  size_t begin = before.size() - 1;
  while (begin > 0 && before.size() - begin < 4 && (before[begin] & 0xc0) == 0x80) --begin;
  before.remove_prefix(begin);
  const char32_t last = TakeCharacter(before);
  if (last >= 0x80) return !IsTriggerLetter(last);
  const auto ascii = static_cast<char>(last);
  const bool is_word = (ascii >= '0' && ascii <= '9') || (ascii >= 'A' && ascii <= 'Z') ||
                       (ascii >= 'a' && ascii <= 'z');
  return !is_word && std::string_view("_.-@/").find(ascii) == std::string_view::npos;
}

// What is behind the name; nullopt: the name goes on.
std::optional<std::string_view> AfterTriggerName(std::string_view rest) {
  if (rest.starts_with(':') || rest.starts_with(',')) rest.remove_prefix(1);
  if (!rest.empty() && LeadingTriggerBlank(rest) == 0) return std::nullopt;
  return rest;
}

std::string_view PromptOfTrigger(std::string_view rest) {
  rest = TrimTrigger(rest);
  for (const std::string_view mark : kClosingCommentMarks) {
    if (!rest.ends_with(mark)) continue;
    rest.remove_suffix(mark.size());
    break;
  }
  rest = TrimTrigger(rest);
  return TrimTrigger(crdt::PrefixOf(rest, crdt::Unit::kCodePoints, kMaxPromptCharacters));
}

}  // namespace

std::optional<Trigger> FindTrigger(std::string_view line, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (size_t at = line.find('@'); at != std::string_view::npos; at = line.find('@', at + 1)) {
    if (!line.substr(at + 1).starts_with(name)) continue;
    if (!EndsWithTriggerBorder(line.substr(0, at))) continue;
    const auto rest = AfterTriggerName(line.substr(at + 1 + name.size()));
    if (!rest) continue;
    const std::string_view prompt = PromptOfTrigger(*rest);
    if (prompt.empty()) return std::nullopt;
    return Trigger{.at = static_cast<uint32_t>(at), .prompt = std::string(prompt)};
  }
  return std::nullopt;
}

}  // namespace cursorwire::room_agent
