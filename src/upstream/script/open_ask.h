#ifndef CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_ASK_H_
#define CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_ASK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "upstream/script/script_step.h"

namespace cursorwire::upstream {

// One question to the client, and its answers so far.
struct OpenAsk {
  const Ask* ask = nullptr;
  size_t step = 0;
  ::agent::v1::AgentServerMessage sent{};  // including its id
  std::vector<Json> results{};             // in the JSON of the answer's message
  std::vector<std::string> kinds{};        // for each result: the name of its oneof field
  std::optional<Json> thrown{};
  bool answered = false;  // for an exec: true only after its stream is closed
  bool aborted = false;   // no answer is needed any more
};

// What is wrong with an answer that is complete; nullopt: it is right.
std::optional<std::string> FindWrongAnswer(const OpenAsk& ask);

// The questions of one run by the id of their message. Ids count up from the first id.
// Thread-compatible.
class OpenAsks {
 public:
  explicit OpenAsks(uint32_t first_id) : next_id_(first_id) {}

  uint32_t NextId() { return next_id_++; }
  // The reference stays valid, unless another question gets the same id.
  const OpenAsk& Add(uint32_t id, OpenAsk ask) {
    if (id >= next_id_) next_id_ = id + 1;
    return by_id_.insert_or_assign(id, std::move(ask)).first->second;
  }
  // nullptr: no question has that id.
  OpenAsk* Find(uint32_t id) {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &found->second;
  }
  // Whether all were answered, or those of one step that must be awaited.
  bool AllAnswered() const;
  bool AllAnswered(size_t step) const;

 private:
  std::map<uint32_t, OpenAsk> by_id_;
  uint32_t next_id_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SCRIPT_OPEN_ASK_H_
