#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_

#include <cursorwire/client.h>
#include <cursorwire/model_choice.h>

#include "options.h"
#include "output.h"

namespace cursor_chat {

// Prints the models that the service offers: a table, or one JSON object. A list that could not be
// had is told of on standard error, as long as there is another.
absl::Status PrintModels(const cursorwire::Client& client, const Options& options, Output& output);

// What --model, --effort, --context and --max-mode mean. The service is asked for its models only
// if there is a choice to make: an id alone is taken as it is.
absl::StatusOr<cursorwire::ChosenModel> ChooseModel(const cursorwire::Client& client,
                                                    const Options& options, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_
