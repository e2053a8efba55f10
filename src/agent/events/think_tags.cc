#include "agent/events/think_tags.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

// The length of the longest tag, "</think_intent >". Source: docs/protocol.md, think tags.
constexpr size_t kMaxTagBytes = 16;
constexpr std::string_view kNames[] = {"think", "thinking", "reasoning", "thought", "think_intent"};

// What was found at the start of a text.
struct Tag {
  enum class Kind { kNone, kStart, kWhole };

  Kind kind = Kind::kNone;  // kStart: the text ends before it is clear whether it is a tag
  size_t bytes = 0;         // length of the tag; only for kWhole
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

bool IsBlank(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

bool IsNameByte(char c) { return c == '_' || absl::ascii_isalpha(static_cast<unsigned char>(c)); }

// Looks for a tag that begins with `mark`, "<" or "</", at the start of `text`. Reads a name to its
// end before comparing it, so that <thinking> is not taken for <think>.
Tag ReadTag(std::string_view text, std::string_view mark) {
  const std::string_view visible = text.substr(0, kMaxTagBytes);
  const Tag cut = {text.size() < kMaxTagBytes ? Tag::Kind::kStart : Tag::Kind::kNone};
  if (!visible.starts_with(mark)) return mark.starts_with(visible) ? cut : Tag{};
  size_t at = mark.size();
  while (at < visible.size() && IsNameByte(visible[at])) ++at;
  const std::string_view name = visible.substr(mark.size(), at - mark.size());
  if (at == visible.size()) return StartsName(name) ? cut : Tag{};
  if (!IsName(name)) return Tag{};
  while (at < visible.size() && IsBlank(visible[at])) ++at;
  if (at == visible.size()) return cut;
  return visible[at] == '>' ? Tag{Tag::Kind::kWhole, at + 1} : Tag{};
}

}  // namespace

void ThinkTagFilter::Add(std::string_view text, const Give& give) {
  if (held_.empty()) return Scan(text, give);
  std::string joined = std::exchange(held_, {});
  joined.append(text);
  Scan(joined, give);
}

void ThinkTagFilter::Scan(std::string_view text, const Give& give) {
  while (!text.empty() && held_.empty()) {
    size_t done = text.size();
    if (state_ == State::kText) {
      give({false, text});
    } else if (state_ == State::kBlock) {
      done = ScanBlock(text, give);
    } else {
      done = ScanStart(text, give);
    }
    text.remove_prefix(done);
  }
}

size_t ThinkTagFilter::ScanStart(std::string_view text, const Give& give) {
  const auto blanks =
      static_cast<size_t>(std::find_if_not(text.begin(), text.end(), IsBlank) - text.begin());
  if (text.substr(0, blanks).find('\n') != std::string_view::npos) state_ = State::kStart;
  const std::string_view rest = text.substr(blanks);
  const Tag tag = state_ == State::kStart && !rest.empty() ? ReadTag(rest, "<") : Tag{};
  if (!rest.empty() && tag.kind == Tag::Kind::kNone) state_ = State::kText;
  if (tag.kind == Tag::Kind::kNone) {
    give({false, text});
    return text.size();
  }
  if (blanks > 0) give({false, text.substr(0, blanks)});
  if (tag.kind == Tag::Kind::kStart) {
    held_ = rest;
    return text.size();
  }
  state_ = State::kBlock;
  block_ = rest.substr(0, tag.bytes);
  return blanks + tag.bytes;
}

size_t ThinkTagFilter::ScanBlock(std::string_view text, const Give& give) {
  size_t at = 0;
  Tag tag;
  while ((at = std::min(text.find('<', at), text.size())) < text.size()) {
    tag = ReadTag(text.substr(at), "</");
    if (tag.kind != Tag::Kind::kNone) break;
    ++at;
  }
  const size_t added = AddToBlock(text.substr(0, at), give);
  if (added < at) {
    GiveBack(give);
    return added;
  }
  if (tag.kind == Tag::Kind::kStart) {
    held_ = text.substr(at);
    return text.size();
  }
  if (tag.kind == Tag::Kind::kNone) return at;
  state_ = State::kBehindBlock;
  block_ = std::string();
  return at + tag.bytes;
}

size_t ThinkTagFilter::AddToBlock(std::string_view text, const Give& give) {
  const size_t room = kMaxBlockBytes - block_.size();
  const std::string_view piece = text.size() <= room ? text : Utf8Prefix(text, room);
  if (!piece.empty()) give({true, piece});
  block_ += piece;
  return piece.size();
}

void ThinkTagFilter::GiveBack(const Give& give) {
  state_ = State::kText;
  give({false, std::exchange(block_, std::string())});
}

void ThinkTagFilter::Flush(const Give& give) {
  const std::string held = std::exchange(held_, {});
  std::string_view rest = held;
  if (state_ == State::kBlock) {
    rest.remove_prefix(AddToBlock(rest, give));
    if (!rest.empty()) GiveBack(give);
  }
  if (rest.empty()) return;
  state_ = State::kText;
  give({false, rest});
}

void ThinkTagFilter::StartMessage() {
  if (state_ != State::kBlock) state_ = State::kStart;
}

void ThinkTagFilter::End(const Give& give) {
  Flush(give);
  if (state_ == State::kBlock) GiveBack(give);
  state_ = State::kStart;
}

}  // namespace cursorwire::agent
