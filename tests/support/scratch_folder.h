#ifndef CURSORWIRE_TESTS_SUPPORT_SCRATCH_FOLDER_H_
#define CURSORWIRE_TESTS_SUPPORT_SCRATCH_FOLDER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::test {

// An empty folder of its own in the system's folder for these, removed with all that is below it.
// Paths are relative to it; folders on the way are made. What fails is a failure of the test.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  // Absolute, without symbolic links.
  const std::string& path() const { return path_; }
  std::string At(std::string_view relative) const;

  void Write(std::string_view relative, std::string_view content) const;
  // A file of so many zero bytes that takes no room.
  void WriteSparse(std::string_view relative, int64_t bytes) const;
  void MakeFolder(std::string_view relative) const;
  void MakeLink(std::string_view relative, const std::string& target) const;
  void MakePipe(std::string_view relative) const;
  // Seconds since 1970.
  void SetModified(std::string_view relative, int64_t seconds) const;

 private:
  void MakeParent(std::string_view relative) const;

  std::string path_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_SCRATCH_FOLDER_H_
