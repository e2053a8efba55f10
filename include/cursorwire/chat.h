#ifndef CURSORWIRE_CHAT_H_
#define CURSORWIRE_CHAT_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/model.h"

namespace cursorwire {

class BlobStore;

// How ChatRequest::system reaches the model: the service drops a system message of a client, and
// these are the ways that work. Source: docs/protocol.md, root prompt messages.
enum class SystemPlacement {
  kRulesMessage,  // once, in the state of the conversation
  kCloudRule,     // in the request context, each time that the service asks for it
  kBoth,
};

// One question to the agent. A value. What is not as it says here ends the turn with
// kInvalidArgument before anything is sent; all limits: docs/limits.md.
struct ChatRequest {
  // What the user says. Must not be empty, must be UTF-8, and at most 32 MiB.
  std::string prompt{};
  // A model id, UTF-8 and not empty; "default" lets the service choose. One that the service does
  // not know ends the turn with an error of the service, mostly kNotFound.
  std::string model = "default";
  // How the model is to work, independent of its id. Only what the catalog offers is safe: fill all
  // three from ChooseModel() in model_choice.h.
  bool max_mode = false;
  std::vector<ModelParameter> model_parameters{};  // UTF-8; at most 64, each with an id
  // Rules for the agent, sent so that the service takes them into account; may be empty. UTF-8, at
  // most 32 MiB.
  std::string system{};
  // A UUID; empty: a new conversation.
  std::string conversation_id{};
  // What a next turn goes on from: `state` of the last Checkpoint of the turn before, verbatim,
  // with the conversation_id and the `blobs` of that turn. Empty: a new conversation. At most 48
  // MiB.
  std::string conversation_state{};
  // The blobs of the conversation, shared by its turns: their Runs put into it and read from it.
  // nullptr: this turn has a store of its own, and no later turn can go on from it.
  std::shared_ptr<BlobStore> blobs{};
  // What the user shows: the bytes of image files, jpeg, png, gif or webp, of at most 5 MiB each
  // and 32 MiB in all.
  std::vector<std::string> images{};
  SystemPlacement system_placement = SystemPlacement::kRulesMessage;
  // Longest time for the whole turn, connecting included. 0: no limit. When it has passed, the turn
  // ends with kDeadlineExceeded.
  std::chrono::milliseconds max_time{0};
  // Longest time in which nothing at all is received: kDeadlineExceeded then. 0: no limit. The
  // service sends a sign of life while it thinks.
  std::chrono::milliseconds max_idle{0};
};

// A piece of the answer.
struct TextDelta {
  std::string text{};
};
// A piece of the agent's reasoning.
struct ThinkingDelta {
  std::string text{};
};
// A counter for display: tokens since the last one. Its sum is no figure of Usage.
struct TokenUsage {
  int64_t tokens = 0;
};
// The state of the conversation after some step: opaque, the newest replaces the former. Kept
// verbatim, it is what a next turn starts from. It also comes after TurnEnded. One of a turn
// without TurnEnded is not the state of a complete turn: go on from the former one then.
struct Checkpoint {
  std::string state{};
};
// The service asked for a blob that this client does not have: a part of the conversation is lost,
// and the model will not know of it. Comes once a turn. Do not go on from the checkpoints of this
// turn: begin a new conversation, with a new id.
struct StateLost {};
// Totals of the turn over all model calls; nullopt where the service did not say.
struct Usage {
  std::optional<int64_t> input_tokens{};
  std::optional<int64_t> output_tokens{};
  std::optional<int64_t> cache_read_tokens{};
  std::optional<int64_t> cache_write_tokens{};
  std::optional<int64_t> reasoning_tokens{};
};
// The answer is complete. Checkpoints may follow.
struct TurnEnded {
  Usage usage{};
};

// What happens in a turn: one of the structs above. A value.
class ChatEvent {
 public:
  using Variant =
      std::variant<TextDelta, ThinkingDelta, TokenUsage, Checkpoint, StateLost, TurnEnded>;

  template <typename T>
  ChatEvent(T what) : what_(std::move(what)) {}  // NOLINT: converts on purpose

  // The event if it is a T, else nullptr.
  template <typename T>
  const T* As() const {
    return std::get_if<T>(&what_);
  }
  const Variant& what() const { return what_; }

 private:
  Variant what_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_H_
