#include "markdown/markdown_block.h"

#include <md4c.h>

#include <utility>

#include "markdown/html_entity.h"

namespace cursor_chat::markdown {
namespace {

using Kind = MarkdownBlock::Kind;

std::string AttributeText(const MD_ATTRIBUTE& attribute) {
  if (attribute.text == nullptr) return {};
  const std::string_view all(attribute.text, attribute.size);
  std::string text;
  for (size_t i = 0; attribute.substr_offsets[i] < attribute.size; ++i) {
    const size_t start = attribute.substr_offsets[i];
    const std::string_view part = all.substr(start, attribute.substr_offsets[i + 1] - start);
    text += attribute.substr_types[i] == MD_TEXT_ENTITY ? EntityText(part) : std::string(part);
  }
  return text;
}

MarkdownBlock::Align AlignOf(MD_ALIGN align) {
  if (align == MD_ALIGN_RIGHT) return MarkdownBlock::Align::kRight;
  return align == MD_ALIGN_CENTER ? MarkdownBlock::Align::kCenter : MarkdownBlock::Align::kLeft;
}

MarkdownBlock ItemOf(const MD_BLOCK_LI_DETAIL& detail) {
  MarkdownBlock block;
  block.kind = Kind::kItem;
  if (detail.is_task != 0) {
    block.task = detail.task_mark == ' ' ? MarkdownBlock::Task::kOpen : MarkdownBlock::Task::kDone;
  }
  return block;
}

// The block that md4c describes; nullopt if it has none of its own in our tree.
std::optional<MarkdownBlock> BlockOf(MD_BLOCKTYPE type, const void* detail) {
  MarkdownBlock block;
  switch (type) {
    case MD_BLOCK_QUOTE:
      block.kind = Kind::kQuote;
      return block;
    case MD_BLOCK_UL:
      block.kind = Kind::kList;
      block.tight = static_cast<const MD_BLOCK_UL_DETAIL*>(detail)->is_tight != 0;
      return block;
    case MD_BLOCK_OL:
      block.kind = Kind::kList;
      block.tight = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->is_tight != 0;
      block.number = static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start;
      return block;
    case MD_BLOCK_LI:
      return ItemOf(*static_cast<const MD_BLOCK_LI_DETAIL*>(detail));
    case MD_BLOCK_HR:
      block.kind = Kind::kRule;
      return block;
    case MD_BLOCK_H:
      block.kind = Kind::kHeading;
      block.level = static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level;
      return block;
    case MD_BLOCK_CODE:
      block.kind = Kind::kCode;
      block.language = AttributeText(static_cast<const MD_BLOCK_CODE_DETAIL*>(detail)->lang);
      return block;
    case MD_BLOCK_HTML:
    case MD_BLOCK_P:
      block.kind = Kind::kParagraph;
      return block;
    case MD_BLOCK_TABLE:
      block.kind = Kind::kTable;
      return block;
    case MD_BLOCK_TR:
      block.kind = Kind::kRow;
      return block;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      block.kind = Kind::kCell;
      block.align = AlignOf(static_cast<const MD_BLOCK_TD_DETAIL*>(detail)->align);
      return block;
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
      return std::nullopt;
  }
  return std::nullopt;
}

bool IsContainer(Kind kind) {
  return kind == Kind::kDocument || kind == Kind::kQuote || kind == Kind::kList ||
         kind == Kind::kItem;
}

// Builds the tree from what md4c calls. A function that returns other than 0 should end the
// parsing, but md4c 0.4.8 goes on to the next row of a table: so what comes after failed() is
// ignored.
class TreeBuilder {
 public:
  explicit TreeBuilder(Colors colors) : keep_marks_(colors == Colors::kNone) {}

  bool failed() const { return cells_ > kMaxTableCells; }

  int Enter(MD_BLOCKTYPE type, const void* detail) {
    if (failed()) return 1;
    std::optional<MarkdownBlock> block = BlockOf(type, detail);
    if (block && block->kind == Kind::kCell) ++cells_;
    if (failed()) return 1;
    // Without a block of its own, what is within belongs to the one around.
    const bool too_deep = block && IsContainer(block->kind) && open_.size() > kMaxBlockDepth;
    if (!block || too_deep) {
      open_.push_back(open_.back());
      return 0;
    }
    open_.back()->children.push_back(*std::move(block));
    open_.push_back(&open_.back()->children.back());
    return 0;
  }
  int Leave() {
    if (failed()) return 1;
    open_.pop_back();
    return 0;
  }

