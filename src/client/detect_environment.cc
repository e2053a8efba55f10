#include "client/detect_environment.h"

#include <sys/utsname.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cursorwire/client.h"

namespace cursorwire {
namespace {

std::string OsVersion() {
  utsname system{};
  if (::uname(&system) != 0) return "";
  return ToLower(system.sysname) + " " + system.release;
}

bool MayStandInZone(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
         c == '_' || c == '+' || c == '-';
}

// True for names such as "Europe/Zurich" or "UTC". A rule such as "CET-1CEST,M3.5.0" or "UTC0" is
// not a name: names without an area have no digits, except for a few that are obsolete.
bool IsZoneName(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !text.empty() && std::all_of(text.begin(), text.end(), MayStandInZone) &&
         text.find("//") == text.npos && text.front() != '/' && text.back() != '/' &&
         (text.find('/') != text.npos || std::none_of(text.begin(), text.end(), is_digit));
}

// "" unless it is a file of the tz database.
std::string ZoneOfPath(std::string_view path) {
  constexpr std::string_view kDatabase = "/zoneinfo/";
  const size_t at = path.find(kDatabase);
  if (at == path.npos) return "";
  const std::string_view name = path.substr(at + kDatabase.size());
  return IsZoneName(name) ? std::string(name) : "";
}

// The value of the variable TZ, or else the target of /etc/localtime.
std::string TimeZone(const ProcessEnvironment& process_environment) {
  const std::string variable = process_environment.variable("TZ");
  if (variable.empty()) return ZoneOfPath(process_environment.link("/etc/localtime"));
  std::string_view name = variable;
  if (name.front() == ':') name.remove_prefix(1);  // POSIX: after a colon comes a name, not a rule
  if (name.starts_with('/')) return ZoneOfPath(name);
  return IsZoneName(name) ? std::string(name) : "";
}

}  // namespace

Environment DetectEnvironment(const ProcessEnvironment& process_environment) {
  return {.os_version = OsVersion(),
          .shell = process_environment.variable("SHELL"),
          .time_zone = TimeZone(process_environment)};
}

Environment DetectEnvironment() { return DetectEnvironment(ReadProcessEnvironment()); }

}  // namespace cursorwire
