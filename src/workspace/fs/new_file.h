#ifndef CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_
#define CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_

#include <absl/status/statusor.h>

#include <stop_token>
#include <string>
#include <string_view>

#include "workspace/fs/file_version.h"
#include "workspace/fs/open_file.h"

namespace cursorwire::workspace {

// A file that takes the place of another when it is complete: nobody sees half of it, and the other
// one stays if anything fails. It has no name meanwhile, so that nothing of it stays if the program
// ends; where the file system has no such files, it is called ".cursorwire-<process>-<number>". The
// destructor removes it if it took no place. Thread-compatible.
//
// Order: Create(), Write(), TakePlaceOf().
class NewFile {
 public:
  // `folder` must outlive this. Where `old` is to be replaced, nobody but the user may open it
  // before it has taken its place. Errors of all three as of ChangeError().
  static absl::StatusOr<NewFile> Create(const OpenFile& folder, const FileVersion& old);
  // The same where the file system has no files without a name.
  static absl::StatusOr<NewFile> CreateNamed(const OpenFile& folder, const FileVersion& old);
  ~NewFile();
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&&) = delete;

  //   kCancelled  stopped
  absl::Status Write(std::string_view content, const std::stop_token& stop);
  // Becomes `name`, with the mode and owner of `old`, if `name` stands for `old` still.
  //   kAborted  it does not
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
  std::string name_;  // empty: none, or it has taken its place
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_FS_NEW_FILE_H_
