#ifndef CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_
#define CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_

#include <string_view>

#include "upstream/server/unary_request.h"

namespace cursorwire::upstream {

// The methods that tell the models, of agent.v1 and of aiserver.v1: a small made-up catalog, with a
// model of every kind. nullptr: the path is none of theirs.
UnaryMethod FindModelsMethod(std::string_view path);

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_MODELS_SERVICE_H_
