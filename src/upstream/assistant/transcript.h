#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::upstream {

// What a conversation contains before this turn, according to its root prompt messages: rules, and
// what was said. Source: docs/protocol.md, root prompt messages.
class Transcript {
 public:
  struct Exchange {
    std::string user{};
    std::string assistant{};
    bool is_whole = true;  // false: its turn was stopped or has failed
  };

  // Call in the order of the list. A blob that is not a known kind of message is only counted.
  void Add(std::string_view blob);
  // Rules that were not among these messages.
  void AddRules(std::string_view rules) { rules_ += rules; }

  size_t messages() const { return messages_; }
  size_t bytes() const { return bytes_; }
  const std::string& rules() const { return rules_; }
  const std::vector<Exchange>& exchanges() const { return exchanges_; }

 private:
  size_t messages_ = 0;
  size_t bytes_ = 0;
  std::string rules_;
  std::vector<Exchange> exchanges_;
};

// The user's text in the form that it has in the list after its turn.
std::string WrapQuery(std::string_view text);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_
