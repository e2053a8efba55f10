#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_HISTORY_FILE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_HISTORY_FILE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/connect/redactor.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

inline constexpr size_t kMaxHistoryEntries = 1000;
inline constexpr size_t kMaxHistoryFileBytes = size_t{1024} * 1024;
// A longer entry is not kept.
inline constexpr size_t kMaxHistoryEntryBytes = size_t{64} * 1024;

// What the user entered in this and former sessions, in a file of mode 0600: one entry a line, with
// "\n" for a newline in it and "\\" for a backslash. Several sessions may use it at once: each adds
// its entries to what is there, and the file is replaced as a whole. Thread-compatible.
class HistoryFile {
 public:
  // "": nothing is kept. The folder is made, mode 0700, with the first entry.
  HistoryFile(std::string path, cursorwire::connect::Redactor redactor);

  // The entries, the oldest first; none if there is no file.
  //   kPermissionDenied  the file cannot be read
  absl::StatusOr<std::vector<std::string>> Read() const;
  // Adds an entry. One that begins with a space, repeats the last one, is too long or holds a
  // secret is left out.
  //   kUnavailable       another process holds the folder for longer than kHistoryLockWait
  //   kPermissionDenied  the file cannot be written
  absl::Status Add(const std::string& entry);

  // Whether text may be kept: it has no token that this program knows, and nothing that looks like
  // a credential.
  bool MayKeep(std::string_view entry) const;

 private:
  const std::string path_;
  const cursorwire::connect::Redactor redactor_;
};

// `history` beside the folder of sessions; "" if there is no such folder.
std::string DefaultHistoryPath();

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_HISTORY_FILE_H_
