#include "client/auth/login_tokens.h"

#include <absl/strings/str_cat.h>

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
  bool any = false;
  for (const TokenMember& member : kMembers) {
    const Json* value = root->Find(member.name);
    if (value == nullptr || value->is_null()) continue;
    if (!value->is_string()) return BadTokens(absl::StrCat("have no text as ", member.name));
    tokens.*member.value = value->text;
    any = any || !value->text.empty();
  }
  if (!any) return BadTokens("are all missing");
  return tokens;
}

std::string WriteLoginTokens(const LoginTokens& tokens) {
  std::string json = "{";
  for (const TokenMember& member : kMembers) {
    const std::string& text = tokens.*member.value;
    if (text.empty()) continue;
    if (json.size() > 1) json += ',';
    wire::AppendJsonString(member.name, json);
    json += ':';
    wire::AppendJsonString(text, json);
  }
  return json + "}\n";
}

}  // namespace cursorwire
