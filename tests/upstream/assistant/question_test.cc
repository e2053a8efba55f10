#include "upstream/assistant/question.h"

#include <gtest/gtest.h>

#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "upstream/assistant/assistant_client.h"

namespace cursorwire::upstream {
namespace {

TEST(ParseQuestion, TellsWhatIsAskedFor) {
  using Kind = Question::Kind;
  struct Case {
    const char* prompt;
    Kind kind;
    const char* subject;
  };
  constexpr Case kCases[] = {
      {"what is in this folder?", Kind::kFolder, ""},
      {"List the files.", Kind::kFolder, ""},
      {"which files are in the project", Kind::kFolder, ""},
      {"where is EnvelopeDecoder defined?", Kind::kSymbol, "EnvelopeDecoder"},
      {"Where is the function `foo` implemented", Kind::kSymbol, "foo"},
      {"where is main?", Kind::kSymbol, "main"},
      {"Read src/main.cc.", Kind::kFile, "src/main.cc"},
      {"what is in README.md?", Kind::kFile, "README.md"},
      {"show \".gitignore\"", Kind::kFile, ".gitignore"},
      {"what is in ../notes.txt?", Kind::kFile, "../notes.txt"},
      {"What did I ask before?", Kind::kMemory, ""},
      {"hello", Kind::kOther, ""},
      {"", Kind::kOther, ""},
      {"What happens between my question and your answer?", Kind::kOther, ""},
      {"this folder is nice", Kind::kOther, ""},
      {"... ?!", Kind::kOther, ""},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.prompt);
    const Question question = ParseQuestion(c.prompt);
    EXPECT_EQ(question.kind, c.kind);
    EXPECT_EQ(question.subject, c.subject);
  }
}

}  // namespace
}  // namespace cursorwire::upstream
