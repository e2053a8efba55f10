#include "client/auth/login_tokens.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

using wire::Json;

struct TokenMember {
  const char* name;
  std::string LoginTokens::*value;
};

constexpr TokenMember kMembers[] = {{"accessToken", &LoginTokens::access_token},
                                    {"refreshToken", &LoginTokens::refresh_token},
                                    {"apiKey", &LoginTokens::api_key}};

absl::Status BadTokens(std::string_view what) {
  return LocalError(absl::StatusCode::kInternal,
                    absl::StrCat("the tokens of a login ", ToAbsl(what)));
}

}  // namespace

absl::StatusOr<LoginTokens> ParseLoginTokens(std::string_view json) {
  const absl::StatusOr<Json> root = wire::ParseJson(json);
  if (!root.ok()) return Annotate(root.status(), "the tokens of a login");
  if (!root->is_object()) return BadTokens("are no JSON object");
  LoginTokens tokens;
  for (const TokenMember& member : kMembers) {
    const Json* value = root->Find(member.name);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_string()) return BadTokens(absl::StrCat("have no text as ", member.name));
    tokens.*member.value = value->text;
  }
  return tokens;
}

std::string WriteLoginTokens(const LoginTokens& tokens, std::string_view former) {
  absl::StatusOr<Json> root = wire::ParseJson(former);
  if (!root.ok() || !root->is_object()) {
    root = Json();
    root->kind = Json::Kind::kObject;
  }
  std::vector<Json::Member>& members = root->members;
  for (const TokenMember& member : kMembers) {
    const std::string& text = tokens.*member.value;
    const auto is_it = [&member](const Json::Member& other) { return other.name == member.name; };
    const auto first = std::find_if(members.begin(), members.end(), is_it);
    const size_t place = static_cast<size_t>(first - members.begin());
    std::erase_if(members, is_it);
    if (text.empty()) continue;
    Json value;
    value.kind = Json::Kind::kString;
    value.text = text;
    members.insert(members.begin() + static_cast<ptrdiff_t>(place),
                   {member.name, std::move(value)});
  }
  return wire::WriteJson(*root) + "\n";
}

}  // namespace cursorwire
