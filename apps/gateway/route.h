#ifndef CURSORWIRE_APPS_GATEWAY_ROUTE_H_
#define CURSORWIRE_APPS_GATEWAY_ROUTE_H_

#include <string>
#include <string_view>

namespace cursor_gateway {

enum class Endpoint {
  kUnknown,
  kPage,
  kHealth,
  kMetrics,
  kModels,
  kModel,
  kChatCompletions,
  kResponses,
  kCompact,
  kKeptResponse,
  kMessages,
  kCountTokens,
  kDocuments,
  kPlan,
  kApproval,
};

// What a path stands for. A value.
struct Route {
  Endpoint endpoint = Endpoint::kUnknown;
  std::string_view pattern = "other";  // for metrics and the log: it has nothing of the client's
  std::string_view methods{};          // that are allowed, as the header Allow has them
  std::string id{};                    // what stands for {id} or {file}, decoded
};

// Slashes that stand twice or at the end do not count, and a `/v1` at the beginning may be missing:
// addresses are put together from a base and a path, of which either may have them.
Route FindRoute(std::string_view path);

// What an error says of a path that FindRoute() does not know: the path, and one that is near.
std::string NoSuchPath(std::string_view path);

// Whether the endpoint answers that method: HEAD counts as GET.
bool Allows(const Route& route, std::string_view method);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ROUTE_H_
