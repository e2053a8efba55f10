// Reads the params of a request of an editor as a prompt and as servers of tools, as cursor-chat
// acp does: through a Peer, which gives them as text.
//
// Input: the params, without a line end.

#include <cursorwire/chat.h>
#include <cursorwire/jsonrpc/peer.h>
#include <cursorwire/mcp/server_config.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "acp/json.h"
#include "acp/prompt_blocks.h"
#include "acp/session_servers.h"
#include "support/harness.h"

namespace {

using cursor_acp::Json;
using cursorwire::fuzz::Check;

constexpr size_t kMaxInputBytes = size_t{256} * 1024;
constexpr char kFolder[] = "/work";

bool IsUtf8(const std::string& text) {
  return Json::parse(cursor_acp::WriteJson(text)).get<std::string>() == text;
}

bool HasControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 0x20 || c == 0x7F; });
}

// What is refused is told in one sentence that names the member.
void CheckRefusal(const absl::Status& status, std::string_view member) {
  const std::string message(status.message());
  Check(status.code() == absl::StatusCode::kInvalidArgument && message.starts_with(member));
  Check(IsUtf8(message) && message.size() < 1000);
}

// An embedded text that is the whole prompt stands as it is between two marks that it does not
// have.
void CheckEmbedded(const Json& blocks, const std::string& prompt) {
  using cursor_acp::MemberOf;
  if (blocks.size() != 1 || MemberOf(blocks[0], "type") != "resource") return;
  const Json& text = MemberOf(MemberOf(blocks[0], "resource"), "text");
  if (!text.is_string()) return;
  const auto body = text.get<std::string>();
  const std::string mark = prompt.substr(1, prompt.find(' ') - 1);
  Check(mark.starts_with("attached-") && body.find(mark) == body.npos);
  const std::string line_end = body.ends_with('\n') ? "" : "\n";
  Check(prompt.ends_with(">\n" + body + line_end + "</" + mark + ">\n"));
}

void CheckPrompt(const Json& blocks) {
  const auto content = cursor_acp::ReadPromptBlocks(blocks);
  if (!content.ok()) return CheckRefusal(content.status(), "prompt");
  Check(blocks.is_array() && !blocks.empty());
  Check(content->text.find_first_not_of(" \t\r\n") != std::string::npos);
  Check(IsUtf8(content->text) && IsUtf8(content->title));
  Check(content->title.size() <= cursor_acp::kMaxTitleBytes + 3);
  Check(!HasControl(content->title));
  Check(content->images.size() <= blocks.size());
  for (const std::string& image : content->images) {
    Check(image.size() <= cursorwire::kMaxImageBytes && cursorwire::ImageMimeType(image));
  }
  CheckEmbedded(blocks, content->text);
}

void CheckServer(const cursorwire::mcp::ServerConfig& config) {
  const std::string zero(1, '\0');
  Check(config.command.empty() != config.url.empty() && config.folder == kFolder);
  Check(config.command.find(zero) == std::string::npos && !HasControl(config.url));
  for (const std::string& arg : config.args) Check(arg.find(zero) == std::string::npos);
  for (const auto& [name, value] : config.env) {
    Check(!name.empty() && name.find_first_of("=" + zero) == std::string::npos);
    Check(value.find(zero) == std::string::npos);
  }
  for (const auto& [name, value] : config.headers) {
    Check(!name.empty() && name.find_first_of(": \r\n" + zero) == std::string::npos);
    Check(value.find_first_of("\r\n" + zero) == std::string::npos);
  }
}

void CheckServers(const Json& servers) {
  const auto configs = cursor_acp::ReadSessionServers(servers, kFolder);
  if (!configs.ok()) return CheckRefusal(configs.status(), "mcpServers");
  Check(configs->size() <= cursor_acp::kMaxSessionServers && configs->size() <= servers.size());
  std::set<std::string> names;
  for (const auto& config : *configs) {
    Check(!config.name.empty() && !HasControl(config.name) && names.insert(config.name).second);
    CheckServer(config);
  }
  // A file of the same servers adds nothing.
  Check(cursor_acp::JoinServers(*configs, *configs).size() == configs->size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view params(reinterpret_cast<const char*>(data), size);
  if (size > kMaxInputBytes || params.find('\n') != params.npos) return 0;
  cursorwire::jsonrpc::Peer peer;
  peer.Receive(R"({"jsonrpc":"2.0","id":1,"method":"m","params":)");
  peer.Receive(params);
  peer.Receive("}\n");
  while (const std::optional<cursorwire::jsonrpc::PeerEvent> event = peer.Next()) {
    const auto* request = std::get_if<cursorwire::jsonrpc::PeerRequest>(&*event);
    if (request == nullptr) continue;
    const Json object = cursor_acp::ParseObject(request->params_json);
    CheckPrompt(cursor_acp::MemberOf(object, "prompt"));
    CheckServers(cursor_acp::MemberOf(object, "mcpServers"));
  }
  return 0;
}
