#include "ca_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace cursorwire::bench {

absl::StatusOr<CaFile> CaFile::Create(const std::string& pem) {
  std::error_code error;
  std::string path = std::filesystem::temp_directory_path(error) / "stream-bench-ca-XXXXXX";
  const FileDescriptor fd(::mkstemp(path.data()));
  if (!fd.valid()) return TransportError("cannot make a file like " + path, Replay::kSafe);
  CaFile file(std::move(path));
  if (::write(fd.get(), pem.data(), pem.size()) != static_cast<ssize_t>(pem.size())) {
    return TransportError("cannot write " + file.path(), Replay::kSafe);
  }
  return file;
}

CaFile::~CaFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace cursorwire::bench
