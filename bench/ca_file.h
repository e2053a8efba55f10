#ifndef CURSORWIRE_BENCH_CA_FILE_H_
#define CURSORWIRE_BENCH_CA_FILE_H_

#include <absl/status/statusor.h>

#include <string>
#include <utility>

namespace cursorwire::bench {

// A certificate authority in a file of its own, for programs that are told a path. The file goes
// away with this object.
class CaFile {
 public:
  //   kUnavailable  the folder of temporary files is not writable
  static absl::StatusOr<CaFile> Create(const std::string& pem);
  ~CaFile();
  CaFile(CaFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  CaFile& operator=(CaFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit CaFile(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CA_FILE_H_
