#ifndef CURSORWIRE_SRC_SANDBOX_APPEARED_H_
#define CURSORWIRE_SRC_SANDBOX_APPEARED_H_

#include <ctime>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/inode.h"
#include "sandbox/places.h"

namespace cursorwire::sandbox {

// What a sandbox held when a command began. A value.
struct HeldPlaces {
  // Names that were mounted: nobody could replace them in their folder. If a folder above was
  // renamed, the one that is in its place now is another.
  std::set<std::pair<Inode, std::string>> names{};
  std::set<Inode> git_folders{};
  std::vector<std::string> folders{};    // that may be changed
  std::vector<std::string> git_paths{};  // those that a file `.git` may lead to
  timespec start{};                      // by the clock of the file systems
};

// Finds what a command made that something outside of the sandbox runs later. A mount protects what
// was there; a name that was not, or whose folder was renamed and made anew, is found afterwards.
//
// Order: Before() when the places have been looked up, before the command starts; After() once,
// when its processes are gone. Thread-compatible.
class Appeared {
 public:
  static Appeared Before(const Places& places);

  // Looks through what the command could change, as FindPlaces() does. What runs code is renamed to
  // NAME.blocked-N; links are not followed. A git folder is kept, since `git init` and `git clone`
  // are work, but for its hooks, and its settings where they may run something. A line for each,
  // for the agent and the user, with visible characters alone; at most 100, then how many more
  // there are. Also says what could not be looked through or renamed.
  std::vector<std::string> After();

 private:
  std::vector<std::string> passed_by_;  // hidden folders
  std::vector<std::string> absent_;     // Places::absent
  HeldPlaces held_;
};

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_APPEARED_H_
