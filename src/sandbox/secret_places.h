#ifndef CURSORWIRE_SRC_SANDBOX_SECRET_PLACES_H_
#define CURSORWIRE_SRC_SANDBOX_SECRET_PLACES_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::sandbox {

// What no command may see: absolute paths without links, of what is there. A value.
struct SecretPlaces {
  std::vector<std::string> files{};  // and sockets
  std::vector<std::string> folders{};
  std::vector<std::string> readable{};  // in these folders
};

// The value of a variable in "NAME=value" lines. Empty: it is not there.
std::string ValueOf(const std::vector<std::string>& environment, std::string_view name);

// HOME of the environment, else of the system's list of users; without links. Empty: there is none.
std::string HomeOf(const std::vector<std::string>& environment);

// Credentials, keys, browser profiles and histories in HOME, and in the folders of XDG_CONFIG_HOME,
// XDG_DATA_HOME and XDG_STATE_HOME; sockets of services, which a read-only file system does not
// close: those that the environment names, and those below `run`, which is /run.
//   kResourceExhausted  `run` has too many entries
absl::StatusOr<SecretPlaces> FindSecrets(const std::vector<std::string>& environment,
                                         const std::string& run = "/run");

// Adds what is at the path to files or folders. Nothing is there: nothing.
void AddHidden(const std::string& path, SecretPlaces& places);

// What a shell, a desktop or an editor of the user's runs at its start: names relative to HOME, of
// files and folders, there or not.
std::vector<std::string_view> StartFiles();

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_SECRET_PLACES_H_
