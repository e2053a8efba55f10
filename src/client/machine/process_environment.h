#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_PROCESS_ENVIRONMENT_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_PROCESS_ENVIRONMENT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cursorwire {

// What a client reads from the machine that it runs on.
struct ProcessEnvironment {
  // The value of that environment variable; "" if it is not set.
  std::function<std::string(const std::string& name)> variable;
  // The bytes of that file; nullopt if it cannot be read, is not a regular file or is too large.
  std::function<std::optional<std::string>(const std::string& path)> file;
  // The target of that symbolic link; "" if it is not a link or cannot be read.
  std::function<std::string(const std::string& path)> link;
  // The names of the folders within that folder, in any order; empty if it cannot be read.
  std::function<std::vector<std::string>(const std::string& path)> folder;
};

// Reads this process's environment and files. Files: at most 1 MiB. Folders: the
// first 1000 names.
ProcessEnvironment ReadProcessEnvironment();

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_PROCESS_ENVIRONMENT_H_
