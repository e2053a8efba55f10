#include "cursorwire/mcp/server_config.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "json/json_member.h"
#include "jsonrpc/json_text.h"
#include "mcp/expansion.h"
#include "mcp/plain_text.h"

namespace cursorwire::mcp {
namespace {

using jsonrpc::Json;

constexpr size_t kMaxConfigBytes = size_t{1024} * 1024;
constexpr size_t kMaxServers = 100;
constexpr size_t kMaxServerNameBytes = 200;
// A day: nobody waits longer, and its milliseconds fit.
constexpr double kLongestTimeout = 86'400;

// Reads the members of one server. The first error of a member is the file's; a variable that is
// missing is the server's alone.
class ServerReader {
 public:
  ServerReader(const Json& json, const ServerConfigOptions& options)
      : json_(json), options_(options) {}

  absl::Status Read(ServerConfig& config) {
    if (!json_.is_object()) return InvalidArgument("it must be an object");
    std::string type;
    ReadString("type", type);
    ReadString("command", config.command);
    ReadString("url", config.url);
    ReadStrings("args", config.args);
    ReadMap("env", config.env);
    ReadMap("headers", config.headers);
    ReadString("cwd", config.folder);
    ReadSandbox(config);
    ReadSeconds("startup_timeout_sec", config.startup_timeout);
    ReadSeconds("tool_timeout_sec", config.tool_timeout);
    if (!status_.ok()) return status_;
    if (absl::Status status = CheckKind(config, type); !status.ok()) return status;
    ExpandAll(config);
    config.error.Update(broken_);
    const std::string& start =
        options_.start_folder.empty() ? options_.folder : options_.start_folder;
    if (config.folder.empty()) {
      config.folder = start;
    } else if (!config.folder.starts_with('/')) {
      config.folder = absl::StrCat(options_.folder, "/", config.folder);
    }
    return absl::OkStatus();
  }

  // A server that is switched off need not be right in other ways.
  bool is_disabled() const { return MemberOf(json_, "disabled") == true; }

 private:
  static absl::Status CheckKind(ServerConfig& config, const std::string& type) {
    if (config.command.empty() == config.url.empty()) {
      return InvalidArgument(R"(it must have one of "command" and "url")");
    }
    if (type == "sse") {
      config.error = absl::UnimplementedError("HTTP+SSE of 2024 is not supported");
      return absl::OkStatus();
    }
    constexpr const char* kHttp[] = {"http", "streamable-http", "streamableHttp"};
    const bool is_http = std::find(std::begin(kHttp), std::end(kHttp), type) != std::end(kHttp);
    const bool fits = type.empty() || (config.url.empty() ? type == "stdio" : is_http);
    if (!fits) {
      return InvalidArgument(R"(its "type" must be stdio with "command", http with "url")");
    }
    // A variable may stand for the start.
    if (config.url.empty() || config.url.starts_with("${") || config.url.starts_with("http://") ||
        config.url.starts_with("https://")) {
      return absl::OkStatus();
    }
    return InvalidArgument(R"(its "url" must begin with http:// or https://)");
  }

  void ExpandAll(ServerConfig& config) {
    ExpandText("command", config.command);
    for (std::string& arg : config.args) ExpandText("args", arg);
    for (auto& [name, value] : config.env) ExpandText("env", value);
    ExpandText("cwd", config.folder);
    ExpandText("url", config.url);
    for (auto& [name, value] : config.headers) ExpandText("headers", value);
  }

  // The folder of a server that names none is somebody's HOME, or has the file of the servers.
  void ReadSandbox(ServerConfig& config) {
    const Json& value = MemberOf(json_, "sandbox");
    if (value.is_null() || value == false) return;
    if (value != true) {
      status_.Update(InvalidArgument("its \"sandbox\" must be true or false"));
      return;
    }
    config.sandbox = SandboxPolicy{.workspace = config.folder.empty() ? WorkspaceAccess::kRead
                                                                      : WorkspaceAccess::kWrite};
  }

