#ifndef CURSORWIRE_SRC_SANDBOX_NEW_CODE_H_
#define CURSORWIRE_SRC_SANDBOX_NEW_CODE_H_

#include <sys/stat.h>

#include <cstddef>
#include <string>
#include <vector>

#include "sandbox/appeared.h"

namespace cursorwire::sandbox {

// Moves new files that run code out of the way, and keeps a line for each. Folders are descriptors,
// names are of one part; links are not followed. Thread-compatible.
class NewCode {
 public:
  explicit NewCode(const HeldPlaces& held) : held_(held) {}

  // A protected name in a folder, of which `path` is the whole path for the lines. What was there
  // before stays.
  void Look(int folder, const std::string& name, const std::string& path);
  // A folder that cannot be read: says so if it has become so.
  void LookAtUnreadable(int folder, const std::string& name, const std::string& path);
  // What is in a git folder, whether it is new or not.
  void LookIntoGit(int git_folder, const std::string& path);
  // Whether a git folder was there before.
  bool IsKnownGit(const struct stat& info) const {
    return held_.git_folders.contains({info.st_dev, info.st_ino});
  }
  // Renames it.
  void Block(int folder, const std::string& name, const std::string& path);
  void Say(std::string line);
  // Removes and returns the lines.
  std::vector<std::string> TakeLines();

 private:
  bool IsHeld(int folder, const std::string& name) const;
  bool IsNew(int folder, const struct stat& info) const;
  void LookAtConfig(int folder, const std::string& name, const std::string& path);
  void LookAtHooks(int git_folder, const std::string& path);
  void LookIntoModules(int folder, const std::string& path, int depth);
  void LookIntoWorktrees(int git_folder, const std::string& path);
  bool LeadsToAKnownGit(const std::string& path) const;

  const HeldPlaces& held_;
  size_t entries_left_ = 50'000;
  size_t blocks_left_ = 10'000;
  size_t lines_left_out_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_NEW_CODE_H_
