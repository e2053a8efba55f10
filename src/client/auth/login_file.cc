#include "client/auth/login_file.h"

#include <filesystem>

#include "base/error.h"
#include "base/strings.h"
#include "client/machine/folders.h"

namespace cursorwire {
namespace {

constexpr size_t kMaxLoginFileBytes = size_t{1} * 1024 * 1024;

// There is no login, whatever keeps us from reading it.
absl::Status Unreadable(const absl::Status& status) {
  return LocalError(absl::StatusCode::kUnauthenticated, ToStd(status.message()));
}

}  // namespace

absl::StatusOr<std::optional<LoginTokens>> ReadLogin(const std::string& path) {
  const absl::StatusOr<std::optional<std::string>> json = ReadPrivateFile(path, kMaxLoginFileBytes);
  if (!json.ok()) return Unreadable(json.status());
  if (!json->has_value()) return std::nullopt;
  if ((*json)->empty()) return std::nullopt;  // of a process that ended before it wrote
  absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(**json);
  if (!tokens.ok()) return Annotate(Unreadable(tokens.status()), path);
  if (tokens->empty()) return std::nullopt;
  return *std::move(tokens);
}

absl::Status CheckLoginFile(const std::string& path) {
  const absl::Status status = ReadPrivateFile(path, kMaxLoginFileBytes).status();
  return status.ok() ? status : Unreadable(status);
}

absl::StatusOr<HeldLogin> HeldLogin::Open(const std::string& path, LockedFile::Missing missing,
                                          const std::stop_token& stop) {
  if (missing == LockedFile::Missing::kMake) {
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (absl::Status status = MakePrivateFolder(folder); !status.ok()) return status;
  }
  absl::StatusOr<LockedFile> file = LockedFile::OpenInTurn(path, missing, kPatience, stop);
  if (file.status().code() == absl::StatusCode::kFailedPrecondition) {
    return Unreadable(file.status());
  }
  if (!file.ok()) return file.status();
  absl::StatusOr<std::string> json = file->Read(kMaxLoginFileBytes);
  if (!json.ok()) return Unreadable(json.status());
  const absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(*json);
  return HeldLogin(*std::move(file), *std::move(json), tokens.value_or(LoginTokens()));
}

absl::Status HeldLogin::Save(const LoginTokens& tokens) {
  std::string json = WriteLoginTokens(tokens, json_);
  if (absl::Status status = file_.Replace(json); !status.ok()) return status;
  json_ = std::move(json);
  tokens_ = tokens;
  return absl::OkStatus();
}

}  // namespace cursorwire
