#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ATTACHMENTS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ATTACHMENTS_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/workspace.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

// A larger file is not attached.
inline constexpr size_t kMaxAttachedFileBytes = size_t{1024} * 1024;
inline constexpr size_t kMaxAttachedPaths = 1000;
inline constexpr size_t kMaxAttachedBytes = size_t{16} * 1024 * 1024;

// Reads what the user attaches: files and folders of one folder, and nothing outside of it,
// whatever symbolic links say.
class Attachments {
 public:
  // Of the folder of --workspace, or the current folder if that is "".
  //   kInvalidArgument  it is no folder, or cannot be opened
  static absl::StatusOr<Attachments> Open(const std::string& folder);

  // A text file with its content, or a folder with its listing.
  //   kInvalidArgument  there is no such file, the path leads out of the folder, or may not be
  //   read;
  //                     it is no text, no file, or larger than kMaxAttachedFileBytes. The message
  //                     names the path.
  absl::StatusOr<cursorwire::Attachment> Read(const std::string& path) const;
  // The same for each path.
  absl::StatusOr<std::vector<cursorwire::Attachment>> ReadEach(
      const std::vector<std::string>& paths) const;
  // What a prompt names with '@', in order and each once: see PathsIn().
  absl::StatusOr<std::vector<cursorwire::Attachment>> ReadNamed(std::string_view prompt) const;

  // Absolute.
  const std::string& folder() const { return files_->folder(); }

 private:
  explicit Attachments(std::unique_ptr<cursorwire::LocalExecHandler> files)
      : files_(std::move(files)) {}

  std::unique_ptr<cursorwire::LocalExecHandler> files_;
};

// A word of a prompt that begins with '@'. A value.
struct NamedPath {
  std::string path{};
  // It has a '/' or stands in quotes, so it is meant as a path even if there is no such file. A
  // word such as @ada without a file of that name stays text.
  bool certain = false;
};

// The paths that a prompt names: @src/main.cc, @docs, @"a name with spaces", @a\ name. '@' counts
// at the start of a word only, so an e-mail address is text, and so is \@word.
std::vector<NamedPath> PathsIn(std::string_view prompt);

// As the user named it.
std::string AttachedPath(const cursorwire::Attachment& attachment);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ATTACHMENTS_H_
