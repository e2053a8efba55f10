#include "options.h"

#include <cursorwire/connect/version.h>
#include "base/suggestion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "command.h"
#include "commands/command_help.h"
#include "commands/man_page.h"
#include "common/env_option.h"
#include "common/exit_code.h"
#include "common/proxy_option.h"
#include "common/sandbox_option.h"
#include "common/token_source_option.h"
#include "help_text.h"
#include "output/json_printers.h"
#include "output/notices.h"

namespace cursor_chat {
namespace {

// Ten years: no deadline is longer, and its milliseconds fit any type.
constexpr double kMaxSeconds = 315'360'000;
constexpr int kMaxRetries = 1000;
constexpr char kDescription[] = "Asks Cursor's agent and prints the answer as it comes.";

void AddSeconds(CLI::App& app, const std::string& name, std::chrono::milliseconds& value,
                const std::string& description) {
  const auto parse = [name, &value](const std::string& text) {
    double seconds = -1;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, seconds);
    if (error != std::errc() || rest != end || !(seconds >= 0 && seconds <= kMaxSeconds)) {
      throw CLI::ValidationError(
          name, "must be a number of seconds from 0 to 315360000, not '" + text + "'");
    }
    // A positive time must not be rounded to 0, since 0 means no limit.
    value =
        std::chrono::milliseconds(std::max(std::llround(seconds * 1000), seconds > 0 ? 1LL : 0));
  };
  app.add_option_function<std::string>(name, parse, description)->type_name("SEC");
}

// An option with a few words as values; `what` names them in the error.
template <typename Value>
void AddWord(CLI::App& app, const std::string& name, const std::string& what,
             const std::vector<std::pair<std::string, Value>>& words, Value& value,
             const std::string& description) {
  std::string type;
  for (const auto& [word, unused] : words) type += (type.empty() ? "" : "|") + word;
  const auto parse = [name, what, words, &value](const std::string& text) {
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&text](const auto& word) { return word.first == text; });
    if (found == words.end()) {
      throw CLI::ValidationError(name, "must be " + what + ", not '" + text + "'");
    }
    value = found->second;
  };
  app.add_option_function<std::string>(name, parse, description)->type_name(type);
}

const std::vector<std::pair<std::string, Format>>& FormatWords() {
  static const auto& words = *new std::vector<std::pair<std::string, Format>>{
      {"text", Format::kText},
      {"json", Format::kJson},
      {"stream-json", Format::kStreamJson},
      {"documents", Format::kDocuments},
      {"documents-stream", Format::kDocumentsStream},
      {"documents-sse", Format::kDocumentsSse},
      {"sse", Format::kDocumentsSse}};
  return words;
}

void AddFormat(CLI::App& app, Format& format) {
  AddWord<Format>(app, "--format",
                  "text, json, stream-json, documents, documents-stream or documents-sse (sse)",
                  FormatWords(), format,
                  "text: the answer alone (default);\njson: one object at the end;\n"
                  "stream-json: one object a line and event;\n"
                  "documents: the answer as typed parts, one object at the end;\n"
                  "documents-stream: their events, one object a line;\n"
                  "documents-sse, sse: the same as server-sent events");
}

void AddMode(CLI::App& app, cursorwire::AgentMode& mode) {
  using cursorwire::AgentMode;
  AddWord<AgentMode>(app, "--mode", "agent, plan, ask or debug",
                     {{"agent", AgentMode::kAgent},
                      {"plan", AgentMode::kPlan},
                      {"ask", AgentMode::kAsk},
                      {"debug", AgentMode::kDebug}},
                     mode,
                     "How the agent works; in plan and ask mode\nit changes and runs nothing");
}

void AddAllow(CLI::App& app, Allow& allow) {
  const auto parse = [&allow](const std::string& text) {
    const absl::StatusOr<Allow> parsed = cursor_apps::ParseAllow(text);
    if (!parsed.ok()) throw CLI::ValidationError("--allow", std::string(parsed.status().message()));
    allow = *parsed;
  };
  app.add_option_function<std::string>(
         "--allow", parse,
         "What it may do there: none, or a list of\nread (default), write, sandboxed (commands in "
         "the\nsandbox), shell (any command), mcp and ask")
      ->type_name("LIST");
}

