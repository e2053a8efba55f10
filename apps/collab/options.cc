#include "options.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <cursorwire/connect/version.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>
#include <limits>
#include <optional>
#include <system_error>

#include "base/suggestion.h"
#include "common/exit_code.h"
#include "common/program_help.h"
#include "common/proxy_option.h"
#include "common/token_source_option.h"

namespace cursor_collab {
namespace {

using cursorwire::collab::OffsetUnit;

constexpr char kDescription[] =
    "Shares a text with people, editors and an agent: over a server of Automerge documents, or in "
    "a "
    "room of Open Collaboration Tools.";

constexpr char kFooter[] = R"(
Standard output has one JSON object a line, with its "type" first. Plain ws:// goes to this machine
alone, else it needs --allow-plaintext.

  cursor-collab watch automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu --sync ws://127.0.0.1:3030
  cursor-collab agent --doc automerge:... --sync wss://HOST/ --prompt "Sum this up." --append

Exit codes: 0 ok; 2 usage; 3 no token, or it is refused; 4 no server, or no such document; 5 out of
time; 6 the server breaks the protocol; 7 a limit; 130 after Ctrl-C, 143 after SIGTERM; 1 anything
else. Pages: docs/collab/presence.md, docs/collab/nvim-helper.md, docs/collab/oct.md.
)";

constexpr char kWatchFooter[] = R"(
DOC is the id of a document or its URL, "automerge:...". Lines: connected, opened, changed, cursor,
cursor_removed, disconnected, error. It goes on until Ctrl-C, and connects again where it must.
)";

constexpr char kHelperFooter[] = R"(
An editor plugin starts this, and speaks with it over standard input and output: one JSON object a
line. It says "connect" with the URLs of the two servers first. The end of the input ends it, after
edits were sent. The lines: docs/collab/nvim-helper.md.
)";

constexpr char kAgentFooter[] = R"(
Asks the agent, with the text around the place, and writes the answer into the document while it
comes. Others see its cursor. It is offered no tools: a prompt in a shared text is a stranger's.
The token is that of CURSOR_ACCESS_TOKEN or of "cursor-chat login"; --local needs none.

  cursor-collab agent --doc automerge:... --sync ws://127.0.0.1:3030 --local --prompt "Say hi."
  echo "Translate this into German." | cursor-collab agent --doc ... --sync ... --prompt - \
    --replace 0:120
)";

constexpr char kOctFooter[] = R"(
Waits in the room until somebody writes "@", the agent's name, a prompt, and Enter, in the file that
the host looks at. It edits that file alone, for all to see; nothing else can be read or changed,
since whoever is in the room may write a prompt. Ctrl-C leaves.

  cursor-collab oct --room ID
  cursor-collab oct --server http://127.0.0.1:8100 --room ID --name helper --local

Lines: login, status, joined, active, prompt, tool, edit, skipped, message, done, failed, error,
closed. Pages: docs/collab/oct.md, docs/collab/room-agent.md.
)";

constexpr char kCompletionFooter[] = R"(
For the start file of the shell:

  source <(cursor-collab completion bash)
  source <(cursor-collab completion zsh)
  cursor-collab completion fish | source
)";

std::optional<uint32_t> ReadPosition(std::string_view text) {
  uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || rest != end) return std::nullopt;
  // Places after the end mean the end.
  constexpr uint32_t kMost = std::numeric_limits<uint32_t>::max();
  if (error == std::errc::result_out_of_range || number > kMost) return kMost;
  if (error != std::errc()) return std::nullopt;
  return static_cast<uint32_t>(number);
}

Place ReadAt(const std::string& text) {
  const std::optional<uint32_t> at = ReadPosition(text);
  if (at) return InsertPlace{*at};
  throw CLI::ValidationError("--at", "must be a number of code points, not '" + text + "'");
}