  void ExpandText(const char* member, std::string& text) {
    absl::StatusOr<std::string> expanded = Expand(text, options_.variable);
    if (expanded.ok()) {
      text = *std::move(expanded);
    } else {
      broken_.Update(Annotate(expanded.status(), absl::StrCat("its \"", member, "\"")));
    }
  }

  void Fail(const char* member, const char* what) {
    status_.Update(InvalidArgument(absl::StrCat("its \"", member, "\" must be ", what)));
  }

  const Json* Find(const char* member) const {
    const Json& value = MemberOf(json_, member);
    return value.is_null() ? nullptr : &value;
  }

  static bool IsText(const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
  }

  void ReadString(const char* member, std::string& text) {
    const Json* value = Find(member);
    if (value == nullptr) return;
    if (!IsText(*value)) return Fail(member, "a string without zero bytes");
    text = value->get<std::string>();
  }
  void ReadStrings(const char* member, std::vector<std::string>& texts) {
    const Json* value = Find(member);
    if (value == nullptr) return;
    if (!value->is_array() || !std::all_of(value->begin(), value->end(), IsText)) {
      return Fail(member, "a list of strings without zero bytes");
    }
    texts = value->get<std::vector<std::string>>();
  }
  void ReadMap(const char* member, std::map<std::string, std::string>& texts) {
    const Json* value = Find(member);
    if (value == nullptr) return;
    if (!value->is_object()) return Fail(member, "an object of strings");
    for (const auto& [name, text] : value->items()) {
      if (!IsText(text) || name.empty() || name.find_first_of(std::string("=\0", 2)) != name.npos) {
        return Fail(member, "an object of strings without zero bytes, and names without \"=\"");
      }
      texts[name] = text.get<std::string>();
    }
  }
  void ReadSeconds(const char* member, std::chrono::milliseconds& time) {
    const Json* value = Find(member);
    if (value == nullptr) return;
    const double seconds = value->is_number() ? value->get<double>() : 0;
    if (!(seconds > 0 && seconds <= kLongestTimeout)) {
      return Fail(member, "a number of seconds, more than 0 and at most 86400");
    }
    time = std::chrono::milliseconds(std::max(std::llround(seconds * 1000), 1LL));
  }

  const Json& json_;
  const ServerConfigOptions& options_;
  absl::Status status_;  // of the file
  absl::Status broken_;  // of the server
};

}  // namespace

absl::StatusOr<std::vector<ServerConfig>> ParseServerConfigs(std::string_view json,
                                                             const ServerConfigOptions& options) {
  if (json.size() > kMaxConfigBytes) {
    return InvalidArgument(
        absl::StrCat("it has ", json.size(), " bytes, over the limit of ", kMaxConfigBytes));
  }
  absl::StatusOr<Json> file = jsonrpc::ParseJsonText(json);
  if (!file.ok()) return file.status();
  const Json& servers = MemberOf(*file, "mcpServers");
  if (!servers.is_object()) {
    return InvalidArgument(
        R"(it must be an object such as {"mcpServers": {"files": {"command": "files-server"}}})");
  }
  std::vector<ServerConfig> configs;
  for (const auto& [name, value] : servers.items()) {
    const std::string who = absl::StrCat("server '", PlainLine(name, kMaxServerNameBytes), "'");
    if (name.empty() || name.size() > kMaxServerNameBytes || PlainLine(name, name.size()) != name) {
      return InvalidArgument(absl::StrCat(who, ": its name must have 1 to ", kMaxServerNameBytes,
                                          " bytes that can be seen"));
    }
    ServerConfig config{.name = name};
    ServerReader reader(value, options);
    if (reader.is_disabled()) continue;
    if (absl::Status status = reader.Read(config); !status.ok()) return Annotate(status, who);
    configs.push_back(std::move(config));
  }
  if (configs.size() > kMaxServers) {
    return InvalidArgument(
        absl::StrCat("it has ", configs.size(), " servers, over the limit of ", kMaxServers));
  }
  return configs;
}

}  // namespace cursorwire::mcp
