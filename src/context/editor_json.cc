#include "context/editor_json.h"

#include <absl/strings/str_replace.h>

namespace cursorwire::context {
namespace {

Ordered PositionJson(const TextPosition& position) {
  Ordered value = {{"line", position.line}};
  if (position.column) value["column"] = *position.column;
  return value;
}

void AddText(Ordered& value, const char* name, const std::string& text) {
  if (!text.empty()) value[name] = text;
}

}  // namespace

Ordered ToJson(const std::string& text) { return text; }

Ordered ToJson(const CursorPosition& cursor) {
  Ordered value = Ordered::object();
  AddText(value, "path", cursor.path);
  value.update(PositionJson(cursor.position));
  return value;
}

Ordered ToJson(const TextSelection& selection) {
  Ordered value = Ordered::object();
  if (selection.start) value["start"] = PositionJson(*selection.start);
  if (selection.end) value["end"] = PositionJson(*selection.end);
  AddText(value, "text", selection.text);
  return value;
}

Ordered ToJson(const LinterError& error) {
  Ordered value = Ordered::object();
  AddText(value, "path", error.path);
  if (error.position) value.update(PositionJson(*error.position));
  AddText(value, "severity", error.severity);
  AddText(value, "message", error.message);
  AddText(value, "source", error.source);
  AddText(value, "code", error.code);
  return value;
}

Ordered ToJson(const OpenFile& file) {
  if (!file.cursor && !file.selection && !file.content) return file.path;
  Ordered value = {{"path", file.path}};
  if (file.cursor) value["cursor"] = PositionJson(*file.cursor);
  return value;
}

std::string JsonText(const Ordered& value) {
  // A "/" may be escaped. No tag is closed within a value then, as </rules> would be.
  return absl::StrReplaceAll(value.dump(-1, ' ', false, Ordered::error_handler_t::replace),
                             {{"</", "<\\/"}});
}

}  // namespace cursorwire::context
