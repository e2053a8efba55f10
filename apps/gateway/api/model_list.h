#ifndef CURSORWIRE_APPS_GATEWAY_API_MODEL_LIST_H_
#define CURSORWIRE_APPS_GATEWAY_API_MODEL_LIST_H_

#include <absl/status/statusor.h>
#include <cursorwire/model.h>

#include <string>
#include <vector>

#include "api/model_map.h"

namespace cursor_gateway {

// The bodies of GET /v1/models and GET /v1/models/{id}, for the SDKs of OpenAI and of Anthropic
// alike. Names of the map that are no patterns are in them, too. For Codex, the list also has
// `models`, as docs/gateway-codex.md describes.
enum class ListForm { kForSdks, kForCodex };
std::string ModelListBody(const std::vector<cursorwire::Model>& models, const ModelMap& map = {},
                          ListForm form = ListForm::kForSdks);
//   404 `model_not_found`
absl::StatusOr<std::string> ModelBody(const std::vector<cursorwire::Model>& models,
                                      const ModelMap& map, const std::string& id);

// The name in the catalog: it, or one that says the same, such as "claude-4.5-sonnet" for
// "claude-sonnet-4-5-20250929". Empty: there is none.
std::string KnownModel(const std::vector<cursorwire::Model>& models, const std::string& name);

// The effort that the model has and that is the nearest to this one; empty: it has no choice.
std::string NearestEffort(const std::vector<cursorwire::Model>& models, const std::string& model,
                          const std::string& effort);

// What a request that names a model, and perhaps an effort, is sent with. A model that the catalog
// does not have is sent as it is, since the service decides; one without a choice of efforts takes
// no effort.
//   400 with `reasoning_effort` as `param`: the model has efforts, and not this one
absl::StatusOr<cursorwire::ChosenModel> ChooseEffort(const std::vector<cursorwire::Model>& models,
                                                     const std::string& model,
                                                     const std::string& effort);

// The id of a model as the service takes it: "auto" is "default" there.
std::string SentModel(const std::string& model);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_MODEL_LIST_H_
