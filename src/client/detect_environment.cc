#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/strings.h"
#include "cursorwire/client.h"

namespace cursorwire {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string OsVersion() {
  utsname system;
  if (::uname(&system) != 0) return "";
  return ToLower(system.sysname) + " " + system.release;
}

// The variable TZ, else where /etc/localtime points to in the tz database.
std::string TimeZone() {
  std::string name = Variable("TZ");
  if (!name.empty()) return name;
  std::array<char, 512> target{};
  const ssize_t size = ::readlink("/etc/localtime", target.data(), target.size());
  if (size <= 0) return "";
  constexpr std::string_view kDatabase = "/zoneinfo/";
  const std::string_view path(target.data(), static_cast<size_t>(size));
  const size_t at = path.find(kDatabase);
  return at == std::string_view::npos ? "" : std::string(path.substr(at + kDatabase.size()));
}

}  // namespace

Environment DetectEnvironment() {
  return {.os_version = OsVersion(), .shell = Variable("SHELL"), .time_zone = TimeZone()};
}

}  // namespace cursorwire
