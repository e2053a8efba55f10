// Room: src/client/machine
#ifndef CURSORWIRE_ENDPOINTS_H_
#define CURSORWIRE_ENDPOINTS_H_

#include <absl/status/statusor.h>

#include <string>

#include "cursorwire/export.h"

namespace cursorwire {

// The hosts that a Client talks to, as URLs. A value.
struct Endpoints {
  std::string agent{};  // turns
  std::string api{};    // models, logins, usage; often the same
};

// What Client::Create() makes of these members of ClientOptions: environment and files are looked
// at as it does.
//   kInvalidArgument  a bad endpoint or one that is not allowed
CURSORWIRE_EXPORT absl::StatusOr<Endpoints> ResolveEndpoints(const std::string& endpoint,
                                                             const std::string& api_endpoint);

}  // namespace cursorwire

#endif  // CURSORWIRE_ENDPOINTS_H_
