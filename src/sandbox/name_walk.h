#ifndef CURSORWIRE_SRC_SANDBOX_NAME_WALK_H_
#define CURSORWIRE_SRC_SANDBOX_NAME_WALK_H_

#include <absl/functional/function_ref.h>
#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cursorwire::sandbox {

// What a walk has come to.
struct SeenName {
  enum class Kind {
    kProtected,   // `name` is protected
    kGitFolder,   // `folder` is a git folder by what it holds; `name` is empty
    kUnreadable,  // the folder `name` cannot be read
  };
  Kind kind = Kind::kProtected;
  int folder = -1;  // a descriptor for the time of the call
  std::string folder_path{};
  std::string name{};
  struct stat info {};  // of `name`, a link is not followed; else of the folder
  struct stat folder_info {};

  std::string path() const { return name.empty() ? folder_path : folder_path + "/" + name; }
};

struct NameWalkOptions {
  std::vector<std::string> passed_by{};  // folders, absolute paths
  size_t max_entries = 200'000;
  int max_depth = 100;  // each level is an open file descriptor
};

// Why a walk stopped before its end; kNothing: it did not.
enum class WalkStop { kNothing, kTooMany, kTooDeep };

// Looks for protected names in a folder and all below it, and tells each. Does not go into what it
// tells, into links, into `node_modules` (whose programs run as they are at any ordinary use, so
// that a setting there opens nothing more), nor into what is to be passed by. What goes away
// meanwhile is passed by. `folder` is absolute and without links.
WalkStop WalkNames(const std::string& folder, const NameWalkOptions& options,
                   absl::FunctionRef<void(const SeenName&)> tell);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_NAME_WALK_H_
