#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_

#include <vector>

#include "agent/models/model_calls.h"
#include "cursorwire/model.h"
#include "wire/available_models.h"

namespace cursorwire::agent {

// Merges the results of the two calls into one catalog; either may be empty. "auto" comes first,
// then the others sorted by id.
//
// Each row of AvailableModels is a model, and takes in the usable rows whose id is one of its ids.
// Rows are left out if they are hidden, only for chat or only for in-line edits, together with the
// usable rows that only they name. Ids without parameters are grouped by their suffixes. Source:
// docs/protocol.md, models.
std::vector<Model> MergeModels(const std::vector<UsableModel>& usable,
                               const AvailableModelsResponse& available);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_
