#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_

#include <cstdint>
#include <string>

#include "cursorwire/model.h"

namespace cursorwire::agent {

// Describes a variant in the words of a user. Parameter ids: docs/protocol.md, models.

// The value of that parameter; "" if the variant does not have it.
std::string ParameterOf(const ModelVariant& variant, const std::string& id);
// The value of `reasoning` or `effort`, as EffortWord() spells it; "" if the variant has neither.
std::string EffortOf(const ModelVariant& variant);
// The value of `context` in tokens; 0 if it is missing or not a number of tokens.
int64_t ContextTokensOf(const ModelVariant& variant);

// Whether any slug of the model names an effort. Compute once per model; it may have thousands of
// slugs.
bool SlugsHaveEfforts(const Model& model);
// The effort of a slug of a model: an id without an effort means medium, unless no slug of the
// model has an effort.
std::string EffortOf(const ModelSlug& slug, bool slugs_have_efforts);

// Fills in what follows from the variants and slugs of `model`: efforts, contexts, context sizes
// that are missing, max mode and thinking. All other fields must be set.
void AddWords(Model& model);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_
