// Room: src/agent/events
#ifndef CURSORWIRE_REMEDY_H_
#define CURSORWIRE_REMEDY_H_

#include <absl/status/status.h>

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

}  // namespace cursorwire

#endif  // CURSORWIRE_REMEDY_H_
