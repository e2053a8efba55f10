#include "cursorwire/tls_session_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "client/machine/locked_file.h"
#include "client/machine/tls_sessions.h"

namespace cursorwire {
namespace {

using std::chrono::system_clock;

// What kMaxSessions of the longest take in base64, and more.
constexpr size_t kMaxTlsFileBytes = size_t{1024} * 1024;

// Each call reads the file and replaces it: another process may have changed it, and a session that
// was taken must not be there for others. No call waits, since connections wait for it.
class TlsSessionFile final : public connect::TlsSessionStore {
 public:
  explicit TlsSessionFile(std::string path) : path_(std::move(path)) {}

  void Add(const std::string& key, const std::string& session,
           system_clock::time_point expires) override {
    const std::lock_guard lock(mutex_);
    std::optional<LockedFile> file = Open(LockedFile::Missing::kMake);
    if (!file) return;
    std::optional<TlsSessions> sessions = Read(*file);
    if (!sessions) return;
    sessions->Add(key, session, expires);
    Write(*sessions, *file);
  }

  std::optional<std::string> Take(const std::string& key) override {
    const std::lock_guard lock(mutex_);
    std::optional<LockedFile> file = Open(LockedFile::Missing::kRefuse);
    if (!file) return std::nullopt;
    std::optional<TlsSessions> sessions = Read(*file);
    if (!sessions) return std::nullopt;
    std::optional<std::string> session = sessions->Take(key);
    // One that stays in the file might be used twice.
    if (session && !Write(*sessions, *file)) return std::nullopt;
    return session;
  }

 private:
  std::optional<LockedFile> Open(LockedFile::Missing missing) const {
    absl::StatusOr<LockedFile> file = LockedFile::Open(path_, missing);
    if (!file.ok()) return std::nullopt;
    return *std::move(file);
  }

  // nullopt: another file has taken the place of ours.
  static std::optional<TlsSessions> Read(const LockedFile& file) {
    const absl::StatusOr<std::string> json = file.Read(kMaxTlsFileBytes);
    return json.ok() ? TlsSessions::Read(*json, system_clock::now()) : std::nullopt;
  }

  // What a crash of the machine loses is made anew.
  static bool Write(const TlsSessions& sessions, LockedFile& file) {
    return file.Replace(sessions.Write(), LockedFile::Sync::kNo).ok();
  }

  const std::string path_;
  std::mutex mutex_;  // two threads of this one need not find the file held
};

}  // namespace

absl::StatusOr<std::shared_ptr<connect::TlsSessionStore>> OpenTlsSessionFile(
    const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    return LocalError(absl::StatusCode::kNotFound,
                      "there is no folder " + folder.string() + " for the file of TLS sessions");
  }
  const auto bytes = ReadPrivateFile(path, kMaxTlsFileBytes);
  if (!bytes.ok()) return bytes.status();
  if (bytes->has_value() && !TlsSessions::Read(**bytes, system_clock::now())) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      path + " is no file of TLS sessions: name another, or one that is not there");
  }
  struct stat info {};
  // Who owns it knows the sessions; root may read it all the same.
  if (::stat(path.c_str(), &info) == 0 && info.st_uid != ::geteuid()) {
    return LocalError(absl::StatusCode::kFailedPrecondition, path + " is another user's file");
  }
  return std::make_shared<TlsSessionFile>(path);
}

}  // namespace cursorwire
