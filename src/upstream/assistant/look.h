#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_LOOK_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_LOOK_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <vector>

#include "agent/v1/exec.pb.h"
#include "upstream/assistant/question.h"

namespace cursorwire::upstream {

// Looks up what a question asks for, by execs of the client, and turns the results into an answer.
//
// Order: Next(); send the exec; On() with its result; repeat until Next() returns nullopt;
// answer().
// Thread-compatible.
class Look {
 public:
  // `workspace` is the folder that the client reported, or ".".
  Look(const Question& question, std::string workspace);

  // The next exec, without an id; nullopt: nothing more to look at.
  std::optional<::agent::v1::ExecServerMessage> Next();
  //   kInvalidArgument  the result does not belong to the exec
  absl::Status On(const ::agent::v1::ExecClientMessage& result);
  // Empty: there was nothing to look at.
  const std::string& answer() const { return answer_; }

 private:
  enum class Step { kLs, kLsSubject, kDefinitions, kMentions, kExcerpt, kRead, kDone };

  struct Match {
    const ::agent::v1::GrepFileMatch* file;
    const ::agent::v1::GrepContentMatch* line;
    int score;
  };

  absl::Status OnLs(const ::agent::v1::LsResult& result);
  absl::Status OnGrep(const ::agent::v1::GrepResult& result);
  absl::Status OnRead(const ::agent::v1::ReadResult& result);
  void SayMatches(const std::vector<Match>& matches, bool definitions);
  void Say(const std::string& text) { answer_ += text; }
  void Refused(const std::string& reason);

  const std::string subject_;
  const std::string workspace_;
  Step step_ = Step::kDone;
  std::string excerpt_path_;
  int32_t excerpt_line_ = 0;
  std::string answer_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_LOOK_H_
