#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_

#include <cursorwire/client.h>
#include <cursorwire/model_choice.h>

#include <string>

#include "options.h"
#include "output.h"

namespace cursor_chat {

// Prints the models that the service offers: a table, or one JSON object. If one of the two lists
// is missing, reports that on standard error.
absl::Status PrintModels(const cursorwire::Client& client, const Options& options, Output& output);

// The model that `name` and --effort, --context and --max-mode mean. Asks the service for its
// models only if there is a choice to make: an id alone is used as it is.
absl::StatusOr<cursorwire::ChosenModel> ChooseModel(const cursorwire::Client& client,
                                                    const std::string& name, const Options& options,
                                                    Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MODELS_H_