// Options whose values are neither numbers nor fixed words.
void AddTexts(CLI::App& app, Options& options) {
  auto* endpoint = app.add_option("--endpoint", options.endpoint,
                                  "URL of the service; http:// to this machine only")
                       ->type_name("URL");
  auto* api_endpoint = app.add_option("--api-endpoint", options.api_endpoint,
                                      "URL of the host for models and logins")
                           ->type_name("URL");
  auto* ca = app.add_option("--cacert", options.ca_file, "Trust these certificates alone")
                 ->type_name("PEM");
  auto* sessions =
      app.add_option_function<std::string>(
             "--tls-sessions", [](const std::string&) {},
             "Has no effect any more: TLS sessions stay in\nmemory, and the file is not touched")
          ->type_name("FILE");
  auto* proxy = cursor_apps::AddProxy(app, options.proxy);
  app.add_flag("--local", options.local, "Ask a stand-in within this process")
      ->excludes(endpoint)
      ->excludes(proxy)
      ->excludes(api_endpoint)
      ->excludes(ca)
      ->excludes(sessions);
  app.add_option("-m,--model", options.model, "Model id (default: the service chooses)")
      ->type_name("ID");
  app.add_option("--effort", options.effort, "How long the model reasons, such as low or high")
      ->type_name("WORD");
  app.add_option("--context", options.context, "How much the model reads, such as 272k or 1m")
      ->type_name("WORD");
  app.add_flag("--max-mode", options.max_mode, "Use the model in max mode");
  app.add_option("--system", options.system, "Rules for the agent")->type_name("TEXT");
  app.add_option("--image", options.images, "Show an image, up to 5 MiB; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_option("--attach", options.attach,
                 "Attach a file or folder of the workspace; may be\nrepeated")
      ->type_name("PATH")
      ->allow_extra_args(false);
  app.add_option("--rules", options.rules_files, "Give the agent rules of a file; may be repeated")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--no-rules", options.no_rules,
               "Leave out AGENTS.md and .cursor/rules of the\nworkspace");
  app.add_option("--workspace", options.workspace,
                 "Let the agent look into this folder\n(with --local: the current one)")
      ->type_name("DIR");
}

void AddSessions(CLI::App& app, Options& options) {
  auto* file = app.add_option("--session", options.session_file,
                              "Go on with the conversation in this file, which\nis made if it is "
                              "missing")
                   ->type_name("FILE");
  auto* goes_on = app.add_flag("-c,--continue", options.continue_session,
                               "Go on with the last conversation of --save")
                      ->excludes(file);
  app.add_flag("--save", options.save_session,
               "Keep the conversation: \"cursor-chat sessions\"\nlists them")
      ->excludes(file)
      ->excludes(goes_on);
}

void AddState(CLI::App& app, Options& options) {
  app.add_option("--state", options.state_folder, "With acp: the folder of the sessions of editors")
      ->type_name("DIR");
}

void AddRetries(CLI::App& app, int& retries) {
  const auto parse = [&retries](const std::string& text) {
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, retries);
    if (error != std::errc() || rest != end || retries < 0 || retries > kMaxRetries) {
      throw CLI::ValidationError("--retries",
                                 "must be a number from 0 to 1000, not '" + text + "'");
    }
  };
  app.add_option_function<std::string>("--retries", parse,
                                       "How often a lost turn is tried again (default 4)")
      ->type_name("N");
}

