#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_

#include <string>
#include <string_view>

namespace cursorwire::upstream {

// What a prompt asks for, as far as the assistant can tell.
struct Question {
  enum class Kind {
    kOther,
    kFolder,  // what is in the user's folder
    kSymbol,  // where something is defined: `subject`
    kFile,    // what is in a file: `subject`
    kMemory,  // what was said before
  };

  Kind kind = Kind::kOther;
  std::string subject{};
};

Question ParseQuestion(std::string_view prompt);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_
