#include "collab/oct/login_text.h"

#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "base/text.h"
#include "base/unseen.h"
#include "collab/oct/login_answer.h"
#include "crdt/text/text_size.h"
#include "json/json_member.h"

namespace cursorwire::oct {
namespace {

std::string LoginLine(std::string_view text) {
  const std::string utf8 = ToUtf8(Utf8Prefix(text, kMaxLoginTextBytes));
  std::string line;
  for (std::string_view rest = utf8; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t character = TakeCharacter(rest);
    if (character == U'\n' || character == U'\r' || character == U'\t') {
      line += ' ';
    } else if (!IsControl(character) && !IsUnseen(character)) {
      line += before.substr(0, before.size() - rest.size());
    }
  }
  return std::string(Trim(line));
}

}  // namespace

// In this order: what is taken out may stand between the pieces of a secret.
std::string LoginText(std::string_view text, const connect::Redactor& redactor) {
  const std::string line = redactor.Redact(LoginLine(text));
  return std::string(crdt::PrefixOf(line, crdt::Unit::kCodePoints, kMaxLoginTextCharacters));
}

std::string LoginErrorText(std::string_view body, const connect::Redactor& redactor) {
  const absl::StatusOr<nlohmann::json> answer = ReadLoginAnswer(body);
  if (!answer.ok()) return Trim(body).starts_with('<') ? "" : LoginText(body, redactor);
  return LoginInfoText(*answer, redactor);
}

std::string LoginInfoText(const nlohmann::json& info, const connect::Redactor& redactor) {
  const std::string code = TextOf(info, "code");
  const std::string message = TextOf(info, "message");
  if (code.empty() || message.empty()) return LoginText(code + message, redactor);
  return LoginText(absl::StrCat(message, " (", code, ")"), redactor);
}

}  // namespace cursorwire::oct