void AddOptions(CLI::App& app, Options& options) {
  app.footer(CommandList() + "\n" + kHelpFooter);
  app.set_version_flag("--version", "cursor-chat " + std::string(cursorwire::connect::Version()),
                       "Print the version and exit");
  app.add_flag("--help-man", options.print_man_page, "Print the man page and exit")->group("");
  app.get_formatter()->column_width(28);
  AddTexts(app, options);
  AddAllow(app, options.allow);
  cursor_apps::AddSandbox(app, options.sandbox);
  app.add_option("--tools", options.tools_file, "Offer these commands to the agent as tools")
      ->type_name("FILE");
  app.add_option("--mcp-config", options.mcp_config,
                 "Offer it the tools of the MCP servers in this file")
      ->type_name("FILE");
  AddMode(app, options.mode);
  AddSessions(app, options);
  AddState(app, options);
  AddFormat(app, options.format);
  app.add_option("--trace", options.trace_file,
                 "Record all calls in this file, without the token,\nbut with all that was said")
      ->type_name("FILE");
  app.add_flag("--plain", options.plain,
               "On a terminal: no colours and no line that moves\n(as with NO_COLOR or TERM=dumb)");
  app.add_flag("--keep-think-tags", options.keep_think_tags,
               "Leave reasoning between tags such as <think>\nin the answer");
  AddSeconds(app, "--connect-timeout", options.connect_timeout,
             "Longest time to connect (default 30; 0: any)");
  AddSeconds(app, "--max-idle", options.max_idle,
             "Longest silence of the service (default 180, but any\nwhile a tool or command runs; "
             "0: any)");
  AddSeconds(app, "--max-time", options.max_time,
             "Longest time for the whole call (default 0: any)");
  AddRetries(app, options.retries);
  cursor_apps::AddEnv(app, options.variables);
  cursor_apps::AddTokenSource(app, options.token_places);
  app.add_option("--client-version", options.client_version,
                 "What the program says it is, if the service wants a\nnewer one (default: "
                 "CURSORWIRE_CLIENT_VERSION, else\nthat of an installed official CLI)")
      ->type_name("VERSION");
  app.add_flag("--no-browser", options.no_browser, "With login: print the address alone");
  AddSeconds(app, "--heartbeat", options.heartbeat,
             "Between two signs of life (default 5; 0: none)");
  app.add_option("prompt", options.words, "What to ask; - reads standard input")
      ->type_name("PROMPT|-");
}

// Whether the value of that option is the next argument.
bool TakesNext(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with("--")) {
    const CLI::Option* option = app.get_option_no_throw(argument);
    return option != nullptr && option->get_items_expected_min() > 0;
  }
  for (size_t i = 1; i < argument.size(); ++i) {
    const CLI::Option* option = app.get_option_no_throw(std::string("-") + argument[i]);
    if (option == nullptr) return false;
    if (option->get_items_expected_min() > 0) return i + 1 == argument.size();
  }
  return false;
}

// Whether "--" stands before the first word, which then is not the word of a command.
bool BeginsAfterDashes(const CLI::App& app, const std::vector<std::string>& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--") return true;
    if (argument == "-" || !argument.starts_with('-')) return false;
    if (TakesNext(app, argument)) ++i;
  }
  return false;
}

// Finds --format even in an invalid command line.
Format FormatOf(const std::vector<std::string>& arguments) {
  Format format = Format::kText;
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    constexpr std::string_view kWithValue = "--format=";
    std::string word;
    if (arguments[i] == "--format" && i + 1 < arguments.size()) word = arguments[i + 1];
    if (arguments[i].starts_with(kWithValue)) word = arguments[i].substr(kWithValue.size());
    for (const auto& [name, value] : FormatWords()) {
      if (word == name) format = value;
    }
  }
  return format;
}

int UsageError(Output& output, Format format, const absl::Status& error) {
  PrintErrorObject(format, output, error, {});
  PrintError(output, error);
  return cursor_apps::kExitUsage;
}

int UsageError(Output& output, Format format, const std::string& message) {
  return UsageError(output, format,
                    absl::InvalidArgumentError(message + " (see cursor-chat --help)"));
}

// The exit code of what only prints.
int PrintAndEnd(Output& output, const std::string& text) {
  output.Write(text);
  if (output.status().ok()) return cursor_apps::kExitOk;
  // The reader has what it wanted, so there is nothing to report.
  if (!output.reader_is_gone()) PrintError(output, output.status());
  return cursor_apps::kExitOther;
}

