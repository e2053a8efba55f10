#include "client/machine/folders.h"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "files/locked_file.h"

namespace cursorwire {
namespace {

constexpr mode_t kPrivateFolder = 0700;

std::string OwnFolder(const ProcessEnvironment& process_environment, const std::string& variable,
                      const std::string& default_folder) {
  std::string base = process_environment.variable(variable);
  if (!base.starts_with('/')) {
    const std::string home = process_environment.variable("HOME");
    if (!home.starts_with('/')) return "";
    base = home + default_folder;
  }
  return base + "/cursorwire";
}

}  // namespace

std::string ConfigFolder(const ProcessEnvironment& process_environment) {
  return OwnFolder(process_environment, "XDG_CONFIG_HOME", "/.config");
}

std::string StateFolder(const ProcessEnvironment& process_environment) {
  return OwnFolder(process_environment, "XDG_STATE_HOME", "/.local/state");
}

absl::Status MakePrivateFolder(const std::string& folder) {
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return absl::OkStatus();
  const std::string above = std::filesystem::path(folder).parent_path().string();
  if (!above.empty() && above != folder) {
    if (absl::Status status = MakePrivateFolder(above); !status.ok()) return status;
  }
  if (::mkdir(folder.c_str(), kPrivateFolder) == 0 || errno == EEXIST) return absl::OkStatus();
  return FileError("make", folder, errno);
}

}  // namespace cursorwire
