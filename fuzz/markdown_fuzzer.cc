// Renders Markdown on an emulated screen, as a whole and in pieces: both must leave the same lines,
// and write nothing but text, colours and the movements of the renderer.
//
// Input: columns, rows, options, the sizes of pieces; then the text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "apps/cursor-chat/markdown/screen.h"
#include "markdown/markdown_renderer.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursor_chat::Colors;
using cursor_chat::MarkdownRenderer;
using cursor_chat::MarkdownStyle;
using cursor_chat::markdown::Screen;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

constexpr size_t kMostText = 1500;
// A text is much shorter, but can be a table with many empty cells.
constexpr size_t kMostBytes = 8 << 20;

class Run {
 public:
  explicit Run(const MarkdownStyle& style) : renderer_(style), screen_(style.columns, style.rows) {}

  void Add(std::string_view piece) { Write(renderer_.Add(piece)); }
  void Resize(size_t columns, size_t rows) {
    renderer_.Resize(columns, rows);
    screen_.Resize(columns, rows);
  }
  std::string Finish() {
    Write(renderer_.Finish());
    Check(screen_.at_line_start());
    return screen_.PaintedText();
  }

 private:
  void Write(const std::string& bytes) {
    Check(bytes.size() <= kMostBytes);
    screen_.Write(bytes);
    Check(screen_.faults().empty());
  }

  MarkdownRenderer renderer_;
  Screen screen_;
};

// Not many, since each of them draws the open block again.
size_t NextPiece(size_t text_bytes, uint32_t& state) {
  state = state * 1664525 + 1013904223;
  const size_t most = text_bytes / 6 + 4;
  return 1 + (state >> 16) % most;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  MarkdownStyle style;
  style.columns = size_t{2} + input.TakeByte() % 120;
  style.rows = size_t{2} + input.TakeByte() % 40;
  const uint8_t options = input.TakeByte();
  style.colors = (options & 1) != 0 ? Colors::kAnsi : Colors::kNone;
  style.unicode = (options & 2) != 0;
  uint32_t state = input.TakeByte();
  const std::string_view text = input.Take(kMostText);

  Run whole(style);
  whole.Add(text);
  Run pieces(style);
  Run resized(style);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = rest.substr(0, NextPiece(text.size(), state));
    rest.remove_prefix(piece.size());
    pieces.Add(piece);
    resized.Add(piece);
    if (state % 4 == 0) resized.Resize(2 + state % 97, 2 + state % 31);
  }
  Check(whole.Finish() == pieces.Finish());
  resized.Finish();
  return 0;
}