// What the official CLI calls by another name, and what is its like here.
struct ForeignOption {
  std::string_view name;
  std::string_view ours;
};
constexpr ForeignOption kForeignOptions[] = {
    {"-p", "a prompt on the command line is answered without a session"},
    {"--print", "a prompt on the command line is answered without a session"},
    {"--output-format", "it is --format here"},
    {"--stream-partial-output", "it is --format stream-json here"},
    {"--resume",
     "--continue goes on with the last conversation, --session FILE with that of a file"},
    {"-f", "--allow says what the agent may do, such as --allow write,shell"},
    {"--force", "--allow says what the agent may do, such as --allow write,shell"},
    {"--yolo", "--allow says what the agent may do, such as --allow write,shell"},
    {"--approve-mcps", "--mcp-config FILE --allow mcp offers servers without a question"},
    {"--list-models", "it is \"cursor-chat models\" here"},
    {"-a", "the token is that of CURSOR_ACCESS_TOKEN or of \"cursor-chat login\""},
    {"--api-key", "the token is that of CURSOR_ACCESS_TOKEN or of \"cursor-chat login\""},
    {"-v", "it is --version here"},
};

// The error message for an option that does not exist.
std::string ExplainUnknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  const std::string name =
      unknown.empty() ? "" : unknown.front().substr(0, unknown.front().find('='));
  const auto* foreign =
      std::find_if(std::begin(kForeignOptions), std::end(kForeignOptions),
                   [&name](const ForeignOption& option) { return option.name == name; });
  if (foreign != std::end(kForeignOptions)) {
    return "there is no option " + name + "; " + std::string(foreign->ours);
  }
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& word : option->get_lnames()) known.push_back("--" + word);
  }
  const std::string suggestion = cursorwire::Suggest(name, known);
  return "there is no option " + name +
         (suggestion.empty() ? "; a prompt that begins so goes after --"
                             : "; did you mean " + suggestion + "?");
}

// An option that says what an editor says for each session or prompt; "" if there is none.
std::string FindOptionOfEditor(const CLI::App& app) {
  for (const char* name : {"--workspace", "--image", "--attach", "--session", "--continue",
                           "--save", "--format", "--max-time"}) {
    if (app.count(name) > 0) return name;
  }
  return "";
}

// An empty value, as from an unset shell variable. Ignoring it could mean another host, folder or
// price. "" if no value is empty.
std::string FindEmpty(const CLI::App& app) {
  for (const char* name :
       {"--endpoint", "--api-endpoint", "--cacert", "--tls-sessions", "--workspace", "--allow",
        "--model", "--effort", "--context", "--image", "--attach", "--rules", "--tools",
        "--mcp-config", "--session", "--state", "--client-version", "--token-source", "--trace"}) {
    const std::vector<std::string>& values = app.get_option(name)->results();
    if (std::find(values.begin(), values.end(), "") != values.end()) return name;
  }
  return "";
}

// What is wrong with the options of that command; "": nothing.
std::string ProblemOf(const CLI::App& app, const CommandInfo& command, const Options& options) {
  const std::string word(command.word);
  if (command.needs_account && options.local) {
    return word + " looks at your account, and --local has none";
  }
  if (command.word == "acp") {
    const std::string name = FindOptionOfEditor(app);
    if (!name.empty()) return name + " is the editor's to say with acp";
  }
  const bool is_text = options.format == Format::kText;
  if (command.formats == CommandFormats::kText && !is_text) {
    return "--format of " + word + " must be text";
  }
  if (command.formats == CommandFormats::kTextAndJson && !is_text &&
      options.format != Format::kJson) {
    return "--format of " + word + " must be text or json";
  }
  return "";
}

// A word alone that is nearly that of a command is asked, but the user may have meant the command.
void WarnOfSimilarCommand(const std::vector<std::string>& words, Output& output) {
  if (words.size() != 1) return;
  const CommandInfo* similar = FindSimilarCommand(words[0]);
  if (similar == nullptr) return;
  PrintWarning(output, "\"" + words[0] + "\" is asked as a prompt; the command is \"cursor-chat " +
                           std::string(similar->word) + "\"");
}

