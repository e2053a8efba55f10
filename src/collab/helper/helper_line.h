#ifndef CURSORWIRE_SRC_COLLAB_HELPER_HELPER_LINE_H_
#define CURSORWIRE_SRC_COLLAB_HELPER_HELPER_LINE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cursorwire::collab {

// What an editor says, one JSON object a line. Source: docs/collab/nvim-helper.md, "Lines of the
// editor".
struct ConnectLine {
  std::string sync_url{};
  std::string awareness_url{};  // empty: no relay
  std::optional<std::string> name{};
  std::optional<std::string> color{};
};
struct DisconnectLine {};
struct CreateLine {};
struct OpenLine {
  std::string doc_id{};
};
struct EditLine {
  std::string content{};  // UTF-8
  bool repaired = false;  // there were lone surrogates in it, which are U+FFFD now
};
struct CloseLine {};
// In the offsets that the editor counts in; behind any text where a number is too large.
struct CursorLine {
  uint32_t offset = 0;
  struct Selection {
    uint32_t anchor = 0;
    uint32_t head = 0;
  };
  std::optional<Selection> selection{};
};
struct SetNameLine {
  std::string name{};
};
struct SetColorLine {
  std::string color{};
};
struct InfoLine {};
using EditorLine = std::variant<ConnectLine, DisconnectLine, CreateLine, OpenLine, EditLine,
                                CloseLine, CursorLine, SetNameLine, SetColorLine, InfoLine>;

// An answer that says what failed.
struct LineError {
  std::string message{};
  std::string_view code{};
  std::string request{};  // the type of the line; empty: it has none
};

// Reads a line, without its end, of at most kMaxEditorLineBytes.
std::variant<EditorLine, LineError> ReadEditorLine(std::string_view line);

inline constexpr size_t kMaxEditorLineBytes = size_t{64} * 1024 * 1024;

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_HELPER_HELPER_LINE_H_
