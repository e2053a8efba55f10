#include "commands/session_list.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/time/time.h>
#include <cursorwire/session_file.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "common/json_line.h"
#include "common/visible_text.h"
#include "markdown/text_width.h"
#include "output/notices.h"
#include "session.h"

namespace cursor_chat {
namespace {

using cursorwire::SessionInfo;
using nlohmann::json;

std::string TimeOf(const SessionInfo& session, absl::TimeZone zone, const char* format) {
  return absl::FormatTime(format, absl::FromChrono(session.updated), zone);
}

// The file last: it is what a user copies.
std::string Table(const std::vector<SessionInfo>& sessions) {
  size_t title_width = 5;
  size_t model_width = 5;
  std::vector<std::string> titles;
  for (const SessionInfo& session : sessions) {
    titles.push_back(cursor_apps::ExactLine(session.title).substr(0, 40));
    cursor_apps::CutToWholeCharacters(titles.back());
    title_width = std::max(title_width, markdown::TextWidth(titles.back()));
    model_width = std::max(model_width, markdown::TextWidth(cursor_apps::ExactLine(session.model)));
  }
  const auto row = [&](const std::string& updated, const std::string& turns,
                       const std::string& model, const std::string& title,
                       const std::string& file) {
    return absl::StrFormat("%-16s  %5s  %s  %s  %s\n", updated, turns,
                           markdown::PadTo(model, model_width), markdown::PadTo(title, title_width),
                           file);
  };
  std::string table = row("UPDATED", "TURNS", "MODEL", "TITLE", "FILE");
  for (size_t i = 0; i < sessions.size(); ++i) {
    table += row(TimeOf(sessions[i], absl::LocalTimeZone(), "%Y-%m-%d %H:%M"),
                 std::to_string(sessions[i].turns), cursor_apps::ExactLine(sessions[i].model),
                 titles[i], cursor_apps::ExactLine(sessions[i].path));
  }
  return table;
}

json ToJson(const std::vector<SessionInfo>& sessions) {
  json array = json::array();
  for (const SessionInfo& session : sessions) {
    array.push_back({{"file", session.path},
                     {"title", session.title},
                     {"model", session.model},
                     {"folder", session.folder},
                     {"turns", session.turns},
                     {"updated", TimeOf(session, absl::UTCTimeZone(), "%Y-%m-%dT%H:%M:%SZ")}});
  }
  return {{"sessions", array}};
}

// The path that a user means: as it is, or that of a conversation of --save.
std::string PathOfSession(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos || std::filesystem::is_regular_file(name, error)) {
    return name;
  }
  const std::string folder = cursorwire::DefaultSessionFolder();
  if (folder.empty()) return name;
  for (const char* suffix : {"", ".session"}) {
    std::string path = absl::StrCat(folder, "/", name, suffix);
    if (std::filesystem::exists(path, error)) return path;
  }
  return name;
}

// Whether the file holds a conversation: what else lies there is not ours to remove.
absl::StatusOr<bool> IsSession(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const auto sessions = cursorwire::ListSessions(folder.string());
  if (!sessions.ok()) return sessions.status();
  return std::any_of(sessions->begin(), sessions->end(), [&path](const SessionInfo& session) {
    return std::filesystem::path(session.path).filename() == path.filename();
  });
}

absl::Status RemoveSession(const std::string& path) {
  // Held, so that no process goes on with a conversation that has no file any more.
  const auto held = cursorwire::SessionFile::Open(path, cursorwire::SessionFile::Missing::kRefuse);
  if (!held.ok()) return held.status();
  const absl::StatusOr<bool> is_session = IsSession(path);
  if (!is_session.ok()) return is_session.status();
  if (!*is_session) return absl::InvalidArgumentError(path + " holds no conversation");
  // A link goes with the conversation to which it leads: nobody who removes one wants it kept.
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(path, error);
  if (!error) std::filesystem::remove(real, error);
  if (!error) std::filesystem::remove(path, error);
  if (error) return absl::UnknownError("cannot remove " + path + ": " + error.message());
  return absl::OkStatus();
}

}  // namespace

absl::Status PrintSessions(const Options& options, Output& output) {
  const bool is_default = options.words.empty();
  const std::string folder = is_default ? cursorwire::DefaultSessionFolder() : options.words[0];
  if (folder.empty()) return NoSessionFolder();
  absl::StatusOr<std::vector<SessionInfo>> sessions = cursorwire::ListSessions(folder);
  // Nothing was saved yet.
  if (is_default && absl::IsNotFound(sessions.status())) sessions = std::vector<SessionInfo>();
  if (!sessions.ok()) return sessions.status();
  if (options.format != Format::kText) {
    output.Write(cursor_apps::JsonLine(ToJson(*sessions)) + "\n");
  } else if (sessions->empty()) {
    PrintWarning(output, "there are no sessions in " + folder);
  } else {
    output.Write(Table(*sessions));
  }
  return absl::OkStatus();
}

absl::Status RemoveSessions(const Options& options, Output& output) {
  json removed = json::array();
  absl::Status status;
  for (const std::string& name : options.words) {
    const std::string path = PathOfSession(name);
    status = RemoveSession(path);
    if (!status.ok()) break;
    removed.push_back(path);
  }
  if (options.format != Format::kText && (status.ok() || !removed.empty())) {
    const json object = {{"removed", removed}};
    output.Write(object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n");
  }
  return status;
}

}  // namespace cursor_chat
