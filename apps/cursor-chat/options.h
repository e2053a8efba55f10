#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OPTIONS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OPTIONS_H_

#include <cursorwire/chat.h>
#include <cursorwire/connect/channel_options.h>
#include <cursorwire/credentials.h>
#include <cursorwire/trace.h>

#include <chrono>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "command.h"
#include "common/option_info.h"
#include "open_logins.h"
#include "output/output.h"
#include "turn/allow.h"

namespace cursor_chat {

enum class Format { kText, kJson, kStreamJson, kDocuments, kDocumentsStream, kDocumentsSse };

// One of documents.
inline bool IsDocuments(Format format) { return format >= Format::kDocuments; }

struct OwnFiles;

struct Options {
  Command command = Command::kChat;
  std::vector<std::string> words{};  // that follow those of the command; of a prompt all, and "-"
  std::string state_folder{};        // of the sessions of editors; empty: the default one
  bool no_browser = false;
  bool print_man_page = false;  // for the build, in place of everything else
  std::vector<cursorwire::CredentialPlace> token_places = cursorwire::CredentialsOptions{}.places;
  std::string trace_file{};                    // where calls are recorded; empty: nowhere
  std::shared_ptr<cursorwire::Trace> trace{};  // what records them: see StartTrace()
  std::string endpoint{};
  std::string api_endpoint{};
  std::string ca_file{};
  cursorwire::connect::ProxyChoice proxy{.from_environment = true};
  std::string client_version{};  // empty: as the library finds it
  bool local = false;
  std::string model = "default";
  bool has_model = false;  // --model is there
  std::string effort{};
  std::string context{};
  bool max_mode = false;
  std::string system{};
  std::string workspace{};  // empty: no workspace
  Allow allow{};            // what is allowed in the workspace
  cursorwire::SandboxMode sandbox = cursorwire::SandboxMode::kAuto;
  std::vector<std::string> variables{};  // of the agent's commands, as of LocalExecOptions
  std::string tools_file{};
  std::shared_ptr<const OwnFiles> own_files{};  // once they are read; see ReadOwnFiles()
  std::shared_ptr<OpenLogins> logins{};         // of the program; nullptr: nobody asks for them
  std::string mcp_config{};                     // a file of servers; empty: none
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  std::vector<std::string> images{};
  std::vector<std::string> attach{};       // paths
  std::vector<std::string> rules_files{};  // beside those of the workspace
  bool names_workspace = false;            // --workspace is there
  bool no_rules = false;                   // none of the workspace
  bool plain = false;
  std::string session_file{};
  bool continue_session = false;
  bool save_session = false;
  int retries = -1;  // -1: the library's default
  Format format = Format::kText;
  bool keep_think_tags = false;
  std::chrono::milliseconds connect_timeout{30'000};
  std::chrono::milliseconds max_idle{0};  // 0: the library's default
  bool any_silence = false;               // --max-idle 0
  std::chrono::milliseconds max_time{0};
  std::chrono::milliseconds heartbeat{5'000};
};

// What there is, in the order of --help.
std::vector<cursor_apps::OptionInfo> DescribeOptions();

// The options, or the exit code if the program is done: after --help, "help", --version, or a usage
// error.
std::variant<Options, int> ParseOptions(int argc, char** argv, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OPTIONS_H_
