#include "support/scratch_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace cursorwire::test {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::string name = fs::canonical(testing::TempDir()) / "cursorwire-XXXXXX";
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
  EXPECT_FALSE(error) << error.message();
}

std::string ScratchFolder::At(std::string_view relative) const {
  return path_ + "/" + std::string(relative);
}

void ScratchFolder::MakeParent(std::string_view relative) const {
  fs::create_directories(fs::path(At(relative)).parent_path());
}

void ScratchFolder::Write(std::string_view relative, std::string_view content) const {
  MakeParent(relative);
  std::ofstream file(At(relative), std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  EXPECT_TRUE(file.good()) << relative;
}

void ScratchFolder::WriteSparse(std::string_view relative, int64_t bytes) const {
  Write(relative, "");
  EXPECT_EQ(::truncate(At(relative).c_str(), bytes), 0) << relative;
}

void ScratchFolder::MakeFolder(std::string_view relative) const {
  fs::create_directories(At(relative));
}

void ScratchFolder::MakeLink(std::string_view relative, const std::string& target) const {
  MakeParent(relative);
  EXPECT_EQ(::symlink(target.c_str(), At(relative).c_str()), 0) << relative;
}

void ScratchFolder::MakePipe(std::string_view relative) const {
  MakeParent(relative);
  EXPECT_EQ(::mkfifo(At(relative).c_str(), 0600), 0) << relative;
}

void ScratchFolder::SetModified(std::string_view relative, int64_t seconds) const {
  const std::array<timespec, 2> times = {{{seconds, 0}, {seconds, 0}}};
  EXPECT_EQ(::utimensat(AT_FDCWD, At(relative).c_str(), times.data(), 0), 0) << relative;
}

}  // namespace cursorwire::test
