#ifndef CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_
#define CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_

#include <string_view>

#include "upstream/server/unary_request.h"

namespace cursorwire::upstream {

// The methods of agent.v1 and aiserver.v1 that list models: a small made-up catalog with every kind
// of model. nullptr: another path.
UnaryMethod FindModelsMethod(std::string_view path);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_
