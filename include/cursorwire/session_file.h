// Room: src/client/conversation
#ifndef CURSORWIRE_SESSION_FILE_H_
#define CURSORWIRE_SESSION_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/blob_store.h"
#include "cursorwire/client.h"
#include "cursorwire/conversation.h"
#include "cursorwire/export.h"

namespace cursorwire {

// A file that keeps one conversation, held by one process at a time: for programs that carry a
// conversation on, and save it after each turn.
//
//   absl::StatusOr<SessionFile> file = SessionFile::Open("bern.session");
//   absl::StatusOr<Conversation> talk = file->Load(client);   // a new one if the file is new
//   ... talk->Chat(...) ...
//   absl::Status saved = file->Save(*talk);
//
// The file has mode 0600 and holds all that was said, but no token. It is replaced as a whole, so
// that a process that ends at any instant leaves the former or the new state behind; it is on the
// disk when Save() returns. The lock is flock(2) on the file itself: it ends with the process.
// Thread-compatible. One that was moved from may only be destroyed or assigned to.
class CURSORWIRE_EXPORT SessionFile {
 public:
  enum class Missing {
    kMake,    // an empty file is made; it is removed again if nothing is saved
    kRefuse,  // kNotFound
  };
  //   kNotFound            there is no such file, or no such folder
  //   kFailedPrecondition  another process holds it, others than its owner may read it, or it is
  //                        not a plain file
  //   and what the operating system says
  static absl::StatusOr<SessionFile> Open(const std::string& path,
                                          Missing missing = Missing::kMake);
  ~SessionFile();
  SessionFile(SessionFile&&) noexcept;
  SessionFile& operator=(SessionFile&&) noexcept;

  // Nothing was saved in it yet.
  bool is_new() const;
  // A new conversation if the file is new. Errors: as of Conversation::Load().
  absl::StatusOr<Conversation> Load(const Client& client, ConversationOptions options = {}) const;
  // What the operating system says; the former content is still there then, unless it says that the
  // new one, which is in place, could not be brought to the disk.
  absl::Status Save(const Conversation& conversation);

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit SessionFile(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// What a list shows of a session. A value.
struct SessionInfo {
  std::string path{};
  std::string title{};   // the start of the first prompt, on one line
  std::string model{};   // of the last turn
  std::string folder{};  // where the program that saved it last was started
  size_t turns = 0;
  std::chrono::system_clock::time_point updated{};
};

// The sessions that lie in a folder, the newest first; other files are left out, those that cannot
// be read too. Reads the head of each file only.
//   kNotFound  there is no such folder
CURSORWIRE_EXPORT absl::StatusOr<std::vector<SessionInfo>> ListSessions(const std::string& folder);

// `cursorwire/sessions` in XDG_STATE_HOME, which is ~/.local/state by default. Empty: neither that
// nor HOME is set. Source: XDG Base Directory Specification.
CURSORWIRE_EXPORT std::string DefaultSessionFolder();
// A name in that folder that no other session has; makes the folder, mode 0700, if it is missing.
//   kNotFound  there is no default folder
CURSORWIRE_EXPORT absl::StatusOr<std::string> NewSessionPath();

// Blobs as files of a folder, named by their ids, for programs that live long or keep many
// conversations. The folder is made if it is missing, mode 0700; files have mode 0600, and appear
// whole or not at all. A file whose bytes are not those of its name counts as absent.
//
// The bound counts what lies in the folder when it is opened and what this process adds. Several
// processes may use one folder, but each protects only its own blobs from being evicted: give all
// but one of them a bound that they do not reach.
// A blob of our own that the disk does not take is kept in memory.
//   kFailedPrecondition  the folder cannot be made or used; others may read it
CURSORWIRE_EXPORT absl::StatusOr<std::shared_ptr<BlobStore>> OpenBlobFolder(
    const std::string& folder, BlobLimits limits = {.total_bytes = size_t{1024} * 1024 * 1024});

}  // namespace cursorwire

#endif  // CURSORWIRE_SESSION_FILE_H_
