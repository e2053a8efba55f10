// Room: src/collab/live
#ifndef CURSORWIRE_COLLAB_EDITOR_HELPER_H_
#define CURSORWIRE_COLLAB_EDITOR_HELPER_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cursorwire/collab/text_session.h"
#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"

namespace cursorwire::collab {

struct EditorHelperOptions {
  // What places are counted in, in both directions.
  OffsetUnit offsets = OffsetUnit::kCodePoints;
  // Whether the editor is told of sync_status, awareness_status and cursor_removed.
  bool status = false;
  // Whether ws:// may go to another machine, where others can read and change all.
  bool allow_plaintext = false;
  // For wss://.
  connect::TlsOptions tls{};
  // A folder, made if it is missing, where each document is kept as <id>.automerge, with mode 0600.
  // Empty: nothing is written.
  std::string storage_folder{};
  // Takes each line for the editor, without its end. Must be set. Called on a thread of the helper,
  // one line at a time, also after OnInputEnd(). While it does not return, nothing else happens.
  std::function<void(std::string line)> on_line{};
  // All is done after OnInputEnd(): edits were sent where there was a server. On the same thread.
  std::function<void()> on_end{};
};

// What an editor plugin has beside it: it speaks JSON, one object a line, with the editor, and
// follows a document and the cursors of others for it. cursor-collab nvim-helper is this with
// standard input and output. Source: docs/collab/nvim-helper.md.
//
// Thread-safe, but OnLine() is for one thread. The destructor drops connections at once, and waits
// for the helper's thread: it must not be destroyed in `on_line` or `on_end`. Have these tell the
// thread that owns it to destroy it.
class CURSORWIRE_EXPORT EditorHelper {
 public:
  // A longer line must not be given to OnLine(), but told of by OnTooLongLine().
  static constexpr size_t kMaxLineBytes = size_t{64} * 1024 * 1024;

  //   kInvalidArgument  certificates that do not parse
  //   kUnavailable      the system starts no more threads, or its roots cannot be loaded
  static absl::StatusOr<std::unique_ptr<EditorHelper>> Start(EditorHelperOptions options);
  ~EditorHelper();
  EditorHelper(const EditorHelper&) = delete;
  EditorHelper& operator=(const EditorHelper&) = delete;

  // A line of the editor, without its end. Waits while many others wait to be done.
  void OnLine(std::string_view line);
  void OnTooLongLine();
  // Nothing more comes. `on_end` follows, at the latest 2 s after what was begun is done.
  void OnInputEnd();
  // The same, but what waits is dropped: `on_end` follows within 2 s.
  void Stop();

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit EditorHelper(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_COLLAB_EDITOR_HELPER_H_
