#include "agent/run/prompt_message.h"

#include "wire/json.h"

namespace cursorwire::agent {
namespace {

std::string PartsMessage(std::string_view role, std::string_view text) {
  std::string json = R"({"role":")";
  json += role;
  json += R"(","content":[{"type":"text","text":)";
  wire::AppendJsonString(text, json);
  json += "}]}";
  return json;
}

}  // namespace

std::string SystemMessage(std::string_view text) {
  std::string json = R"({"role":"system","content":)";
  wire::AppendJsonString(text, json);
  json += "}";
  return json;
}

std::string UserMessage(std::string_view text) { return PartsMessage("user", text); }
std::string AssistantMessage(std::string_view text) { return PartsMessage("assistant", text); }

std::string FileUri(std::string_view path) {
  constexpr std::string_view kAllowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string uri = "file://";
  for (const char c : path) {
    if (kAllowed.find(c) != std::string_view::npos) {
      uri += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return uri;
}

}  // namespace cursorwire::agent
