#include "terminal_session/history_file.h"

#include <cursorwire/session_file.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/file_descriptor.h"
#include "common/read_file.h"

namespace cursor_chat {
namespace {

// To add an entry takes far less.
constexpr std::chrono::milliseconds kHistoryLockWait{500};
constexpr std::chrono::milliseconds kHistoryLockInterval{10};

// How credentials begin that people paste: keys of Cursor, OpenAI, Anthropic, GitHub, Slack,
// Amazon, Google, Stripe, npm, Hugging Face, and PEM. A word counts with at least kMinKeyBytes.
constexpr std::array<std::string_view, 19> kKeyStarts = {
    "key_", "crsr_", "sk-",  "sk_",  "ghp_",   "gho_", "ghs_", "ghu_", "ghr_",      "github_pat_",
    "xox",  "AKIA",  "ASIA", "AIza", "glpat-", "npm_", "hf_",  "eyJ",  "-----BEGIN"};
constexpr size_t kMinKeyBytes = 10;

absl::Status HistoryError(const std::string& what, const std::string& path) {
  return absl::PermissionDeniedError("cannot " + what + " " + path + ": " +
                                     std::generic_category().message(errno));
}

std::string Escaped(std::string_view entry) {
  std::string line;
  for (const char c : entry) {
    if (c == '\\') {
      line += "\\\\";
    } else if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  return line;
}

std::string Unescaped(std::string_view line) {
  std::string entry;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      entry += line[i] == 'n' ? '\n' : line[i];
    } else {
      entry += line[i];
    }
  }
  return entry;
}

// The newest lines within the bounds, oldest first.
std::vector<std::string_view> NewestLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t bytes = 0;
  while (!text.empty() && lines.size() < kMaxHistoryEntries) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    const size_t start = text.rfind('\n') + 1;  // npos + 1 is 0
    bytes += text.size() - start + 1;
    if (bytes > kMaxHistoryFileBytes) break;
    if (start < text.size()) lines.push_back(text.substr(start));
    text = text.substr(0, start);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool LooksLikeKey(std::string_view word) {
  return word.size() >= kMinKeyBytes &&
         std::any_of(kKeyStarts.begin(), kKeyStarts.end(),
                     [word](std::string_view start) { return word.starts_with(start); });
}

absl::StatusOr<std::string> ReadHistory(const std::string& path) {
  // A file that somebody else made larger is read to its end all the same, up to the bound of
  // ReadFile().
  if (::access(path.c_str(), F_OK) != 0 && errno == ENOENT) return "";
  absl::StatusOr<std::string> text = cursor_apps::ReadFile(path);
  if (!text.ok()) return absl::PermissionDeniedError(text.status().message());
  return text;
}

// Holds the folder while it lives, so that one process at a time changes the file.
absl::StatusOr<cursorwire::FileDescriptor> LockFolder(const std::string& folder) {
  cursorwire::FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return HistoryError("open", folder);
  const auto end = std::chrono::steady_clock::now() + kHistoryLockWait;
  while (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return HistoryError("lock", folder);
    if (std::chrono::steady_clock::now() >= end) {
      return absl::UnavailableError("another process holds " + folder);
    }
    std::this_thread::sleep_for(kHistoryLockInterval);
  }
  return lock;
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    text.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// The caller holds the folder, so the name of the new file is free but for what an ended process
// left there.
absl::Status Replace(const std::string& path, std::string_view text) {
  const std::string next = path + ".new";
  ::unlink(next.c_str());
  const cursorwire::FileDescriptor file(
      ::open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return HistoryError("make", next);
  if (!WriteAll(file.get(), text) || ::rename(next.c_str(), path.c_str()) != 0) {
    absl::Status error = HistoryError("write", path);
    ::unlink(next.c_str());
    return error;
  }
  return absl::OkStatus();
}

}  // namespace

HistoryFile::HistoryFile(std::string path, cursorwire::connect::Redactor redactor)
    : path_(std::move(path)), redactor_(std::move(redactor)) {}

absl::StatusOr<std::vector<std::string>> HistoryFile::Read() const {
  std::vector<std::string> entries;
  if (path_.empty()) return entries;
  const absl::StatusOr<std::string> text = ReadHistory(path_);
  if (!text.ok()) return text.status();
  for (const std::string_view line : NewestLines(*text)) entries.push_back(Unescaped(line));
  return entries;
}

absl::Status HistoryFile::Add(const std::string& entry) {
  if (path_.empty() || entry.empty() || !MayKeep(entry)) return absl::OkStatus();
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return HistoryError("make", folder);
  const absl::StatusOr<cursorwire::FileDescriptor> lock = LockFolder(folder);
  if (!lock.ok()) return lock.status();
  absl::StatusOr<std::string> text = ReadHistory(path_);
  if (!text.ok()) return text.status();
  const std::string line = Escaped(entry);
  if (!text->empty() && !text->ends_with('\n')) *text += '\n';
  if (*text == line + "\n" || text->ends_with("\n" + line + "\n")) return absl::OkStatus();
  *text += line + "\n";
  std::string kept;
  for (const std::string_view newest : NewestLines(*text)) kept.append(newest).append("\n");
  return Replace(path_, kept);
}

bool HistoryFile::MayKeep(std::string_view entry) const {
  if (entry.starts_with(' ') || entry.size() > kMaxHistoryEntryBytes) return false;
  if (redactor_.Redact(entry) != entry) return false;
  // A key may stand within a URL or after any other sign.
  for (size_t i = 0; i < entry.size(); ++i) {
    if (i > 0 && IsAlphanumeric(entry[i - 1])) continue;
    const std::string_view rest = entry.substr(i);
    if (LooksLikeKey(rest.substr(0, rest.find_first_of(" \t\n")))) return false;
  }
  return true;
}

std::string DefaultHistoryPath() {
  const std::string sessions = cursorwire::DefaultSessionFolder();
  if (sessions.empty()) return "";
  return (std::filesystem::path(sessions).parent_path() / "history").string();
}

}  // namespace cursor_chat
