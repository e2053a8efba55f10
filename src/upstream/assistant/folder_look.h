#ifndef CURSORWIRE_SRC_UPSTREAM_ASSISTANT_FOLDER_LOOK_H_
#define CURSORWIRE_SRC_UPSTREAM_ASSISTANT_FOLDER_LOOK_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <string_view>

#include "agent/v1/exec.pb.h"

namespace cursorwire::upstream {

// Looks at the user's folder, if a prompt asks what is in it ("what is in this folder?"), by an
// exec of the client, and turns the result into an answer.
//
// Order: Next(); send the exec; On() with its result; answer(). Thread-compatible.
class FolderLook {
 public:
  // `workspace` is the folder that the client reported, or ".".
  FolderLook(std::string_view prompt, std::string workspace);

  // The exec, without an id; nullopt: nothing, or nothing more, to look at.
  std::optional<::agent::v1::ExecServerMessage> Next();
  //   kInvalidArgument  the result does not belong to the exec
  absl::Status On(const ::agent::v1::ExecClientMessage& message);
  // Empty: there was nothing to look at.
  const std::string& answer() const { return answer_; }

 private:
  const std::string workspace_;
  bool looks_;
  std::string answer_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ASSISTANT_FOLDER_LOOK_H_
