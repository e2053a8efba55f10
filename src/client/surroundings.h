#ifndef CURSORWIRE_SRC_CLIENT_SURROUNDINGS_H_
#define CURSORWIRE_SRC_CLIENT_SURROUNDINGS_H_

#include <functional>
#include <optional>
#include <string>

namespace cursorwire {

// What a client reads of the machine that it runs on.
struct Surroundings {
  // The variable of that name; "" if it is not set.
  std::function<std::string(const std::string& name)> variable;
  // The bytes of that file; nullopt if it cannot be read, is no regular file or is too large.
  std::function<std::optional<std::string>(const std::string& path)> file;
  // Where that symbolic link points to; "" if it is none or cannot be read.
  std::function<std::string(const std::string& path)> link;
};

// That of this process. Files: at most 1 MiB.
Surroundings ProcessSurroundings();

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_SURROUNDINGS_H_
