#include "acp/session_folder.h"

#include <absl/time/time.h>
#include <cursorwire/session_file.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <system_error>
#include <utility>

#include "base/file_descriptor.h"

namespace cursor_acp {
namespace {

constexpr char kRecordEnd[] = ".json";
constexpr char kConversationEnd[] = ".session";
constexpr size_t kIdDigits = 32;
constexpr uint64_t kLastMillisecond = 253'402'300'799'999;  // of the year 9999, since 1970

// An id becomes the name of a file.
bool IsId(const std::string& id) {
  return id.size() == kIdDigits && id.find_first_not_of("0123456789abcdef") == id.npos;
}

absl::Status SystemError(const std::string& what) {
  const int code = errno;
  return absl::UnknownError(what + ": " + std::generic_category().message(code));
}

Json ToJson(const SessionRecord& record) {
  return {{"folder", record.folder},         {"title", record.title},
          {"updated_ms", record.updated_ms}, {"mode", std::string(NameOf(record.choices.mode))},
          {"model", record.choices.model},   {"effort", record.choices.effort}};
}

// Writes a file that nobody else can read, whole on the disk.
absl::Status WriteNew(const std::string& path, const std::string& text) {
  const cursorwire::FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return SystemError(path);
  for (size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(file.get(), text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path);
    written += static_cast<size_t>(count);
  }
  return ::fsync(file.get()) == 0 ? absl::OkStatus() : SystemError(path);
}

std::string RandomId() {
  std::random_device random;
  std::string id;
  while (id.size() < kIdDigits) id += "0123456789abcdef"[random() % 16];
  return id;
}

}  // namespace

std::string UpdatedAt(const SessionRecord& record) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixMillis(record.updated_ms),
                          absl::UTCTimeZone());
}

absl::Status SessionFolder::Prepare() const {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  if (::mkdir(path_.c_str(), 0700) == 0 || errno == EEXIST) return absl::OkStatus();
  return absl::FailedPreconditionError(std::string(SystemError(path_).message()));
}

std::string SessionFolder::NewId() const { return RandomId(); }

std::string SessionFolder::RecordPath(const std::string& id) const {
  return path_ + "/" + id + kRecordEnd;
}
std::string SessionFolder::ConversationPath(const std::string& id) const {
  return path_ + "/" + id + kConversationEnd;
}

absl::StatusOr<SessionRecord> SessionFolder::Read(const std::string& id) const {
  const absl::Status missing = absl::NotFoundError("there is no session " + OneShortLine(id, 64));
  if (!IsId(id)) return missing;
  std::ifstream file(RecordPath(id), std::ios::binary);
  if (!file) return missing;
  std::string text(kMaxRecordBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const Json json = text.size() > kMaxRecordBytes ? Json::object() : ParseObject(text);
  SessionRecord record{.id = id,
                       .folder = TextOf(json, "folder"),
                       .title = TextOf(json, "title"),
                       .choices = {.effort = TextOf(json, "effort")}};
  const Json& updated = MemberOf(json, "updated_ms");
  // A number that is not negative is unsigned here.
  if (updated.is_number_unsigned() && updated.get<uint64_t>() <= kLastMillisecond) {
    record.updated_ms = updated.get<int64_t>();
  }
  const auto mode = ModeNamed(TextOf(json, "mode"));
  if (!mode || record.folder.empty()) return missing;
  record.choices.mode = *mode;
  if (const std::string model = TextOf(json, "model"); !model.empty()) {
    record.choices.model = model;
  }
  return record;
}

absl::Status SessionFolder::Write(const SessionRecord& record) const {
  const std::string path = RecordPath(record.id);
  const std::string fresh = path + "." + RandomId();
  absl::Status status = WriteNew(fresh, WriteJson(ToJson(record)));
  if (status.ok() && ::rename(fresh.c_str(), path.c_str()) != 0) status = SystemError(path);
  if (!status.ok()) ::unlink(fresh.c_str());
  return status;
}

absl::Status SessionFolder::Delete(const std::string& id) const {
  using cursorwire::SessionFile;
  if (!IsId(id)) return absl::OkStatus();
  const std::string path = ConversationPath(id);
  // Held while both are deleted, so that nobody writes to a file that has no name any more.
  const absl::StatusOr<SessionFile> held = SessionFile::Open(path, SessionFile::Missing::kRefuse);
  if (!held.ok() && !absl::IsNotFound(held.status())) return held.status();
  for (const std::string& name : {RecordPath(id), path}) {
    if (::unlink(name.c_str()) != 0 && errno != ENOENT) return SystemError(name);
  }
  return absl::OkStatus();
}

std::vector<SessionRecord> SessionFolder::List() const {
  std::vector<SessionRecord> records;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error)) {
    if (entry.path().extension() != kRecordEnd) continue;
    absl::StatusOr<SessionRecord> record = Read(entry.path().stem().string());
    if (record.ok()) records.push_back(*std::move(record));
  }
  std::sort(records.begin(), records.end(), [](const SessionRecord& a, const SessionRecord& b) {
    return std::pair(-a.updated_ms, a.id) < std::pair(-b.updated_ms, b.id);
  });
  return records;
}

}  // namespace cursor_acp
