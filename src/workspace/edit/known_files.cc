#include "workspace/edit/known_files.h"

#include "base/error.h"

namespace cursorwire::workspace {
namespace {

absl::Status Changed() {
  return LocalError(absl::StatusCode::kAborted,
                    "the file has changed since it was read: read it again, and make the change to "
                    "what it holds now");
}

absl::Status Made() {
  return LocalError(absl::StatusCode::kAborted,
                    "the file did not exist when it was last looked at, and somebody else has made "
                    "it since: read it first");
}

}  // namespace

KnownFiles::Known& KnownFiles::Use(const std::string& path) {
  const auto found = places_.find(path);
  if (found != places_.end()) {
    files_.splice(files_.begin(), files_, found->second);
    return files_.front();
  }
  if (files_.size() == kMaxFiles) {
    places_.erase(files_.back().path);
    files_.pop_back();
  }
  files_.push_front({.path = path});
  places_.emplace(path, files_.begin());
  return files_.front();
}

const KnownFiles::Known* KnownFiles::Find(const std::string& path) const {
  const auto found = places_.find(path);
  return found == places_.end() ? nullptr : &*found->second;
}

void KnownFiles::Tell(const std::string& path, const FileState& state) {
  const std::lock_guard lock(mutex_);
  Known& known = Use(path);
  known.disk = state;
  known.text.reset();
}

void KnownFiles::TellText(const std::string& path, std::string_view text) {
  const size_t hash = HashOfContent(text);
  const std::lock_guard lock(mutex_);
  Use(path).text = hash;
}

absl::Status KnownFiles::Check(const std::string& path, const FileState& now) const {
  if (!now.exists) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  const Known* known = Find(path);
  if (known == nullptr || HoldsTheSame(known->disk, now)) return absl::OkStatus();
  // The editor has saved what the agent was told.
  if (known->text && now.hash == known->text) return absl::OkStatus();
  return known->disk.exists || known->text ? Changed() : Made();
}

absl::Status KnownFiles::CheckText(const std::string& path, std::string_view text) const {
  const size_t hash = HashOfContent(text);
  const std::lock_guard lock(mutex_);
  const Known* known = Find(path);
  if (known == nullptr) return absl::OkStatus();
  if (known->text) return *known->text == hash ? absl::OkStatus() : Changed();
  if (!known->disk.exists) return Made();
  return !known->disk.hash || *known->disk.hash == hash ? absl::OkStatus() : Changed();
}

}  // namespace cursorwire::workspace
