#include "client/machine/process_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace cursorwire {
namespace {

using ::testing::Eq;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::UnorderedElementsAre;

TEST(ReadProcessEnvironment, ReadsVariables) {
  ::setenv("CURSORWIRE_TEST_VARIABLE", "value", 1);
  EXPECT_EQ(ReadProcessEnvironment().variable("CURSORWIRE_TEST_VARIABLE"), "value");
  ::unsetenv("CURSORWIRE_TEST_VARIABLE");
  EXPECT_EQ(ReadProcessEnvironment().variable("CURSORWIRE_TEST_VARIABLE"), "");
}

TEST(ReadProcessEnvironment, ReadsSmallRegularFilesOnly) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cursorwire-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path directory = pattern;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(directory / name, std::ios::binary) << text;
    return (directory / name).string();
  };
  const auto read = ReadProcessEnvironment().file;
  const std::string largest(1024 * 1024, 'x');
  EXPECT_THAT(read(write("empty", "")), Optional(Eq("")));
  EXPECT_THAT(read(write("small", std::string("a\0b", 3))), Optional(Eq(std::string("a\0b", 3))));
  EXPECT_THAT(read(write("largest", largest)), Optional(Eq(largest)));
  EXPECT_EQ(read(write("too-large", largest + "x")), std::nullopt);
  EXPECT_EQ(read((directory / "missing").string()), std::nullopt);
  EXPECT_EQ(read(directory.string()), std::nullopt);
  // Nobody writes to it: it must not be waited for.
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(read((directory / "pipe").string()), std::nullopt);
  std::filesystem::remove_all(directory);
}

TEST(ReadProcessEnvironment, ListsTheFoldersOfAFolder) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cursorwire-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path directory = pattern;
  std::filesystem::create_directory(directory / "b");
  std::filesystem::create_directory(directory / "a");
  std::ofstream(directory / "file") << "text";
  const auto folder = ReadProcessEnvironment().folder;
  EXPECT_THAT(folder(directory.string()), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(folder((directory / "a").string()), IsEmpty());
  EXPECT_THAT(folder((directory / "missing").string()), IsEmpty());
  EXPECT_THAT(folder((directory / "file").string()), IsEmpty());
  std::filesystem::remove_all(directory);
}

TEST(ReadProcessEnvironment, ReadsWhereLinksPointTo) {
  std::string pattern = (std::filesystem::temp_directory_path() / "cursorwire-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const std::filesystem::path directory = pattern;
  std::filesystem::create_symlink("../some/where", directory / "link");
  const auto link = ReadProcessEnvironment().link;
  EXPECT_EQ(link((directory / "link").string()), "../some/where");
  EXPECT_EQ(link(directory.string()), "");
  EXPECT_EQ(link((directory / "missing").string()), "");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace cursorwire
