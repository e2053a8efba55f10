// Room: src/agent/events
#ifndef CURSORWIRE_CHAT_ERROR_H_
#define CURSORWIRE_CHAT_ERROR_H_

#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cursorwire/export.h"

namespace cursorwire {

// What a user can do about an error of the service. The message of the error says it in words
// already; this is for a program that can help with it.
enum class Remedy {
  kNone,             // nothing that is known
  kOtherModel,       // the model is unknown, blocked or no longer there: Client::ListModels()
  kNewToken,         // the access token is missing, refused or too old
  kHigherLimit,      // a limit of the account: wait, or change the plan or the model
  kNewConversation,  // this one is too long, or a part of it is lost
  kTryAgain,         // trouble of the service, or of the provider of the model
  kNewerClient,      // ClientOptions::client_version is too old for the service
};

// What the user can do about an error of a ChatStream or of ListModels(), according to the details
// that the service sent. kNone for OK, and for an error that did not come from the service.
// Thread-safe.
// Source: docs/protocol.md, end of a run.
CURSORWIRE_EXPORT Remedy RemedyOf(const absl::Status& status);

// What the service says of an error beside its code: the message is often only "Error". A value.
// Source: docs/protocol.md, end of a run (aiserver.v1.ErrorDetails).
struct CursorError {
  // The value of the enum aiserver.v1.ErrorDetails.Error, and its name. One that this library does
  // not know has a number and no name; one that the service gave only by name has no number.
  uint64_t number = 0;
  std::string name{};    // "ERROR_RATE_LIMITED_CHANGEABLE"
  std::string title{};   // "Usage limit reached"
  std::string detail{};  // a sentence or two; may be Markdown
  // nullopt: the service did not say.
  std::optional<bool> is_retryable{};
  std::optional<bool> is_expected{};
  std::map<std::string, std::string> additional_info{};
};

// The first of such details in the ErrorInfo of a status that can be read: from its bytes, else
// from its JSON form. nullopt: there is none. The message of an error of this library has title and
// detail in it already. RemedyOf() says what a user can do. Thread-safe.
CURSORWIRE_EXPORT std::optional<CursorError> GetCursorError(const absl::Status& status);

// How a turn has ended. Each turn has exactly one ending. Files of sessions have the numbers.
enum class TurnEnding {
  kCompleted,    // the service said so (TurnEnded); what came after does not matter
  kCancelled,    // its user cancelled it, or the client is gone
  kInterrupted,  // the connection was lost, and the turn could not go on
  kFailed,       // any other error
};

// By the status of the last element: OK if that was no error. What a Conversation keeps of a turn
// that is not completed: UnfinishedTurns in conversation.h. Thread-safe.
CURSORWIRE_EXPORT TurnEnding EndingOf(const absl::Status& status);

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_ERROR_H_