Place ReadReplace(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const std::optional<uint32_t> begin = ReadPosition(text.substr(0, colon));
    const std::optional<uint32_t> end = ReadPosition(text.substr(colon + 1));
    if (begin && end && *begin <= *end) return ReplacePlace{.begin = *begin, .end = *end};
  }
  throw CLI::ValidationError(
      "--replace", "must be two numbers of code points such as 10:25, not '" + text + "'");
}

void AddOffsets(CLI::App& app, OffsetUnit& offsets) {
  app.add_option_function<std::string>(
         "--offsets",
         [&offsets](const std::string& text) {
           if (text == "code-points") {
             offsets = OffsetUnit::kCodePoints;
           } else if (text == "utf16") {
             offsets = OffsetUnit::kUtf16;
           } else {
             throw CLI::ValidationError("--offsets",
                                        "must be code-points or utf16, not '" + text + "'");
           }
         },
         "What places are counted in (default code-points; utf16 as browsers count)")
      ->type_name("code-points|utf16");
}

void AddServer(CLI::App& app, Options& options) {
  app.add_flag("--allow-plaintext", options.allow_plaintext,
               "Also ws:// to other machines, where others can read and change all");
  app.add_option("--cacert", options.ca_file,
                 "Trust these certificates in place of the system's, for wss:// and https://")
      ->type_name("PEM");
}

void AddSync(CLI::App& app, Options& options) {
  app.add_option("--sync", options.sync_url, "The server of documents, such as wss://HOST/")
      ->type_name("URL")
      ->required();
}

void AddField(CLI::App& app, Options& options, const std::string& fallback) {
  app.add_option("--field", options.field,
                 "The key of the text in the document, such as text (default " + fallback + ")")
      ->type_name("KEY");
}

void AddStorage(CLI::App& app, Options& options) {
  app.add_option("--storage", options.storage,
                 "Keep documents in this folder, one file of Automerge each")
      ->type_name("DIR");
}

void AddWatch(CLI::App& app, Options& options) {
  CLI::App* watch = app.add_subcommand("watch", "Shows a document and the cursors in it");
  watch->footer(kWatchFooter);
  watch->add_option("DOC", options.document, "The document")->required();
  AddSync(*watch, options);
  AddField(*watch, options, "content, else text");
  AddOffsets(*watch, options.offsets);
  watch->add_flag("--once", options.once, "Show the text and end");
  AddServer(*watch, options);
  watch->callback([&options] { options.command = Command::kWatch; });
}

void AddHelper(CLI::App& app, Options& options) {
  CLI::App* helper =
      app.add_subcommand("nvim-helper", "The helper of an editor plugin, over JSON lines");
  helper->footer(kHelperFooter);
  AddOffsets(*helper, options.offsets);
  AddStorage(*helper, options);
  helper->add_flag("--status", options.status,
                   "Also say sync_status, awareness_status and cursor_removed");
  AddServer(*helper, options);
  helper->callback([&options] { options.command = Command::kNvimHelper; });
}

void AddService(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "A model's id (default: the service chooses)")
      ->type_name("ID");
  auto* proxy = cursor_apps::AddProxy(app, options.proxy);
  app.add_flag("--local", options.local, "Ask the built-in stand-in, which is no model")
      ->excludes(proxy);
  app.add_option("--endpoint", options.endpoint, "Another address of the agent service")
      ->type_name("URL");
  app.add_option("--api-endpoint", options.api_endpoint,
                 "Another address of the service of accounts")
      ->type_name("URL");
  cursor_apps::AddTokenSource(app, options.token_places);
}

