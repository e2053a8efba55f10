#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_

#include <cstdint>
#include <string>

#include "cursorwire/model.h"

namespace cursorwire::agent {

// What a variant says in the words of a user. Parameter ids: docs/protocol.md, models.

// The value of that parameter; "" if it has none.
std::string ParameterOf(const ModelVariant& variant, const std::string& id);
// The value of `reasoning` or `effort`, as EffortWord() has it; "" if the variant has neither.
std::string EffortOf(const ModelVariant& variant);
// The value of `context` in tokens; 0 if it is missing or not a number of tokens.
int64_t ContextTokensOf(const ModelVariant& variant);

// Whether any slug of the model names an effort. Compute once per model; it may have thousands of
// slugs.
bool SlugsHaveEfforts(const Model& model);
// The effort of a slug among those of its model: an id without one is medium, unless none of them
// has an effort.
std::string EffortOf(const ModelSlug& slug, bool slugs_have_efforts);

// Fills in what follows from the variants and slugs of `model`, which has all else: efforts,
// contexts, the sizes of the context that are not told, max mode, thinking.
void AddWords(Model& model);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_WORDS_H_
