#include "acp/prompt_blocks.h"

#include <absl/status/status.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <cursorwire/chat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace cursor_acp {
namespace {

constexpr char kFileScheme[] = "file://";

// "9-15" of "L9:15" and "L9-L15", "9" of "L9"; "" of anything else.
std::string LinesOf(std::string_view fragment) {
  std::string lines;
  if (!fragment.starts_with('L')) return lines;
  for (const char c : fragment.substr(1)) {
    if (c >= '0' && c <= '9') {
      lines += c;
    } else if (c == ':' || c == '-') {
      lines += '-';
    } else if (c != 'L') {
      return "";
    }
  }
  return lines;
}

// A path, or an address that is none; with the lines that it names.
std::string PlaceOf(std::string_view uri) {
  const size_t hash = std::min(uri.find('#'), uri.size());
  const std::string lines = hash < uri.size() ? LinesOf(uri.substr(hash + 1)) : "";
  if (!uri.starts_with(kFileScheme)) return std::string(uri);
  std::string_view path = uri.substr(0, hash);
  path.remove_prefix(std::string_view(kFileScheme).size());
  path.remove_prefix(std::min(path.find('/'), path.size()));  // a host
  return cursorwire::PercentDecode(path) + (lines.empty() ? "" : " lines " + lines);
}

// On one line and quoted, so that a name cannot pretend to be text of the user.
std::string Quoted(const std::string& text) { return WriteJson(text); }

constexpr std::string_view kMark = "attached-";

// Calls `note` with each number that stands after a kMark, also with the starts of its digits.
template <typename Note>
void ForEachMark(std::string_view text, Note note) {
  constexpr size_t kDigits = 9;  // no text has so many marks that more are needed
  for (size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at)) {
    at += kMark.size();
    size_t number = 0;
    for (const char c : text.substr(at, kDigits)) {
      if (c < '0' || c > '9') break;
      number = number * 10 + static_cast<size_t>(c - '0');
      note(number);
    }
  }
}

// A mark that is not in the text, found in a time that grows as the text does: one that looks for
// mark after mark takes hours for a file that is full of them.
std::string MarkFor(std::string_view text) {
  size_t marks = 0;
  ForEachMark(text, [&marks](size_t /*number*/) { ++marks; });
  std::vector<bool> taken(marks + 2);  // one of the numbers from 1 to marks + 1 is free
  ForEachMark(text, [&taken](size_t number) {
    if (number < taken.size()) taken[number] = true;
  });
  size_t free = 1;
  while (taken[free]) ++free;
  return absl::StrCat(absl::string_view(kMark.data(), kMark.size()), free);
}

// UTF-8 without zero bytes. What is no UTF-8 is left out by one way to write it and not by the
// other.
bool IsUtf8Text(const std::string& bytes) {
  const Json value = bytes;
  return bytes.find('\0') == bytes.npos &&
         value.dump(-1, ' ', false, Json::error_handler_t::ignore) == WriteJson(value);
}

// The text between two marks that are not in it.
std::string Embedded(const std::string& place, const std::string& text) {
  const std::string mark = MarkFor(text);
  return absl::StrCat("<", mark, " name=", Quoted(place), ">\n", text,
                      text.ends_with('\n') ? "" : "\n", "</", mark, ">");
}

// One prompt while it is read.
class Reader {
 public:
  absl::Status Add(const Json& block);
  absl::StatusOr<PromptContent> Finish();

 private:
  absl::Status AddText(const Json& block);
  absl::Status AddImage(const std::string& data);
  absl::Status AddResource(const Json& block);
  absl::Status AddBlob(const Json& resource, const std::string& uri);
  void AddEmbedded(const std::string& uri, std::string text);
  absl::Status AddLink(const Json& block);
  // A line of its own, or several.
  void AddLines(const std::string& lines);

  PromptContent content_;
};

absl::Status Reader::Add(const Json& block) {
  const std::string type = TextOf(block, "type");
  if (type == "text") return AddText(block);
  if (type == "image") return AddImage(TextOf(block, "data"));
  if (type == "resource") return AddResource(block);
  if (type == "resource_link") return AddLink(block);
  if (type == "audio") return absl::InvalidArgumentError("audio is not supported");
  return absl::InvalidArgumentError("unknown type " + Quoted(OneShortLine(type, 50)));
}

