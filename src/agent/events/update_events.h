#ifndef CURSORWIRE_SRC_AGENT_EVENTS_UPDATE_EVENTS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_UPDATE_EVENTS_H_

#include <functional>
#include <string>
#include <vector>

#include "agent/events/common_update.h"
#include "agent/events/think_tags.h"
#include "agent/v1/interaction.pb.h"
#include "cursorwire/chat.h"

namespace cursorwire::agent {

// Turns the interaction updates of a turn into the events that a user sees, in the same order.
//
// Order: Add() for each update; Flush() if the turn ends without turn_ended. Text that may be the
// start of a tag waits for the next update. Token counts overtake it, since the service sends them
// between two pieces of one text; any other event comes after it. A block of reasoning that is
// still open at turn_ended is emitted once more, as text. A block that is open at Flush() is not:
// there the turn was cut short in the middle of its reasoning. Thread-compatible. Source:
// docs/protocol.md, interaction updates.
class UpdateEvents {
 public:
  using Emit = std::function<void(ChatEvent&&)>;

  // `emit` is called within Add() and Flush().
  UpdateEvents(ThinkTags think_tags, Emit emit);

  // Moves the strings out of `update`. Updates that do not concern a user emit no event.
  void Add(::agent::v1::InteractionUpdate& update);
  // The same for one that was found without a parser.
  void Add(const CommonUpdate& update);
  // Emits the text that still waits.
  void Flush();
  // Text that comes now is emitted at once and as it is.
  bool passes_text() const { return think_tags_ == ThinkTags::kKeep || filter_.Passes(); }

 private:
  void AddTextDelta(::agent::v1::TextDeltaUpdate& delta);
  void AddText(std::string text);
  void AddShellOutput(::agent::v1::ShellOutputDeltaUpdate& delta);
  void AddToolCall(::agent::v1::InteractionUpdate& update);
  void AddProgress(::agent::v1::InteractionUpdate& update);
  void EndTurn(const ::agent::v1::TurnEndedUpdate& update);
  // Emits the waiting text, then `event`.
  void EmitInOrder(ChatEvent event);
  // The same, for an event after which the model starts a message, perhaps with reasoning.
  void StartMessage(ChatEvent event);
  // Text of one kind; neighbours of the same kind are joined into one event.
  struct Run {
    bool thinking;
    std::string text;
  };
  static void AddPiece(const ThinkTagFilter::Piece& piece, std::vector<Run>& runs);
  void EmitRuns(std::vector<Run> runs);

  const ThinkTags think_tags_;
  const Emit emit_;
  ThinkTagFilter filter_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_UPDATE_EVENTS_H_
