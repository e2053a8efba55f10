#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_

#include <string>
#include <vector>

#include "cursorwire/model.h"

namespace cursorwire::agent {

struct FoundModel {
  const Model* model = nullptr;     // nullptr: no model has that name
  const ModelSlug* slug = nullptr;  // not nullptr: the name is this setting's
};

// The model that a user means. `name` may be the id or an alias of a model or of a setting, or an
// id without its effort. A model id that names an effort also means that setting. "default" and ""
// mean "auto".
FoundModel FindModel(const std::vector<Model>& models, const std::string& name);

// At most twelve ids of the catalog, the most similar to `name` first.
std::vector<std::string> NearNames(const std::vector<Model>& models, const std::string& name);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_
