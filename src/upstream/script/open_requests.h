#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_REQUESTS_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_REQUESTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/v1/run.pb.h"
#include "upstream/script/open_ask.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// An answer to nothing that was asked, or one that the script does not expect.
struct WrongAnswer {
  std::string what{};
  std::optional<size_t> step{};  // the step that asked; nullopt: no step did
};

// What a script asked the client in one run, and the answers so far. Execs, queries and blobs each
// have their own sequence of ids. Thread-compatible.
class OpenRequests {
 public:
  // Adds `ask`, whose message is `message`, and gives the message an id unless the script did. Send
  // the returned message, which is valid until the next call. `ask` must outlive the book.
  const ::agent::v1::AgentServerMessage& Add(const Ask& ask, size_t step,
                                             ::agent::v1::AgentServerMessage message);
  // The exec needs no answer any more. Ignored if there is no exec with that id.
  void Abort(uint32_t exec_id);

  // Takes an answer, or a part of one; nullopt: it is right so far.
  std::optional<WrongAnswer> On(const ::agent::v1::ExecClientMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::ExecClientControlMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::KvClientMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::InteractionResponse& message);

  // Whether all were answered, or those of one step that must be awaited.
  bool AllAnswered() const;
  bool AllAnswered(size_t step) const;

 private:
  OpenAsks& AsksOf(Ask::Kind kind);

  OpenAsks execs_{1};
  OpenAsks queries_{1};
  OpenAsks blobs_{0};
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_REQUESTS_H_
