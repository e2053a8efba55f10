#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_

#include <string>
#include <string_view>

namespace cursorwire::upstream {

// What a prompt asks for, as far as the assistant understands it.
struct Question {
  enum class Kind {
    kOther,
    kFolder,  // what the user's folder contains
    kSymbol,  // where something is defined: `subject`
    kFile,    // what the file `subject` contains
    kMemory,  // what was said before
  };

  Kind kind = Kind::kOther;
  std::string subject{};
};

Question ParseQuestion(std::string_view prompt);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_QUESTION_H_