  int EnterSpan(MD_SPANTYPE type, const void* detail) {
    if (failed()) return 1;
    switch (type) {
      case MD_SPAN_EM:
        ++italic_;
        break;
      case MD_SPAN_STRONG:
        ++bold_;
        break;
      case MD_SPAN_DEL:
        ++strike_;
        if (keep_marks_) AddInline("~~");
        break;
      case MD_SPAN_CODE:
        ++code_;
        if (keep_marks_) AddInline("`");
        break;
      case MD_SPAN_A:
        link_ = AttributeText(static_cast<const MD_SPAN_A_DETAIL*>(detail)->href);
        link_text_.clear();
        break;
      case MD_SPAN_IMG:
        AddInline("[image: ");
        images_.push_back(AttributeText(static_cast<const MD_SPAN_IMG_DETAIL*>(detail)->src));
        break;
      default:
        break;
    }
    return 0;
  }
  int LeaveSpan(MD_SPANTYPE type) {
    if (failed()) return 1;
    switch (type) {
      case MD_SPAN_EM:
        --italic_;
        break;
      case MD_SPAN_STRONG:
        --bold_;
        break;
      case MD_SPAN_DEL:
        if (keep_marks_) AddInline("~~");
        --strike_;
        break;
      case MD_SPAN_CODE:
        if (keep_marks_) AddInline("`");
        --code_;
        break;
      case MD_SPAN_A:
        EndLink();
        break;
      case MD_SPAN_IMG:
        EndImage();
        break;
      default:
        break;
    }
    return 0;
  }

  int Text(MD_TEXTTYPE type, std::string_view text) {
    if (failed()) return 1;
    if (open_.back()->kind == Kind::kCode) {
      open_.back()->code += text;
      return 0;
    }
    switch (type) {
      case MD_TEXT_BR:
      // A model breaks a line where it wants one, and leaves it to us to wrap paragraphs.
      case MD_TEXT_SOFTBR:
        AddInline("\n");
        break;
      case MD_TEXT_ENTITY:
        AddInline(EntityText(text));
        break;
      default:
        AddInline(text);
        break;
    }
    return 0;
  }

  MarkdownBlock TakeRoot() { return std::move(root_); }

 private:
  // The block for inline text. The text of an item without blank lines comes without a paragraph.
  MarkdownBlock& TextBlock() {
    MarkdownBlock& top = *open_.back();
    if (!IsContainer(top.kind)) return top;
    if (top.children.empty() || top.children.back().kind != Kind::kParagraph) {
      top.children.emplace_back().kind = Kind::kParagraph;
    }
    return top.children.back();
  }

  TextStyle Style() const {
    TextStyle style;
    style.italic = italic_ > 0;
    style.bold = bold_ > 0;
    style.strike = strike_ > 0;
    if (code_ > 0) style.color = TextColor::kYellow;
    if (link_) style.underline = true;
    return style;
  }

  void AddInline(std::string_view text) {
    std::string shown(text);
    for (char& c : shown) {
      if (c == '\t') c = ' ';
    }
    if (link_) link_text_ += shown;
    AddText(shown, Style(), TextBlock().text);
  }

  void EndLink() {
    const std::string url = std::exchange(link_, std::nullopt).value_or("");
    if (!url.empty() && url != link_text_ && url != "mailto:" + link_text_) AddUrl(url);
  }
  void EndImage() {
    const std::string url = std::move(images_.back());
    images_.pop_back();
    AddInline("]");
    if (!url.empty()) AddUrl(url);
  }
  void AddUrl(const std::string& url) {
    StyledLine& text = TextBlock().text;
    TextStyle style;
    style.color = TextColor::kCyan;
    AddText(" (", {}, text);
    AddText(url, style, text);
    AddText(")", {}, text);
  }

  const bool keep_marks_;
  MarkdownBlock root_;
  std::vector<MarkdownBlock*> open_{&root_};  // from the outermost to the innermost
  size_t cells_ = 0;
  int italic_ = 0;
  int bold_ = 0;
  int strike_ = 0;
  int code_ = 0;
  std::optional<std::string> link_;
  std::string link_text_;
  std::vector<std::string> images_;
};

TreeBuilder& BuilderOf(void* data) { return *static_cast<TreeBuilder*>(data); }

}  // namespace

std::optional<MarkdownBlock> ParseMarkdown(std::string_view source, Colors colors) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    return BuilderOf(data).Enter(type, detail);
  };
  parser.leave_block = [](MD_BLOCKTYPE, void*, void* data) { return BuilderOf(data).Leave(); };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    return BuilderOf(data).EnterSpan(type, detail);
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    return BuilderOf(data).LeaveSpan(type);
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    return BuilderOf(data).Text(type, {text, size});
  };
  TreeBuilder builder(colors);
  const auto size = static_cast<MD_SIZE>(source.size());
  if (md_parse(source.data(), size, &parser, &builder) != 0 || builder.failed()) {
    return std::nullopt;
  }
  return builder.TakeRoot();
}

}  // namespace cursor_chat::markdown
