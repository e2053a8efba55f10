#include "route.h"

#include <absl/strings/escaping.h>

#include "api/concat.h"
#include "base/text.h"

namespace cursor_gateway {
namespace {

// Of a path that nobody knows, in the error that tells of it.
constexpr size_t kMaxToldPathBytes = 100;

struct KnownPath {
  std::string_view pattern;
  Endpoint endpoint;
  std::string_view methods;
};

constexpr KnownPath kPaths[] = {
    {"/", Endpoint::kPage, "GET, HEAD"},
    {"/page/{file}", Endpoint::kPage, "GET, HEAD"},
    {"/healthz", Endpoint::kHealth, "GET, HEAD"},
    {"/metrics", Endpoint::kMetrics, "GET, HEAD"},
    {"/v1/models", Endpoint::kModels, "GET, HEAD"},
    {"/v1/models/{id}", Endpoint::kModel, "GET, HEAD"},
    {"/v1/chat/completions", Endpoint::kChatCompletions, "POST"},
    {"/v1/responses", Endpoint::kResponses, "POST"},
    {"/v1/responses/compact", Endpoint::kCompact, "POST"},
    {"/v1/responses/{id}", Endpoint::kKeptResponse, "GET, HEAD"},
    {"/v1/messages", Endpoint::kMessages, "POST"},
    {"/v1/messages/count_tokens", Endpoint::kCountTokens, "POST"},
    {"/api/v1/chat/completions", Endpoint::kDocuments, "POST"},
    {"/api/v1/chat/plan", Endpoint::kPlan, "POST"},
    {"/api/v1/approvals/{id}", Endpoint::kApproval, "POST"},
};

Route FindExactly(std::string_view path) {
  for (const KnownPath& known : kPaths) {
    Route route{.endpoint = known.endpoint, .pattern = known.pattern, .methods = known.methods};
    if (!known.pattern.ends_with('}')) {
      if (path == known.pattern) return route;
      continue;
    }
    const std::string_view folder = known.pattern.substr(0, known.pattern.rfind('{'));
    if (path.size() <= folder.size() || !path.starts_with(folder)) continue;
    route.id = cursorwire::PercentDecode(path.substr(folder.size()));
    return route;
  }
  return {};
}

std::string WithoutSpareSlashes(std::string_view path) {
  std::string tidy;
  for (const char c : path) {
    if (c != '/' || !tidy.ends_with('/')) tidy += c;
  }
  if (tidy.size() > 1 && tidy.ends_with('/')) tidy.pop_back();
  return tidy;
}

}  // namespace

Route FindRoute(std::string_view path) {
  if (Route route = FindExactly(path); route.endpoint != Endpoint::kUnknown) return route;
  const std::string tidy = WithoutSpareSlashes(path);
  if (Route route = FindExactly(tidy); route.endpoint != Endpoint::kUnknown) return route;
  return FindExactly(Concat("/v1", tidy));
}

std::string NoSuchPath(std::string_view path) {
  const std::string tidy = WithoutSpareSlashes(path);
  const size_t name = tidy.rfind('/');
  std::string message =
      Concat("there is no path \"", absl::CHexEscape(tidy.substr(0, kMaxToldPathBytes)), "\" here");
  for (const KnownPath& known : kPaths) {
    if (name == std::string::npos || known.pattern == "/" ||
        !known.pattern.ends_with(std::string_view(tidy).substr(name))) {
      continue;
    }
    return message += Concat("; there is ", known.pattern);
  }
  return message;
}

bool Allows(const Route& route, std::string_view method) {
  return route.methods.find(method) != std::string_view::npos &&
         (method == "GET" || method == "HEAD" || method == "POST");
}

}  // namespace cursor_gateway
