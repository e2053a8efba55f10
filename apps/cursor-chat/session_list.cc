#include "session_list.h"

#include <absl/strings/str_format.h>
#include <absl/time/time.h>
#include <cursorwire/session_file.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/json_line.h"
#include "notices.h"
#include "visible_text.h"

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
    titles.push_back(ExactLine(session.title).substr(0, 40));
    CutToWholeCharacters(titles.back());
    title_width = std::max(title_width, titles.back().size());
    model_width = std::max(model_width, session.model.size());
  }
  const auto row = [&](const std::string& updated, const std::string& turns,
                       const std::string& model, const std::string& title,
                       const std::string& file) {
    return absl::StrFormat("%-16s  %5s  %-*s  %-*s  %s\n", updated, turns, model_width, model,
                           title_width, title, file);
  };
  std::string table = row("UPDATED", "TURNS", "MODEL", "TITLE", "FILE");
  for (size_t i = 0; i < sessions.size(); ++i) {
    table += row(TimeOf(sessions[i], absl::LocalTimeZone(), "%Y-%m-%d %H:%M"),
                 std::to_string(sessions[i].turns), ExactLine(sessions[i].model), titles[i],
                 ExactLine(sessions[i].path));
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

}  // namespace

absl::Status PrintSessions(const Options& options, Output& output) {
  const bool is_default = options.sessions_folder.empty();
  const std::string folder =
      is_default ? cursorwire::DefaultSessionFolder() : options.sessions_folder;
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

}  // namespace cursor_chat
