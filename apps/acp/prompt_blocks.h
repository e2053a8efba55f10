#ifndef CURSORWIRE_APPS_ACP_PROMPT_BLOCKS_H_
#define CURSORWIRE_APPS_ACP_PROMPT_BLOCKS_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "acp/json.h"

namespace cursor_acp {

inline constexpr size_t kMaxPromptBlocks = 4096;
inline constexpr size_t kMaxTitleBytes = 200;  // of a session

// What a prompt of the editor says, for a ChatRequest. A value.
struct PromptContent {
  std::string text{};
  std::vector<std::string> images{};  // the bytes of their files
  std::string title{};                // the first line that the user wrote; may be empty
  // Whole files that are embedded in the text, as the editor has them.
  std::vector<cursorwire::AttachedFile> files{};
};

// Reads the ContentBlocks of a prompt. An embedded text stands where it was put, between two lines
// that no text can forge; a link is a line with its path. Links are never followed.
//   kInvalidArgument  no blocks, or one that cannot be used; the message says which and why
absl::StatusOr<PromptContent> ReadPromptBlocks(const Json& blocks);

// The way back, to show a prompt of a history: ContentBlocks of its text, with links for what was
// attached and for links; a note stands for images, which are not kept.
std::vector<Json> ShownPromptBlocks(std::string_view text, size_t images);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_PROMPT_BLOCKS_H_