void AddAgent(CLI::App& app, Options& options) {
  CLI::App* agent = app.add_subcommand("agent", "Lets the agent write into a document");
  agent->footer(kAgentFooter);
  agent->add_option("--doc", options.document, "The document: its id or URL")
      ->type_name("DOC")
      ->required();
  AddSync(*agent, options);
  agent->add_option("--prompt", options.prompt, "What to write; - reads standard input")
      ->type_name("TEXT")
      ->required();
  CLI::Option_group* place = agent->add_option_group("place");
  place->add_flag_callback(
      "--append", [&options] { options.place = AppendPlace{}; }, "Write at the end (the default)");
  place
      ->add_option_function<std::string>(
          "--at", [&options](const std::string& text) { options.place = ReadAt(text); },
          "Write at this place, in code points")
      ->type_name("N");
  place
      ->add_option_function<std::string>(
          "--replace", [&options](const std::string& text) { options.place = ReadReplace(text); },
          "Write in place of this text, in code points; it goes when the answer begins")
      ->type_name("A:B");
  place->require_option(0, 1);
  AddField(*agent, options, "content");
  agent->add_option("--name", options.name, "Of its cursor (default: the model's name)")
      ->type_name("NAME");
  AddService(*agent, options);
  AddStorage(*agent, options);
  AddServer(*agent, options);
  agent->callback([&options] { options.command = Command::kAgent; });
}

void AddSeconds(CLI::App& app, const std::string& option, std::chrono::milliseconds& time,
                const std::string& what) {
  const auto fallback = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  app.add_option_function<uint32_t>(
         option, [&time](uint32_t seconds) { time = std::chrono::seconds(seconds); },
         absl::StrCat(what, " (default ", fallback, ")"))
      ->check(CLI::Range(1, 86400).description(""))
      ->type_name("SECONDS");
}

// Sets `value` to that of a word.
template <typename Value>
void AddChoice(CLI::App& app, const std::string& option, Value& value,
               std::vector<std::pair<std::string, Value>> words, const std::string& what) {
  std::vector<std::string> names;
  names.reserve(words.size());
  for (const auto& [name, its_value] : words) names.push_back(name);
  app.add_option_function<std::string>(
         option,
         [&value, words = std::move(words)](const std::string& text) {
           for (const auto& [name, its_value] : words) {
             if (name == text) value = its_value;
           }
         },
         absl::StrCat(what, " (default ", names[0], ")"))
      ->check(CLI::IsMember(names).description(""))
      ->type_name(absl::StrJoin(names, "|"));
}