absl::Status Reader::AddText(const Json& block) {
  const absl::StatusOr<std::string> text = RequireText(block, "text");
  if (!text.ok()) return text.status();
  if (content_.title.empty()) {
    const size_t start = std::min(text->find_first_not_of(" \t\r\n"), text->size());
    const std::string line = text->substr(start, text->find('\n', start) - start);
    content_.title = OneShortLine(line, kMaxTitleBytes);
  }
  content_.text += *text;
  return absl::OkStatus();
}

absl::Status Reader::AddImage(const std::string& data) {
  if (data.size() / 4 * 3 > cursorwire::kMaxImageBytes + 3) {
    return absl::InvalidArgumentError("the image is larger than 5 MiB");
  }
  std::string bytes;
  if (!absl::Base64Unescape(data, &bytes)) {
    return absl::InvalidArgumentError("data is not base64");
  }
  if (bytes.size() > cursorwire::kMaxImageBytes) {
    return absl::InvalidArgumentError("the image is larger than 5 MiB");
  }
  if (!cursorwire::ImageMimeType(bytes)) {
    return absl::InvalidArgumentError("the image is not a jpeg, png, gif or webp");
  }
  content_.images.push_back(std::move(bytes));
  return absl::OkStatus();
}

absl::Status Reader::AddResource(const Json& block) {
  const Json& resource = MemberOf(block, "resource");
  const absl::StatusOr<std::string> uri = RequireText(resource, "uri");
  if (!uri.ok()) return uri.status();
  const Json& text = MemberOf(resource, "text");
  if (!text.is_string()) return AddBlob(resource, *uri);
  AddEmbedded(*uri, text.get<std::string>());
  return absl::OkStatus();
}

void Reader::AddEmbedded(const std::string& uri, std::string text) {
  const std::string place = PlaceOf(uri);
  AddLines(Embedded(place, text));
  // With a fragment it is a part of the file.
  if (place.starts_with('/') && uri.find('#') == uri.npos) {
    content_.files.push_back({.path = place, .content = std::move(text)});
  }
}

absl::Status Reader::AddBlob(const Json& resource, const std::string& uri) {
  const absl::StatusOr<std::string> blob = RequireText(resource, "blob");
  if (!blob.ok()) return absl::InvalidArgumentError("the resource has no text and no blob");
  if (TextOf(resource, "mimeType").starts_with("image/")) return AddImage(*blob);
  std::string bytes;
  if (!absl::Base64Unescape(*blob, &bytes)) return absl::InvalidArgumentError("blob is not base64");
  if (IsUtf8Text(bytes)) {
    AddEmbedded(uri, std::move(bytes));
    return absl::OkStatus();
  }
  AddLines(absl::StrCat("(attached: ", Quoted(PlaceOf(uri)), ", ", bytes.size(),
                        " bytes that are no text and are not shown)"));
  return absl::OkStatus();
}

absl::Status Reader::AddLink(const Json& block) {
  const absl::StatusOr<std::string> uri = RequireText(block, "uri");
  if (!uri.ok()) return uri.status();
  AddLines("(see " + Quoted(PlaceOf(*uri)) + ")");
  return absl::OkStatus();
}

void Reader::AddLines(const std::string& lines) {
  std::string& text = content_.text;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += lines + "\n";
}

absl::StatusOr<PromptContent> Reader::Finish() {
  const bool has_text = content_.text.find_first_not_of(" \t\r\n") != std::string::npos;
  if (!has_text && content_.images.empty()) {
    return absl::InvalidArgumentError("prompt is empty");
  }
  if (!has_text) content_.text = "Look at this.";  // a request needs words
  return std::move(content_);
}