std::string HelpText(const CLI::App& app, const CommandInfo* command) {
  return command == nullptr ? app.help() : HelpOf(*command, cursor_apps::Describe(app));
}

int Explain(const CLI::App& app, const std::vector<std::string>& words, Output& output,
            Format format) {
  const absl::StatusOr<const CommandInfo*> command = CommandToExplain(words);
  if (!command.ok()) return UsageError(output, format, command.status());
  return PrintAndEnd(output, HelpText(app, *command));
}

// Sets what follows from options that were or were not given.
void SetDefaults(const CLI::App& app, Options& options) {
  const bool is_acp = options.command == Command::kAcp;
  if (is_acp && app.count("--allow") == 0) options.allow.ask = true;
  options.has_model = app.count("--model") > 0;
  options.any_silence = app.count("--max-idle") > 0 && options.max_idle.count() == 0;
  options.names_workspace = app.count("--workspace") > 0;
  if (options.local && !is_acp && !options.names_workspace) options.workspace = ".";
}

}  // namespace

std::vector<cursor_apps::OptionInfo> DescribeOptions() {
  Options options;
  CLI::App app(kDescription, "cursor-chat");
  AddOptions(app, options);
  return cursor_apps::Describe(app);
}

std::variant<Options, int> ParseOptions(int argc, char** argv, Output& output) {
  Options options;
  CLI::App app(kDescription, "cursor-chat");
  AddOptions(app, options);
  const std::vector<std::string> arguments(argv, argv + argc);
  const Format format = FormatOf(arguments);
  try {
    app.parse(argc, argv);
    cursor_apps::CheckSandbox(options.allow, options.sandbox);
  } catch (const CLI::CallForHelp&) {
    const std::vector<std::string>& words = options.words;
    const bool names_command = !words.empty() && !BeginsAfterDashes(app, arguments);
    return PrintAndEnd(output,
                       HelpText(app, names_command ? FindProgramCommand(words[0]) : nullptr));
  } catch (const CLI::CallForVersion& version) {
    return PrintAndEnd(output, std::string(version.what()) + "\n");
  } catch (const CLI::ExtrasError&) {
    return UsageError(output, format, ExplainUnknown(app));
  } catch (const CLI::ParseError& error) {
    return UsageError(output, format, error.what());
  }
  if (const std::string name = FindEmpty(app); !name.empty()) {
    return UsageError(output, format, name + " must not be empty");
  }
  if (options.print_man_page) {
    return PrintAndEnd(output, ManPage(cursorwire::connect::Version(), kDescription,
                                       cursor_apps::Describe(app), kHelpFooter));
  }
  if (!BeginsAfterDashes(app, arguments)) {
    absl::StatusOr<CommandCall> call = ParseCommand(options.words);
    if (!call.ok()) return UsageError(output, format, call.status());
    if (call->command == Command::kHelp) return Explain(app, call->arguments, output, format);
    if (call->info != nullptr) {
      const std::string problem = ProblemOf(app, *call->info, options);
      // Standard output of acp is for the protocol alone.
      const bool is_acp = call->command == Command::kAcp;
      if (!problem.empty()) return UsageError(output, is_acp ? Format::kText : format, problem);
    } else {
      WarnOfSimilarCommand(options.words, output);
    }
    options.command = call->command;
    options.words = std::move(call->arguments);
  }
  const bool is_acp = options.command == Command::kAcp;
  if (!is_acp && app.count("--state") > 0) {
    return UsageError(output, format, "--state is for acp");
  }
  SetDefaults(app, options);
  if (app.count("--allow") > 0 && options.allow.read && options.workspace.empty() &&
      options.mcp_config.empty() && !is_acp) {
    PrintWarning(output, "--allow has no effect without --workspace");
  }
  if (app.count("--tls-sessions") > 0) {
    PrintNotice(output, "--tls-sessions has no effect any more; its file is not read or written");
  }
  return options;
}

}  // namespace cursor_chat
