#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MODELS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MODELS_H_

#include <cursorwire/client.h>
#include <cursorwire/model.h>

#include <stop_token>
#include <string>
#include <vector>

#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Prints the models that the service offers: a table, or one JSON object. If one of the two lists
// is missing, reports that on standard error.
absl::Status PrintModels(const cursorwire::Client& client, const Options& options, Output& output,
                         const std::stop_token& stop);

// The models as lines of a table.
std::string ModelTable(const std::vector<cursorwire::Model>& models);

// The model that `name` and --effort, --context and --max-mode mean. Asks the service for its
// models only if there is a choice to make, until `stop`: an id alone is used as it is.
absl::StatusOr<cursorwire::ChosenModel> ChooseModel(const cursorwire::Client& client,
                                                    const std::string& name, const Options& options,
                                                    Output& output, const std::stop_token& stop);

// The same from a list that is there already. `list` may be nullptr if there is no choice to make:
// see NeedsModels().
absl::StatusOr<cursorwire::ChosenModel> ChooseModelFrom(const cursorwire::ModelList* list,
                                                        const std::string& name,
                                                        const Options& options);
// Whether the options leave a choice to make.
bool NeedsModels(const Options& options);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MODELS_H_
