#ifndef CURSORWIRE_TESTS_CRDT_SUPPORT_HISTORIES_H_
#define CURSORWIRE_TESTS_CRDT_SUPPORT_HISTORIES_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/hex.h"
#include "support/source_folder.h"

namespace cursorwire::test {

// What several actors wrote at the same time below the key "content", and what npm's automerge made
// of it: tests/golden/automerge_histories.txt.
struct History {
  size_t change_count = 0;
  std::string text;
  std::vector<std::string> heads;  // raw
  std::string saved;
  std::vector<std::string> changes;  // of the first histories of the file
};

inline std::vector<History> ReadHistories() {
  std::vector<History> histories;
  std::ifstream file(SourceFolder() + "/tests/golden/automerge_histories.txt");
  std::string line;
  while (std::getline(file, line)) {
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = line.substr(space + 1);
    if (word == "history") {
      histories.emplace_back().change_count = std::stoul(value);
    } else if (word == "text") {
      histories.back().text = FromHex(value);
    } else if (word == "head") {
      histories.back().heads.push_back(FromHex(value));
    } else if (word == "saved") {
      histories.back().saved = FromHex(value);
    } else if (word == "change") {
      histories.back().changes.push_back(FromHex(value));
    }
  }
  EXPECT_EQ(histories.size(), 60u);
  return histories;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_CRDT_SUPPORT_HISTORIES_H_
