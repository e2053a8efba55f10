#include "client/endpoint.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"
#include "channel/url.h"

namespace cursorwire {
namespace {

// Equal to `domain`, or a name below it.
bool IsWithin(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  const std::string_view rest = host.substr(0, host.size() - domain.size());
  return rest.empty() || rest.ends_with('.');
}

}  // namespace

absl::StatusOr<std::string> ResolveEndpoint(const std::string& configured) {
  if (configured.empty()) return std::string(kDefaultEndpoint);
  const absl::StatusOr<connect::Url> url = connect::ParseUrl(configured);
  if (!url.ok()) return Annotate(url.status(), "endpoint");
  const bool service = IsWithin(url->host, "cursor.sh") || IsWithin(url->host, "cursor.com");
  if (!service && !url->is_loopback()) {
    return LocalError(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat("endpoint: the token is not sent to ", url->host,
                     "; allowed are cursor.sh, cursor.com, what is below them, and this machine"));
  }
  if (!url->https && !url->is_loopback()) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "endpoint: http:// is allowed to this machine only; use https://");
  }
  return configured;
}

}  // namespace cursorwire
