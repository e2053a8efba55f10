#include "api/conversation_key.h"

#include <absl/strings/ascii.h>
#include <cursorwire/history.h>

#include "api/concat.h"
#include "api/json_text.h"
#include "base/sha256.h"

namespace cursor_gateway {
namespace {

// With its length, so that no two lists of texts look the same.
void AppendPiece(std::string& form, std::string_view piece) {
  Append(form, piece.size(), ":", piece);
}

std::string_view WithoutBlanks(std::string_view text) {
  const auto trimmed =
      absl::StripTrailingAsciiWhitespace(absl::string_view(text.data(), text.size()));
  return {trimmed.data(), trimmed.size()};
}

std::string CanonicalForm(const Message& message) {
  std::string form = Concat(static_cast<int>(message.role), "/");
  AppendPiece(form, WithoutBlanks(message.text));
  for (const std::string& image : message.images) AppendPiece(form, cursorwire::Sha256(image));
  Append(form, "/");
  for (const FunctionCall& call : message.calls) {
    AppendPiece(form, call.name);
    // The model is not told longer ones: they need not be the same in another form.
    const bool is_long = call.arguments.size() > cursorwire::kMaxHistoryArgumentsBytes;
    AppendPiece(form, is_long ? call.arguments : RoundedArguments(call.arguments));
  }
  return form;
}

}  // namespace

MessageDigest DigestOf(const Message& message) {
  return {.value = cursorwire::Sha256(CanonicalForm(message))};
}

std::vector<MessageDigest> DigestsOf(const std::vector<Message>& messages) {
  std::vector<MessageDigest> digests;
  digests.reserve(messages.size());
  for (const Message& message : messages) digests.push_back(DigestOf(message));
  return digests;
}

ConversationKey::ConversationKey(std::string_view owner, std::string_view rules,
                                 std::string_view request_rules) {
  std::string form;
  AppendPiece(form, owner);
  AppendPiece(form, WithoutBlanks(rules));
  if (!request_rules.empty()) AppendPiece(form, request_rules);
  value_ = cursorwire::Sha256(form);
}

void ConversationKey::Add(const MessageDigest& message) {
  value_ = cursorwire::Sha256(Concat(value_, message.value));
}

void ConversationKey::Add(const std::vector<MessageDigest>& messages) {
  for (const MessageDigest& message : messages) Add(message);
}

}  // namespace cursor_gateway
