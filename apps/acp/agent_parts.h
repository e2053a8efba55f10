#ifndef CURSORWIRE_APPS_ACP_AGENT_PARTS_H_
#define CURSORWIRE_APPS_ACP_AGENT_PARTS_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/client.h>
#include <cursorwire/connect/channel_options.h>
#include <cursorwire/exec_handler.h>
#include <cursorwire/mcp/server_config.h>
#include <cursorwire/model.h>
#include <cursorwire/query_handler.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "acp/permissions.h"
#include "acp/session_choices.h"
#include "common/allow.h"

namespace cursor_acp {

// What a turn is to be asked with, beside the prompt.
struct TurnWish {
  std::string folder{};
  Choices choices{};
  // The models of the account, for a turn that cannot do without them: may wait for them. Empty:
  // not known.
  std::function<std::vector<cursorwire::Model>()> models{};
};

// What the agent gets from the program. All functions are called on several threads.
struct AgentParts {
  // A client with the user's login and these handlers.
  std::function<absl::StatusOr<cursorwire::Client>(std::shared_ptr<cursorwire::ExecHandler>,
                                                   std::shared_ptr<cursorwire::QueryHandler>)>
      connect{};
  // A request without its prompt.
  std::function<absl::StatusOr<cursorwire::ChatRequest>(const TurnWish& wish)> make_request{};
  // The servers of tools that each session has, started in its folder. Empty: none.
  std::function<absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>>(
      const std::string& folder)>
      servers{};
  // Takes a line for the user's logs.
  std::function<void(const std::string& line)> log{};
  cursor_apps::Allow allow{};
  cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kOff;
  std::vector<std::string> variables{};   // as of LocalExecOptions
  std::vector<std::string> code_files{};  // as of LocalExecOptions; those of servers are added
  std::chrono::milliseconds max_question_time = kMaxQuestionTime;
  Choices first_choices{};
  std::string state_folder{};
  cursorwire::connect::ProxyChoice proxy{};  // to the editor's servers of tools
};

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_AGENT_PARTS_H_