void AddRoomRules(CLI::App& app, cursorwire::collab::RoomAgentOptions& room) {
  using cursorwire::collab::RoomAnswer;
  AddChoice<RoomAnswer>(
      app, "--mode", room.answer,
      {{"tools", RoomAnswer::kTools}, {"regions", RoomAnswer::kRegions}},
      "How the model edits: by tools for lines, or by an answer with the new lines");
  app.add_option("--max-calls", room.max_calls, "Calls of tools for a prompt (default 50)")
      ->check(CLI::Range(1, 10000).description(""))
      ->type_name("N");
  AddSeconds(app, "--timeout", room.run_timeout, "For the answer to a prompt");
  app.add_option("--queue", room.max_waiting_prompts,
                 "Prompts that may wait for the one before them (default 8)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
  app.add_flag("--remove-prompt", room.remove_prompts,
               "Take the line of a prompt out once something was edited for it");
  AddChoice<bool>(app, "--report", room.report_to_chat, {{"chat", true}, {"none", false}},
                  "Where the outcome of a prompt is told");
}

void AddOct(CLI::App& app, Options& options) {
  using cursorwire::collab::RoomLogin;
  CLI::App* oct =
      app.add_subcommand("oct", "Lets the agent into a room of Open Collaboration Tools");
  oct->footer(kOctFooter);
  cursorwire::collab::RoomAgentOptions& room = options.room;
  oct->add_option("--room", room.room, "The id of the room, which its host has")
      ->type_name("ID")
      ->required();
  oct->add_option("--server", room.server, "The server of rooms")
      ->capture_default_str()
      ->type_name("URL");
  oct->add_option("--name", options.name, "Who the agent says it is (default agent)")
      ->type_name("NAME");
  oct->add_option("--email", room.email, "The address that a login by a form asks for")
      ->type_name("EMAIL");
  AddChoice<RoomLogin>(*oct, "--login", room.login,
                       {{"auto", RoomLogin::kAuto}, {"url", RoomLogin::kUrl}},
                       "With the name alone where the server allows that, or on its page");
  AddSeconds(*oct, "--login-timeout", room.login_timeout, "For the login");
  AddSeconds(*oct, "--join-timeout", room.join_timeout, "For the host to let the agent in");
  AddRoomRules(*oct, room);
  oct->add_flag("--once", options.once, "End after the first prompt, with its exit code");
  AddService(*oct, options);
  oct->add_flag("--allow-plaintext", options.allow_plaintext,
                "Also http:// to other machines, where others can read and change all");
  oct->add_option("--cacert", options.ca_file,
                  "Trust these certificates in place of the system's, for https://")
      ->type_name("PEM");
  oct->callback([&options] { options.command = Command::kOct; });
}

void AddCompletion(CLI::App& app, std::optional<cursor_apps::Shell>& shell) {
  CLI::App* completion =
      app.add_subcommand("completion", "Prints the completion script of a shell");
  completion->footer(kCompletionFooter);
  completion
      ->add_option_function<std::string>(
          "SHELL",
          [&shell](const std::string& text) {
            shell = cursor_apps::ParseShell(text);
            if (!shell) {
              throw CLI::ValidationError("SHELL", "must be bash, zsh or fish, not '" + text + "'");
            }
          },
          "The shell")
      ->type_name("bash|zsh|fish")
      ->required();
}

int Refuse(const CLI::App& app, const std::string& what) {
  std::string command;
  for (const CLI::App* used : app.get_subcommands()) command = " " + used->get_name();
  std::cerr << "cursor-collab: error: invalid_argument: " << what << " (see cursor-collab"
            << command << " --help)\n";
  return cursor_apps::kExitUsage;
}

// Names options alone: others may be a URL with a token, or words of a prompt.
std::string ExtrasText(const std::vector<std::string>& extras) {
  for (const std::string& extra : extras) {
    if (extra.starts_with("--")) return "unknown option " + extra.substr(0, extra.find('='));
  }
  return "there is an argument too many; texts with blanks need quotes";
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, char** argv) {
  Options options;
  CLI::App app(kDescription, "cursor-collab");
  app.footer(kFooter);
  app.set_version_flag("--version", "cursor-collab " + std::string(cursorwire::connect::Version()),
                       "Print the version and exit");
  // For the build. Success ends the parsing before a subcommand is asked for.
  app.add_flag_callback(
         "--help-man", [] { throw CLI::Success(); }, "Print the man page and exit")
      ->group("");
  app.require_subcommand(1);
  AddWatch(app, options);
  AddHelper(app, options);
  AddAgent(app, options);
  AddOct(app, options);
  std::optional<cursor_apps::Shell> shell;
  AddCompletion(app, shell);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return cursor_apps::kExitOk;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << "\n";
    return cursor_apps::kExitOk;
  } catch (const CLI::Success&) {
    std::cout << cursor_apps::ManPage(app, cursorwire::connect::Version());
    return cursor_apps::kExitOk;
  } catch (const CLI::ExtrasError&) {
    return Refuse(app, ExtrasText(app.remaining(true)));
  } catch (const CLI::ParseError& error) {
    return Refuse(app, error.what());
  }
  if (shell) {
    std::cout << cursor_apps::Completion(*shell, app);
    return cursor_apps::kExitOk;
  }
  // An empty one would be a new document.
  const bool has_document =
      options.command == Command::kWatch || options.command == Command::kAgent;
  if (has_document && options.document.empty()) return Refuse(app, "the document is empty");
  // Before a prompt is read that nobody would answer.
  if (options.command == Command::kAgent && options.prompt.empty()) {
    return Refuse(app, "--prompt is empty");
  }
  if (options.command == Command::kOct && options.room.room.empty()) {
    return Refuse(app, "--room is empty");
  }
  if (options.command == Command::kAgent && options.field.empty()) options.field = "content";
  return options;
}

}  // namespace cursor_collab
