#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/time/clock.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "client/conversation/session_codec.h"
#include "client/machine/folders.h"
#include "client/machine/process_environment.h"
#include "cursorwire/id_source.h"
#include "cursorwire/session_file.h"
#include "files/locked_file.h"

namespace cursorwire {
namespace {

std::optional<SessionInfo> ReadInfo(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, kMaxSessionHeadBytes> buffer{};
  const ssize_t size = file.valid() ? ::pread(file.get(), buffer.data(), buffer.size(), 0) : -1;
  if (size <= 0) return std::nullopt;
  absl::StatusOr<SessionHead> head =
      DecodeSessionHead(std::string_view(buffer.data(), static_cast<size_t>(size)));
  if (!head.ok()) return std::nullopt;
  return SessionInfo{.path = path,
                     .title = std::move(head->title),
                     .model = std::move(head->model),
                     .folder = std::move(head->folder),
                     .turns = head->turns,
                     .updated = std::chrono::system_clock::time_point(
                         std::chrono::milliseconds(head->updated_ms))};
}

}  // namespace

absl::StatusOr<std::vector<SessionInfo>> ListSessions(const std::string& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) return FileError("read", folder, error.value());
  std::vector<SessionInfo> sessions;
  for (const auto end = std::filesystem::directory_iterator(); entries != end;
       entries.increment(error)) {
    if (error) return FileError("read", folder, error.value());
    if (!entries->is_regular_file(error)) continue;
    const std::string path = entries->path().string();
    if (path.ends_with(kBesideSuffix)) continue;  // of a process that is saving, or was killed then
    if (std::optional<SessionInfo> info = ReadInfo(path)) sessions.push_back(*std::move(info));
  }
  std::sort(sessions.begin(), sessions.end(), [](const SessionInfo& a, const SessionInfo& b) {
    return std::tie(b.updated, a.path) < std::tie(a.updated, b.path);
  });
  return sessions;
}

std::string DefaultSessionFolder() {
  const std::string folder = StateFolder(ReadProcessEnvironment());
  return folder.empty() ? "" : folder + "/sessions";
}

absl::StatusOr<std::string> NewSessionPath() {
  const std::string folder = DefaultSessionFolder();
  if (folder.empty()) {
    return LocalError(absl::StatusCode::kNotFound,
                      "there is no folder for sessions: set HOME or XDG_STATE_HOME");
  }
  if (absl::Status status = MakePrivateFolder(folder); !status.ok()) return status;
  const std::string time = absl::FormatTime("%Y%m%d-%H%M%S", absl::Now(), absl::UTCTimeZone());
  return absl::StrCat(folder, "/", time, "-", RandomIds()->Uuid().substr(0, 8), ".session");
}

}  // namespace cursorwire
