#include "markdown/styled_line.h"

#include <utility>

#include "markdown/text_width.h"

namespace cursor_chat::markdown {
namespace {

// Fills lines from left to right.
class LineFiller {
 public:
  explicit LineFiller(size_t columns) : columns_(columns) {}

  // Whether this still fits on the line.
  bool Fits(size_t width) const { return used_ + width <= columns_; }
  bool AtStart() const { return used_ == 0; }

  // Goes to the next line where the text does not fit, and cuts it where it has to.
  void Add(const StyledLine& text, size_t width) {
    if (Fits(width)) {
      AddLine(text, lines_.back());
      used_ += width;
      return;
    }
    for (const StyledText& part : text) {
      std::string_view rest = part.text;
      while (!rest.empty()) AddCluster(TakeCluster(rest), part.style);
    }
  }
  void NextLine() {
    lines_.emplace_back();
    used_ = 0;
  }
  std::vector<StyledLine> TakeLines() { return std::move(lines_); }

 private:
  void AddCluster(const Cluster& cluster, const TextStyle& style) {
    if (!Fits(cluster.most_columns) && !AtStart()) NextLine();
    AddText(cluster.text, style, lines_.back());
    used_ += cluster.most_columns;
  }

  const size_t columns_;
  std::vector<StyledLine> lines_{1};
  size_t used_ = 0;
};

class WordWrapper {
 public:
  explicit WordWrapper(size_t columns) : filler_(columns) {}

  void Add(const StyledText& part) {
    std::string_view rest = part.text;
    while (!rest.empty()) {
      if (const size_t letters = NarrowRun(rest); letters > 0) {
        AddToWord(rest.substr(0, letters), letters, part.style);
        rest.remove_prefix(letters);
      } else {
        AddCluster(TakeCluster(rest), part.style);
      }
    }
  }
  std::vector<StyledLine> Finish() {
    EndWord();
    return filler_.TakeLines();
  }

 private:
  // The bytes at the start that are ASCII, up to a space or a line break, and without the last of
  // them if what follows may belong to it.
  static size_t NarrowRun(std::string_view text) {
    size_t run = 0;
    while (run < text.size() && IsNarrowLetter(text[run])) ++run;
    const bool joined = run < text.size() && text[run] != ' ' && text[run] != '\n';
    return joined && run > 0 ? run - 1 : run;
  }
  static bool IsNarrowLetter(char c) {
    return c != ' ' && c != '\n' && static_cast<unsigned char>(c) < 0x80;
  }

  void AddCluster(const Cluster& cluster, const TextStyle& style) {
    if (cluster.text == "\n") {
      EndWord();
      spaces_.clear();
      space_width_ = 0;
      filler_.NextLine();
    } else if (cluster.text == " ") {
      EndWord();
      AddText(cluster.text, style, spaces_);
      ++space_width_;
    } else {
      if (cluster.columns > 1) EndWord();  // a line may be broken before a wide character
      AddToWord(cluster.text, cluster.most_columns, style);
      if (cluster.columns > 1) EndWord();
    }
  }

  void AddToWord(std::string_view text, size_t width, const TextStyle& style) {
    AddText(text, style, word_);
    word_width_ += width;
  }

  void EndWord() {
    if (word_.empty()) return;
    if (filler_.Fits(space_width_ + word_width_)) {
      filler_.Add(spaces_, space_width_);
    } else if (!filler_.AtStart()) {
      filler_.NextLine();
    }
    filler_.Add(word_, word_width_);
    spaces_.clear();
    word_.clear();
    space_width_ = word_width_ = 0;
  }

  LineFiller filler_;
  StyledLine spaces_;  // before word_
  size_t space_width_ = 0;
  StyledLine word_;
  size_t word_width_ = 0;
};

const char* ColorCode(TextColor color) {
  switch (color) {
    case TextColor::kDefault:
      return "";
    case TextColor::kRed:
      return ";31";
    case TextColor::kGreen:
      return ";32";
    case TextColor::kYellow:
      return ";33";
    case TextColor::kMagenta:
      return ";35";
    case TextColor::kCyan:
      return ";36";
    case TextColor::kFaint:
      return ";2";
  }
  return "";
}

std::string PaintPart(const StyledText& part) {
  if (part.style == TextStyle{}) return part.text;
  std::string codes;
  if (part.style.bold) codes += ";1";
  if (part.style.italic) codes += ";3";
  if (part.style.underline) codes += ";4";
  if (part.style.strike) codes += ";9";
  codes += ColorCode(part.style.color);
  return "\x1b[" + codes.substr(1) + "m" + part.text + "\x1b[0m";
}

void RemoveSpacesAtEnd(StyledLine& line) {
  while (!line.empty()) {
    std::string& text = line.back().text;
    text.resize(text.find_last_not_of(' ') + 1);
    if (!text.empty()) return;
    line.pop_back();
  }
}

}  // namespace

void AddText(std::string_view text, const TextStyle& style, StyledLine& line) {
  if (text.empty()) return;
  if (line.empty() || !(line.back().style == style)) line.push_back({"", style});
  line.back().text += text;
}

void AddLine(const StyledLine& more, StyledLine& line) {
  for (const StyledText& part : more) AddText(part.text, part.style, line);
}

size_t LineWidth(const StyledLine& line) {
  size_t columns = 0;
  for (const StyledText& part : line) columns += TextWidth(part.text);
  return columns;
}

std::vector<StyledLine> WrapWords(const StyledLine& text, size_t columns) {
  WordWrapper wrapper(columns);
  for (const StyledText& part : text) wrapper.Add(part);
  return wrapper.Finish();
}

std::vector<StyledLine> CutLine(const StyledLine& line, size_t columns) {
  LineFiller filler(columns);
  size_t width = 0;
  for (const StyledText& part : line) width += MostTextWidth(part.text);
  filler.Add(line, width);
  return filler.TakeLines();
}

std::string Paint(StyledLine line, Colors colors) {
  RemoveSpacesAtEnd(line);
  std::string bytes;
  for (const StyledText& part : line) {
    bytes += colors == Colors::kNone ? part.text : PaintPart(part);
  }
  return bytes;
}

}  // namespace cursor_chat::markdown
