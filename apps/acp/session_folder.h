#ifndef CURSORWIRE_APPS_ACP_SESSION_FOLDER_H_
#define CURSORWIRE_APPS_ACP_SESSION_FOLDER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "acp/session_choices.h"

namespace cursor_acp {

inline constexpr size_t kSessionsOfPage = 50;
inline constexpr size_t kMaxRecordBytes = size_t{64} * 1024;

// What is kept of a session beside its conversation. A value.
struct SessionRecord {
  std::string id{};
  std::string folder{};
  std::string title{};     // empty before the first prompt
  int64_t updated_ms = 0;  // since 1970; 0: not known
  Choices choices{};
};

// As the protocol has times, such as "2026-01-31T12:00:00Z".
std::string UpdatedAt(const SessionRecord& record);

// The sessions of --state: for each the file ID.json with its record, and the session file
// ID.session with its conversation. Files have mode 0600, the folder 0700. Several processes may
// share it. Thread-compatible.
class SessionFolder {
 public:
  explicit SessionFolder(std::string path) : path_(std::move(path)) {}

  // Makes the folder if it is missing.
  //   kFailedPrecondition  it cannot be made
  absl::Status Prepare() const;
  // An id that no session has.
  std::string NewId() const;
  // Path of the session file.
  std::string ConversationPath(const std::string& id) const;

  //   kNotFound  there is no such session, or its record is damaged
  absl::StatusOr<SessionRecord> Read(const std::string& id) const;
  // Replaces the record as a whole.
  //   what the operating system says
  absl::Status Write(const SessionRecord& record) const;
  // OK also if there is none.
  //   kFailedPrecondition  another process has it open, or the file is not as SessionFile wants it;
  //                        nothing is deleted
  //   and what the operating system says
  absl::Status Delete(const std::string& id) const;
  // Newest first. Damaged records are left out.
  std::vector<SessionRecord> List() const;

 private:
  std::string RecordPath(const std::string& id) const;

  const std::string path_;
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_SESSION_FOLDER_H_
