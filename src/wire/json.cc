#include "wire/json.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::wire {
namespace {

constexpr uint32_t kReplacement = 0xFFFD;

void AppendUtf8(uint32_t code_point, std::string& out) {
  const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0 | code_point >> 6);
    put(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    put(0xE0 | code_point >> 12);
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  } else {
    put(0xF0 | code_point >> 18);
    put(0x80 | (code_point >> 12 & 0x3F));
    put(0x80 | (code_point >> 6 & 0x3F));
    put(0x80 | (code_point & 0x3F));
  }
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Json> Parse() {
    Json value;
    if (!IsUtf8(text_)) return ProtocolError("JSON: not UTF-8");
    if (!Value(0, value)) return Error();
    SkipSpace();
    if (at_ != text_.size()) return Error();
    return value;
  }

 private:
  absl::Status Error() const {
    return ProtocolError(absl::StrCat("JSON: ", problem_, " at byte ", at_, " of ", text_.size()));
  }

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool Take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool TakeWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  bool Value(int depth, Json& value) {
    SkipSpace();
    if (at_ == text_.size()) return false;
    if (++values_ > kMaxJsonValues) {
      return Fail(absl::StrCat("more than ", kMaxJsonValues, " values"));
    }
    if (depth >= kMaxJsonDepth && (text_[at_] == '[' || text_[at_] == '{')) {
      return Fail(absl::StrCat("nested deeper than ", kMaxJsonDepth));
    }
    switch (text_[at_]) {
      case '{':
        value.kind = Json::Kind::kObject;
        return Object(depth, value);
      case '[':
        value.kind = Json::Kind::kArray;
        return Array(depth, value);
      case '"':
        value.kind = Json::Kind::kString;
        return String(value.text);
      case 't':
        value.kind = Json::Kind::kBool;
        value.boolean = true;
        return TakeWord("true");
      case 'f':
        value.kind = Json::Kind::kBool;
        return TakeWord("false");
      case 'n':
        return TakeWord("null");
      default:
        value.kind = Json::Kind::kNumber;
        return Number(value.text);
    }
  }

  bool Object(int depth, Json& value) {
    ++at_;
    SkipSpace();
    if (Take('}')) return true;
    do {
      SkipSpace();
      auto& [name, member] = value.members.emplace_back();
      if (!String(name)) return false;
      SkipSpace();
      if (!Take(':') || !Value(depth + 1, member)) return false;
      SkipSpace();
    } while (Take(','));
    return Take('}');
  }

  bool Array(int depth, Json& value) {
    ++at_;
    SkipSpace();
    if (Take(']')) return true;
    do {
      if (!Value(depth + 1, value.items.emplace_back())) return false;
      SkipSpace();
    } while (Take(','));
    return Take(']');
  }

  bool Digits() {
    const size_t start = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > start;
  }

  bool Number(std::string& out) {
    const size_t start = at_;
    Take('-');
    if (!Take('0') && !Digits()) return false;
    if (Take('.') && !Digits()) return false;
    if (Take('e') || Take('E')) {
      if (!Take('+')) Take('-');
      if (!Digits()) return false;
    }
    out = text_.substr(start, at_ - start);
    return true;
  }

  bool String(std::string& out) {
    if (!Take('"')) return false;
    for (;;) {
      if (at_ == text_.size()) return false;
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) return false;
      ++at_;
      if (c == '"') return true;
      if (c != '\\') {
        out.push_back(c);
      } else if (!Escape(out)) {
        return false;
      }
    }
  }

  bool Escape(std::string& out) {
    if (at_ == text_.size()) return false;
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const char name = text_[at_++];
    if (name == 'u') return UnicodeEscape(out);
    const size_t index = kNames.find(name);
    if (index == std::string_view::npos) return false;
    out.push_back(kValues[index]);
    return true;
  }

  std::optional<uint32_t> Hex4() {
    if (text_.size() - at_ < 4) return std::nullopt;
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = text_[at_];
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return std::nullopt;
      value = value << 4 | static_cast<uint32_t>(digit);
    }
    return value;
  }

  bool UnicodeEscape(std::string& out) {
    const std::optional<uint32_t> unit = Hex4();
    if (!unit) return false;
    uint32_t code_point = *unit;
    if (code_point >= 0xD800 && code_point < 0xDC00 && text_.substr(at_, 2) == "\\u") {
      const size_t behind_first = at_;
      at_ += 2;
      const std::optional<uint32_t> low = Hex4();
      if (!low) return false;
      if (*low >= 0xDC00 && *low < 0xE000) {
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (*low - 0xDC00);
      } else {
        at_ = behind_first;  // the second escape is decoded on its own
      }
    }
    if (code_point >= 0xD800 && code_point < 0xE000) code_point = kReplacement;
    AppendUtf8(code_point, out);
    return true;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t values_ = 0;
  std::string problem_ = "syntax error";
};

void AppendJson(const Json& value, std::string& out) {
  switch (value.kind) {
    case Json::Kind::kNull:
      out += "null";
      return;
    case Json::Kind::kBool:
      out += value.boolean ? "true" : "false";
      return;
    case Json::Kind::kNumber:
      out += value.text;
      return;
    case Json::Kind::kString:
      AppendJsonString(value.text, out);
      return;
    case Json::Kind::kArray: {
      const char* separator = "[";
      for (const Json& item : value.items) {
        out += std::exchange(separator, ",");
        AppendJson(item, out);
      }
      out += value.items.empty() ? "[]" : "]";
      return;
    }
    case Json::Kind::kObject: {
      const char* separator = "{";
      for (const auto& [name, member] : value.members) {
        out += std::exchange(separator, ",");
        AppendJsonString(name, out);
        out += ':';
        AppendJson(member, out);
      }
      out += value.members.empty() ? "{}" : "}";
      return;
    }
  }
}

}  // namespace

const Json* Json::Find(std::string_view name) const {
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    if (member->name == name) return &member->value;
  }
  return nullptr;
}

std::string_view Json::FindString(std::string_view name) const {
  const Json* member = Find(name);
  return member != nullptr && member->is_string() ? std::string_view(member->text)
                                                  : std::string_view();
}

absl::StatusOr<Json> ParseJson(std::string_view text) { return Parser(text).Parse(); }

std::string WriteJson(const Json& value) {
  std::string out;
  AppendJson(value, out);
  return out;
}

void AppendJsonString(std::string_view text, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  for (const char c : ToUtf8(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 0xF];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace cursorwire::wire