// A path as part of a URI. Source: RFC 3986, unreserved characters.
std::string PercentEncoded(std::string_view path) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string encoded;
  for (const char c : path) {
    if (kAllowed.find(c) != kAllowed.npos) {
      encoded += c;
    } else {
      absl::StrAppend(&encoded, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return encoded;
}

Json LinkTo(const std::string& place) {
  constexpr std::string_view kLines = " lines ";
  if (!place.starts_with('/')) {
    return {{"type", "resource_link"}, {"uri", place}, {"name", place}};
  }
  std::string_view path = place;
  std::string fragment;
  const size_t lines = path.rfind(kLines);
  if (lines != path.npos &&
      path.find_first_not_of("0123456789-", lines + kLines.size()) == path.npos) {
    fragment = "#L" + std::string(path.substr(lines + kLines.size()));
    path = path.substr(0, lines);
  }
  const std::string name(path.substr(path.rfind('/') + 1));
  return {{"type", "resource_link"},
          {"uri", kFileScheme + PercentEncoded(path) + fragment},
          {"name", name.empty() ? place : name}};
}

// The text between the quotes of Quoted(), in a line with nothing but these words around it;
// nullopt: the line is another.
std::optional<std::string> QuotedIn(std::string_view line, std::string_view before,
                                    std::string_view behind) {
  if (!line.starts_with(before) || !line.ends_with(behind) ||
      line.size() < before.size() + behind.size()) {
    return std::nullopt;
  }
  line.remove_prefix(before.size());
  line.remove_suffix(behind.size());
  const Json value = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!value.is_string()) return std::nullopt;
  return value.get<std::string>();
}

// Takes the text of a prompt apart, line by line.
class Shower {
 public:
  explicit Shower(std::string_view text) : rest_(text) {}

  std::vector<Json> Take() {
    while (!rest_.empty()) {
      const std::string_view line = rest_.substr(0, std::min(rest_.find('\n'), rest_.size()));
      if (const auto link = QuotedIn(line, "(see ", ")")) {
        AddLink(*link, line.size());
      } else if (!TakeEmbedded(line)) {
        AddText(std::min(line.size() + 1, rest_.size()));
      }
    }
    FlushText();
    return std::move(blocks_);
  }

 private:
  // False: the line does not begin an embedded text.
  bool TakeEmbedded(std::string_view line) {
    if (is_forged_ || !line.starts_with('<') || !line.substr(1).starts_with(kMark)) return false;
    const std::string_view mark = line.substr(1, line.find(' ') - 1);
    const auto place = QuotedIn(line.substr(1 + mark.size()), " name=", ">");
    if (!place) return false;
    const std::string close =
        absl::StrCat("\n</", absl::string_view(mark.data(), mark.size()), ">");
    const size_t end = rest_.find(close, line.size());
    // What we have written has its end. So one search at most is in vain.
    if (end == rest_.npos) {
      is_forged_ = true;
      return false;
    }
    AddLink(*place, end + close.size());
    return true;
  }

  void AddText(size_t bytes) {
    text_ += rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
  }
  // In place of so many bytes and of the end of their line.
  void AddLink(const std::string& place, size_t bytes) {
    FlushText();
    blocks_.push_back(LinkTo(place));
    rest_.remove_prefix(bytes);
    if (rest_.starts_with('\n')) rest_.remove_prefix(1);
  }
  void FlushText() {
    if (!text_.empty()) blocks_.push_back({{"type", "text"}, {"text", std::exchange(text_, {})}});
  }

  std::string_view rest_;
  std::string text_;
  bool is_forged_ = false;  // marks were written by somebody else
  std::vector<Json> blocks_;
};

}  // namespace

std::vector<Json> ShownPromptBlocks(std::string_view text, size_t images) {
  std::vector<Json> blocks = Shower(text).Take();
  if (images > 0) {
    blocks.push_back({{"type", "text"},
                      {"text", absl::StrCat("\n[", images, images == 1 ? " image]" : " images]")}});
  }
  return blocks;
}

absl::StatusOr<PromptContent> ReadPromptBlocks(const Json& blocks) {
  if (!blocks.is_array()) return absl::InvalidArgumentError("prompt is no list");
  if (blocks.size() > kMaxPromptBlocks) {
    return absl::InvalidArgumentError(
        absl::StrCat("prompt has more than ", kMaxPromptBlocks, " blocks"));
  }
  Reader reader;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (absl::Status added = reader.Add(blocks[i]); !added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("prompt[", i, "]: ", std::string(added.message())));
    }
  }
  return reader.Finish();
}

}  // namespace cursor_acp
