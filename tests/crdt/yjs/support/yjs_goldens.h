#ifndef CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_YJS_GOLDENS_H_
#define CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_YJS_GOLDENS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "support/hex.h"
#include "support/source_folder.h"

namespace cursorwire::test {

// Updates, and what npm's yjs made of them.
struct YjsGolden {
  std::string name{};
  std::vector<uint64_t> clients{};     // of a history
  std::vector<std::string> updates{};  // raw, as all that follows
  std::string text{};
  std::string state_vector{};
  std::string full_update{};
};

// tests/golden/yjs.txt.
struct YjsGoldens {
  std::vector<YjsGolden> named{};
  std::vector<YjsGolden> histories{};
  std::map<std::string, std::string> messages{};

  const YjsGolden& Named(const std::string& name) const {
    for (const YjsGolden& golden : named) {
      if (golden.name == name) return golden;
    }
    ADD_FAILURE() << "no golden case " << name;
    return named.front();
  }
  std::string Message(const std::string& name) const {
    const auto found = messages.find(name);
    if (found != messages.end()) return found->second;
    ADD_FAILURE() << "no golden message " << name;
    return "";
  }
  std::vector<YjsGolden> All() const {
    std::vector<YjsGolden> all = named;
    all.insert(all.end(), histories.begin(), histories.end());
    return all;
  }
};

// One line within a case.
inline void ReadYjsGoldenLine(const std::string& word, const std::string& value,
                              YjsGolden& golden) {
  if (word == "client") {
    golden.clients.push_back(std::stoull(value));
  } else if (word == "update") {
    golden.updates.push_back(FromHex(value));
  } else if (word == "text") {
    golden.text = FromHex(value);
  } else if (word == "state") {
    golden.state_vector = FromHex(value);
  } else if (word == "full") {
    golden.full_update = FromHex(value);
  } else {
    ADD_FAILURE() << "a golden line that begins with " << word;
  }
}

inline YjsGoldens ReadYjsGoldens() {
  YjsGoldens goldens;
  YjsGolden* golden = nullptr;
  std::ifstream file(SourceFolder() + "/tests/golden/yjs.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with('#')) continue;
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space);
    const std::string value = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "case") {
      auto& list = value.starts_with("history ") ? goldens.histories : goldens.named;
      golden = &list.emplace_back(YjsGolden{.name = value});
    } else if (word == "bytes") {
      const size_t end = value.find(' ');
      goldens.messages[value.substr(0, end)] = FromHex(value.substr(end + 1));
    } else if (golden != nullptr) {
      ReadYjsGoldenLine(word, value, *golden);
    }
  }
  EXPECT_EQ(goldens.named.size(), 12u);
  EXPECT_EQ(goldens.histories.size(), 60u);
  EXPECT_EQ(goldens.messages.size(), 10u);
  return goldens;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_CRDT_YJS_SUPPORT_YJS_GOLDENS_H_
