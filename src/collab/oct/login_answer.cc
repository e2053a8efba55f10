#include "collab/oct/login_answer.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "collab/oct/envelope.h"
#include "collab/oct/login_options.h"
#include "collab/oct/login_server.h"
#include "json/json_member.h"
#include "json/json_reader.h"

namespace cursorwire::oct {
namespace {

using nlohmann::json;

constexpr size_t kMaxQuotedVersionBytes = 50;
constexpr std::string_view kSocketIoTransport = "socket.io";

absl::Status BadLoginAnswer(std::string_view what) {
  return ProtocolError(absl::StrCat("the answer ", ToAbsl(what)));
}

// Below 1.0, versions with the same minor number understand each other. Source: version.ts.
bool IsCompatibleVersion(std::string_view version) {
  constexpr std::string_view kSame =
      kProtocolVersion.substr(0, kProtocolVersion.find_last_of('.') + 1);
  static_assert(kSame.starts_with("0."));
  return version.size() > kSame.size() && version.starts_with(kSame) &&
         absl::ascii_isdigit(static_cast<unsigned char>(version[kSame.size()]));
}

bool IsLoginToken(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLoginTokenCharacters && text != "." && text != ".." &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F; });
}

// A form for a name, that nothing else is required of than the email.
bool IsNameForm(const json& provider) {
  const json& fields = MemberOf(provider, "fields");
  if (TextOf(provider, "type") != "form" || !fields.is_array()) return false;
  bool has_user = false;
  for (const json& field : fields) {
    const std::string name = TextOf(field, "name");
    if (name == "user") has_user = true;
    if (name != "user" && name != "email" && FlagOf(field, "required")) return false;
  }
  return has_user;
}

// "": none has one on the server itself.
std::string FormUrlOf(const Url& server, const json& providers) {
  if (!providers.is_array()) return "";
  for (const json& provider : providers) {
    if (!IsNameForm(provider)) continue;
    std::optional<std::string> url = ResolveOnServer(server, TextOf(provider, "endpoint"));
    if (url && IsOnServer(server, *url)) return *std::move(url);
  }
  return "";
}

}  // namespace

absl::StatusOr<json> ReadLoginAnswer(std::string_view body) {
  if (body.size() > kMaxLoginAnswerBytes) {
    return BadLoginAnswer(absl::StrCat("is over the limit of ", kMaxLoginAnswerBytes, " bytes"));
  }
  json answer;
  const JsonBounds bounds{.max_depth = kMaxLoginAnswerDepth, .max_values = kMaxLoginAnswerValues};
  if (ReadJson(body, bounds, answer) || !answer.is_object()) {
    return BadLoginAnswer("is no object of JSON, or has too many values");
  }
  return answer;
}

absl::Status CheckServerMeta(const json& answer) {
  const std::string version = TextOf(answer, "version");
  if (!IsCompatibleVersion(version)) {
    return ProtocolError(absl::StrCat("the server speaks version \"",
                                      Printable(version, kMaxQuotedVersionBytes),
                                      "\" of the protocol, we speak ", ToAbsl(kProtocolVersion)));
  }
  const json& transports = MemberOf(answer, "transports");
  if (!transports.is_array() ||
      std::find(transports.begin(), transports.end(), kSocketIoTransport) == transports.end()) {
    return ProtocolError("the server does not offer the transport socket.io");
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadLoginToken(const json& answer, std::string_view name) {
  const json& member = MemberOf(answer, name);
  const auto* const text = member.get_ptr<const std::string*>();
  if (text == nullptr) return BadLoginAnswer(absl::StrCat("has no ", ToAbsl(name)));
  if (!IsLoginToken(*text)) {
    return BadLoginAnswer(absl::StrCat("has a ", ToAbsl(name), " that cannot be sent"));
  }
  return *text;
}

absl::StatusOr<LoginOffer> ReadLoginOffer(const Url& server, const json& answer) {
  absl::StatusOr<std::string> token = ReadLoginToken(answer, "pollToken");
  if (!token.ok()) return token.status();
  const json& auth = MemberOf(answer, "auth");
  if (!auth.is_object()) return BadLoginAnswer("does not say how to log in");
  return LoginOffer{
      .poll_token = *std::move(token),
      .page_url = ResolveOnServer(server, TextOf(auth, "loginPageUrl")).value_or(""),
      .form_url = FormUrlOf(server, MemberOf(auth, "providers")),
  };
}

absl::StatusOr<RoomAccess> ReadRoomAccess(const json& answer) {
  RoomAccess access{.room_id = TextOf(answer, "roomId")};
  if (!IsRoomId(access.room_id)) return BadLoginAnswer("has no roomId");
  absl::StatusOr<std::string> token = ReadLoginToken(answer, "roomToken");
  if (!token.ok()) return token.status();
  access.room_token = *std::move(token);
  std::optional<RoomPeer> host = ReadRoomPeer(MemberOf(answer, "host"));
  if (!host) return BadLoginAnswer("does not name the host");
  access.host = *std::move(host);
  access.workspace = TextOf(MemberOf(answer, "workspace"), "name");
  if (access.workspace.size() > kMaxWorkspaceNameBytes) access.workspace.clear();
  return access;
}

}  // namespace cursorwire::oct
