#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_BOOK_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_BOOK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/v1/run.pb.h"
#include "upstream/script/open_ask.h"
#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// An answer that nothing asked for, or that is not what the script expects.
struct WrongAnswer {
  std::string what{};
  std::optional<size_t> step{};  // the one that asked; nullopt: none did
};

// What a script has asked the client in one run, and what has come of it. Execs, queries and blobs
// count their ids for themselves. Thread-compatible.
class AskBook {
 public:
  // Gives `message`, that of the ask, an id, unless the script did. What it returns is to be sent,
  // and valid until the next call. `ask` must outlive the book.
  const ::agent::v1::AgentServerMessage& Add(const Ask& ask, size_t step,
                                             ::agent::v1::AgentServerMessage message);
  // The exec needs no answer any more. Nothing happens if there is none of that id.
  void Abort(uint32_t exec_id);

  // Takes an answer, or a part of one; nullopt: nothing is wrong with it.
  std::optional<WrongAnswer> On(const ::agent::v1::ExecClientMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::ExecClientControlMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::KvClientMessage& message);
  std::optional<WrongAnswer> On(const ::agent::v1::InteractionResponse& message);

  // All, or of one step those that are to be awaited.
  bool AllAnswered() const;
  bool AllAnswered(size_t step) const;

 private:
  OpenAsks& AsksOf(Ask::Kind kind);

  OpenAsks execs_{1};
  OpenAsks queries_{1};
  OpenAsks blobs_{0};
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_ASK_BOOK_H_
