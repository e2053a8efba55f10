#include "client/auth/failed_tokens.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <filesystem>
#include <optional>

#include "base/sha256.h"
#include "base/strings.h"
#include "client/machine/folders.h"
#include "files/locked_file.h"
#include "wire/json.h"

namespace cursorwire {

using std::chrono::seconds;

namespace {

constexpr size_t kMaxFailedBytes = size_t{64} * 1024;
constexpr size_t kKeyDigits = 16;
// The clock can hold no later one: the year 2262.
constexpr int64_t kLastSecond =
    std::chrono::duration_cast<seconds>(std::chrono::system_clock::duration::max()).count();

// Enough to know the token again, and no help to find it.
std::string KeyOf(std::string_view secret) {
  return absl::BytesToHexString(Sha256(secret)).substr(0, kKeyDigits);
}

bool IsOver(FailedTokens::Time time, FailedTokens::Time now) {
  return now - time >= FailedTokens::kMemory || time > now;
}

}  // namespace

bool FailedTokens::Has(std::string_view secret, Time now) {
  Read(now);
  return times_.contains(KeyOf(secret));
}

void FailedTokens::Add(std::string_view secret, Time now) {
  Read(now);
  if (times_.size() < kMaxRemembered) times_[KeyOf(secret)] = now;
  Write();
}

void FailedTokens::Read(Time now) {
  const auto bytes = path_.empty() ? std::optional<std::string>()
                                   : ReadPrivateFile(path_, kMaxFailedBytes).value_or(std::nullopt);
  const absl::StatusOr<wire::Json> json = wire::ParseJson(bytes.value_or("{}"));
  for (const wire::Json::Member& member :
       json.ok() ? json->members : std::vector<wire::Json::Member>()) {
    int64_t at = 0;
    if (times_.size() >= kMaxRemembered) break;
    if (!absl::SimpleAtoi(member.value.text, &at) || at < 0 || at > kLastSecond) continue;
    times_[member.name] = Time(seconds(at));
  }
  std::erase_if(times_, [now](const auto& entry) { return IsOver(entry.second, now); });
}

void FailedTokens::Write() const {
  if (path_.empty()) return;
  std::string json = "{";
  for (const auto& [key, time] : times_) {
    if (json.size() > 1) json += ',';
    wire::AppendJsonString(key, json);
    absl::StrAppend(&json, ":",
                    std::chrono::duration_cast<seconds>(time.time_since_epoch()).count());
  }
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  if (!MakePrivateFolder(folder).ok()) return;
  absl::StatusOr<LockedFile> file = LockedFile::Open(path_, LockedFile::Missing::kMake);
  if (file.ok()) (void)file->Replace(json + "}\n");  // the object itself remembers, too
}

}  // namespace cursorwire
