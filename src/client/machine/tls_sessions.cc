#include "client/machine/tls_sessions.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire {
namespace {

constexpr char kSessionList[] = "tls_sessions";

int64_t SecondsOf(TlsSessions::Time time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

std::optional<TlsSessions> TlsSessions::Read(std::string_view json, Time now) {
  TlsSessions sessions;
  if (json.empty()) return sessions;
  const absl::StatusOr<wire::Json> file = wire::ParseJson(json);
  const wire::Json* list = file.ok() ? file->Find(kSessionList) : nullptr;
  if (list == nullptr || !list->is_array()) return std::nullopt;
  for (const wire::Json& item : list->items) {
    const wire::Json* expires = item.Find("expires");
    Session session{.key = std::string(item.FindString("key"))};
    const bool is_whole = expires != nullptr && absl::SimpleAtoi(expires->text, &session.expires) &&
                          absl::Base64Unescape(ToAbsl(item.FindString("session")), &session.bytes);
    if (is_whole && session.expires > SecondsOf(now)) sessions.Add(std::move(session));
  }
  return sessions;
}

std::string TlsSessions::Write() const {
  std::string json = absl::StrCat("{\"", kSessionList, "\":[");
  for (const Session& session : sessions_) {
    if (&session != &sessions_.front()) json += ',';
    json += "\n{\"key\":";
    wire::AppendJsonString(session.key, json);
    absl::StrAppend(&json, R"(,"expires":)", session.expires, R"(,"session":")",
                    absl::Base64Escape(session.bytes), R"("})");
  }
  return json + "]}\n";
}

void TlsSessions::Add(const std::string& key, const std::string& session, Time expires) {
  Add({.key = key, .bytes = session, .expires = SecondsOf(expires)});
}

void TlsSessions::Add(Session session) {
  const bool fits = !session.key.empty() && session.key.size() <= kMaxKeyBytes &&
                    !session.bytes.empty() && session.bytes.size() <= kMaxSessionBytes;
  if (!fits) return;
  if (sessions_.size() >= kMaxSessions) sessions_.pop_front();
  sessions_.push_back(std::move(session));
}

std::optional<std::string> TlsSessions::Take(std::string_view key) {
  const auto newest = std::find_if(sessions_.rbegin(), sessions_.rend(),
                                   [key](const Session& session) { return session.key == key; });
  if (newest == sessions_.rend()) return std::nullopt;
  std::string bytes = std::move(newest->bytes);
  sessions_.erase(std::next(newest).base());
  return bytes;
}

}  // namespace cursorwire
