#ifndef CURSORWIRE_APPS_ACP_EDITOR_TEXT_H_
#define CURSORWIRE_APPS_ACP_EDITOR_TEXT_H_

#include <cursorwire/exec.h>

#include <cstddef>
#include <string>

namespace cursor_acp {

// What the agent is shown of one file, as of LocalExecOptions::max_read_bytes.
inline constexpr size_t kMaxEditorReadBytes = size_t{512} * 1024;

// The text that an editor has of a file, as the answer to a read: the lines that were asked for,
// within kMaxEditorReadBytes.
cursorwire::ReadOutput ReadOfText(const cursorwire::ReadArgs& args, const std::string& text);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_EDITOR_TEXT_H_
