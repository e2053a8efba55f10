#ifndef CURSORWIRE_APPS_LOCAL_UPSTREAM_CA_FILE_H_
#define CURSORWIRE_APPS_LOCAL_UPSTREAM_CA_FILE_H_

#include <optional>
#include <string>
#include <utility>

namespace local_upstream {

// A file with a certificate. The destructor removes the file if its name was made here.
class CaFile {
 public:
  // An empty path: creates a new file. nullopt: the file cannot be written; errno says why.
  static std::optional<CaFile> Write(const std::string& path, const std::string& pem);
  ~CaFile();
  CaFile(CaFile&& other) noexcept;
  CaFile& operator=(CaFile&&) = delete;

  const std::string& path() const { return path_; }

 private:
  CaFile(std::string path, bool temporary) : path_(std::move(path)), temporary_(temporary) {}

  std::string path_;
  bool temporary_;
};

}  // namespace local_upstream

#endif  // CURSORWIRE_APPS_LOCAL_UPSTREAM_CA_FILE_H_
