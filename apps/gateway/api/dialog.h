#ifndef CURSORWIRE_APPS_GATEWAY_API_DIALOG_H_
#define CURSORWIRE_APPS_GATEWAY_API_DIALOG_H_

#include <absl/status/statusor.h>
#include <cursorwire/history.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.h"

namespace cursor_gateway {

// What the last messages ask for.
enum class TailKind {
  kPrompt,       // the user says something
  kResults,      // every open call has its result, and nothing is after them
  kInterrupted,  // the user says something after calls; some may have no result
};

// A rule that is part of the conversation: where it stands, and its bytes among all rules.
struct PlacedRule {
  size_t before = 0;  // so many messages of history and tail stand before it
  size_t begin = 0;
  size_t size = 0;
};

// The messages of a request by what they are for. A value.
struct Dialog {
  // System and developer messages, wherever they stand, joined by an empty line.
  std::string rules{};
  // Those of them that stand before the last message of the assistant's: what was in force then.
  std::string former_rules{};
  // The bytes at the beginning of both that are rules of this request alone.
  size_t own_rules = 0;
  // All other rules.
  std::vector<PlacedRule> placed_rules{};
  // Up to the last message of the assistant, without system messages.
  std::vector<Message> history{};
  // What follows it: results of tools, and messages of the user.
  std::vector<Message> tail{};
  // Calls of the last turn of the history that have no result in it, in their order.
  std::vector<std::string> open_calls{};
  TailKind kind = TailKind::kPrompt;
};

// Messages, their calls and their images, with those of former responses: a turn holds a kilobyte
// of each beside its text.
inline constexpr size_t kMaxDialogParts = 40'000;

// What differs between the APIs. A value.
struct DialogForm {
  std::string_view list = "messages";  // the field of the messages, for errors
  // A result of a call that was not made becomes a text of the user. Otherwise it is refused.
  bool tells_orphans = false;
  // So many messages at the beginning of the list are rules of this request alone.
  size_t own_rules = 0;
};

// Result of a call that a client gave up.
inline constexpr char kNoResult[] = "no result (interrupted)";

// A result may answer any call of its turn, which begins after the last message of the user. Calls
// without a text belong to the message of the assistant just before them. Takes time that is linear
// in the messages.
//   a BadRequest(): more than kMaxDialogParts, or kMaxJsonValues in the arguments of its calls;
//   only system messages; the assistant has the last word; a result of a call that was not made;
//   results that are missing, with nothing after them
absl::StatusOr<Dialog> SplitDialog(std::vector<Message> messages, const DialogForm& form = {});

// The messages of the conversation, without the rules of this request alone: what a later request
// goes on from.
std::vector<Message> MessagesOf(const Dialog& dialog);

// Without the rules of this request alone: those that were in force before, and those that are new.
std::string_view FormerRulesOf(const Dialog& dialog);
std::string_view NewRulesOf(const Dialog& dialog);

// What the user says in the tail: texts joined by an empty line, and a placeholder if there are
// only images, since a prompt must not be empty.
std::string PromptOf(const Dialog& dialog);
// Those of the tail, also of results: the history of a turn that begins with them has texts alone.
std::vector<std::string> ImagesOf(const Dialog& dialog);

// The history as the library has it. With `with_results`, the last turn also has the results of
// the tail. Calls without a result have kNoResult. Images of earlier turns are left out.
enum class HistoryEnd { kBeforeTail, kWithResults };
std::vector<cursorwire::HistoryTurn> HistoryOf(const Dialog& dialog, HistoryEnd end);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_DIALOG_H_
