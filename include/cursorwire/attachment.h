// Room: values
#ifndef CURSORWIRE_ATTACHMENT_H_
#define CURSORWIRE_ATTACHMENT_H_

#include <string>
#include <variant>

#include "cursorwire/exec.h"

namespace cursorwire {

// What a user attaches to a prompt beside images. Values; all texts are UTF-8. The agent gets them
// with the prompt, so that it does not have to ask for them. Source: docs/protocol.md, selected
// context.

// A text file.
struct AttachedFile {
  std::string path{};           // absolute
  std::string relative_path{};  // as the user wrote it, or relative to the workspace; may be empty
  std::string content{};
};

// A folder: its listing, without the content of its files. LocalExecHandler::Ls() makes one.
struct AttachedFolder {
  LsFolder tree{};
  std::string relative_path{};  // likewise
};

using Attachment = std::variant<AttachedFile, AttachedFolder>;

}  // namespace cursorwire

#endif  // CURSORWIRE_ATTACHMENT_H_
