#ifndef CURSORWIRE_TESTS_AGENT_RUN_KNOWN_IDS_H_
#define CURSORWIRE_TESTS_AGENT_RUN_KNOWN_IDS_H_

#include <string>

#include "cursorwire/id_source.h"

namespace cursorwire::test {

// Gives 11111111-1111-4111-8111-111111111111, then the same of twos, up to nine.
class KnownIds final : public IdSource {
 public:
  std::string Uuid() override { return Nth(++count_); }

  static std::string Nth(int n) {
    std::string id = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";
    for (char& c : id) {
      if (c == 'd') c = static_cast<char>('0' + n);
    }
    return id;
  }

 private:
  int count_ = 0;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_AGENT_RUN_KNOWN_IDS_H_
