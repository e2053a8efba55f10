#include "agent/think_tags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

// "</think_intent >" and shorter: a tag is at most as long. Source: docs/protocol.md, think tags.
constexpr size_t kMaxTagBytes = 16;
constexpr std::string_view kNames[] = {"think", "thinking", "reasoning", "thought", "think_intent"};

// What a text starts with.
struct Tag {
  enum class Kind { kNone, kStart, kOpening, kClosing };

  Kind kind = Kind::kNone;  // kStart: the text may become a tag, and ended before that
  size_t bytes = 0;         // of a whole tag
};

bool IsName(std::string_view word) {
  return std::any_of(std::begin(kNames), std::end(kNames), [word](std::string_view name) {
    return absl::EqualsIgnoreCase(ToAbsl(word), ToAbsl(name));
  });
}

bool StartsName(std::string_view word) {
  return std::any_of(std::begin(kNames), std::end(kNames), [word](std::string_view name) {
    return absl::StartsWithIgnoreCase(ToAbsl(name), ToAbsl(word));
  });
}

bool IsNameByte(char c) { return c == '_' || absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// `text` starts with '<'. Names are told apart by their end: <think> from <thinking>.
Tag ReadTag(std::string_view text) {
  const std::string_view visible = text.substr(0, kMaxTagBytes);
  const Tag cut = {text.size() < kMaxTagBytes ? Tag::Kind::kStart : Tag::Kind::kNone};
  size_t at = 1;
  const bool closing = at < visible.size() && visible[at] == '/';
  if (closing) ++at;
  const size_t name_at = at;
  while (at < visible.size() && IsNameByte(visible[at])) ++at;
  const std::string_view name = visible.substr(name_at, at - name_at);
  if (at == visible.size()) return StartsName(name) ? cut : Tag{};
  if (!IsName(name)) return Tag{};
  while (at < visible.size() && absl::ascii_isspace(static_cast<unsigned char>(visible[at]))) ++at;
  if (at == visible.size()) return cut;
  if (visible[at] != '>') return Tag{};
  return Tag{closing ? Tag::Kind::kClosing : Tag::Kind::kOpening, at + 1};
}

}  // namespace

void ThinkTagFilter::Add(std::string_view text, const Give& give) {
  if (held_.empty()) return Scan(text, give);
  std::string joined = std::exchange(held_, {});
  joined.append(text);
  Scan(joined, give);
}

void ThinkTagFilter::Scan(std::string_view text, const Give& give) {
  const auto give_text = [&](std::string_view piece) {
    if (!piece.empty()) give({thinking_, piece});
  };
  size_t start = 0;
  size_t at = 0;
  while ((at = text.find('<', at)) != std::string_view::npos) {
    const Tag tag = ReadTag(text.substr(at));
    if (tag.kind == Tag::Kind::kNone) {
      ++at;
      continue;
    }
    give_text(text.substr(start, at - start));
    if (tag.kind == Tag::Kind::kStart) {
      held_ = text.substr(at);
      return;
    }
    thinking_ = tag.kind == Tag::Kind::kOpening;
    at += tag.bytes;
    start = at;
  }
  give_text(text.substr(start));
}

void ThinkTagFilter::Flush(const Give& give) {
  const std::string held = std::exchange(held_, {});
  if (!held.empty()) give({thinking_, held});
}

}  // namespace cursorwire::agent
