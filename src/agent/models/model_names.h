#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_

#include <string>
#include <vector>

#include "cursorwire/model.h"

namespace cursorwire::agent {

struct FoundModel {
  const Model* model = nullptr;     // nullptr: none has that name
  const ModelSlug* slug = nullptr;  // not nullptr: the name is that of this setting
};

// The model that a user means: by its id, by an id or alias of a setting, by an alias, or by an id
// without its effort. An id of a model that names an effort is that of a setting, too. "default"
// and
// "" are "auto".
FoundModel FindModel(const std::vector<Model>& models, const std::string& name);

// At most a dozen ids of the catalog, those that are most alike `name` first.
std::vector<std::string> NearNames(const std::vector<Model>& models, const std::string& name);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_NAMES_H_
