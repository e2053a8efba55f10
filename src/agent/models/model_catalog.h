#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_

#include <vector>

#include "agent/models/model_calls.h"
#include "cursorwire/available_models.h"
#include "cursorwire/model.h"

namespace cursorwire::agent {

// One catalog of what the two calls said; either may be empty. "auto" comes first, then by id.
//
// A row of AvailableModels is a model, and takes in the usable rows whose id is one of its names.
// Rows that are hidden, for chat alone or for in-line edits alone are left out, and so are the
// usable rows that only they name. All ids without parameters are grouped by their suffixes.
// Source: docs/protocol.md, models.
std::vector<Model> MergeModels(const std::vector<UsableModel>& usable,
                               const AvailableModelsResponse& available);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_CATALOG_H_
