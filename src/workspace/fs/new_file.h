#ifndef CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_

#include <absl/status/statusor.h>

#include <stop_token>
#include <string>
#include <string_view>

#include "workspace/fs/file_version.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// A new file that replaces another one once it is complete: nobody sees half of it, and the old
// file stays if anything fails. Until then it has no name, so nothing remains if the program ends.
// On file systems without unnamed files it is called ".cursorwire-<process>-<number>". The
// destructor removes it unless it was put in place. Thread-compatible.
//
// Order: Create(), Write(), TakePlaceOf().
class NewFile {
 public:
  // `folder` must outlive this. If `old` is to be replaced, only the user may open the new file
  // until it is in place. Errors of all three functions: those of ChangeError().
  static absl::StatusOr<NewFile> Create(const OpenFile& folder, const FileVersion& old);
  // The same for file systems without unnamed files.
  static absl::StatusOr<NewFile> CreateNamed(const OpenFile& folder, const FileVersion& old);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  //   kCancelled  stopped
  absl::Status Write(std::string_view content, const std::stop_token& stop);
  // Puts the file in place as `name`, with the mode and owner of `old`, if `name` still stands for
  // `old`.
  //   kAborted  `name` does not stand for `old` any more
  absl::Status TakePlaceOf(const FileVersion& old, const std::string& name);

 private:
  NewFile(const OpenFile& folder, OpenFile file, std::string name);

  absl::Status GiveName();
  absl::Status Close();
  absl::Status Dress(const FileVersion& old) const;
  // An error of errno.h, or 0.
  int MoveTo(const std::string& name) const;
  int MoveToVacant(const std::string& name) const;

  const OpenFile& folder_;
  OpenFile file_;
  std::string name_;  // empty: unnamed, or already in place
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_
