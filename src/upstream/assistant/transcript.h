#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::upstream {

// What a conversation holds before this turn, as its root prompt messages tell it: rules and what
// was said. Source: docs/protocol.md, root prompt messages.
class Transcript {
 public:
  struct Exchange {
    std::string user{};
    std::string assistant{};
  };

  // In the order of the list. What is no message of a known shape is counted alone.
  void Add(std::string_view blob);
  // Rules that came in another way.
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

// The user's text as the list holds it once its turn is over.
std::string WrapQuery(std::string_view text);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_TRANSCRIPT_H_
