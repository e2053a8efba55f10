#ifndef CURSORWIRE_APPS_CURSOR_CHAT_HELP_TEXT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_HELP_TEXT_H_

namespace cursor_chat {

// The text of --help after the options.
inline constexpr char kHelpFooter[] =
    R"(Uses the login of your own Cursor account: CURSOR_ACCESS_TOKEN, else that of
"cursor-chat login", else that of the official CLI (docs/credentials.md).
This is an unofficial client. --local answers from a stand-in in this process:
no account, no network; it looks into the folder when it is asked about it.

The prompt is the words of the command line, then standard input if "-" is
among them or there are no words:
  cursor-chat "Explain RAII in two sentences"
  git diff | cursor-chat "Write a commit message for this:" -
  cursor-chat --workspace . "where is main defined?"
  cursor-chat --format stream-json hi | jq -r 'select(.type=="text_delta").text'

On a terminal and without a prompt it is a session: /help there lists its
commands, @file attaches a file or folder, Tab completes, Ctrl-C stops the turn,
Ctrl-D leaves. Rules for the agent are those of --rules, and in a session also
AGENTS.md and .cursor/rules of --workspace. docs/terminal.md shows it:
  cursor-chat --workspace .

The agent looks into the folder of --workspace, and does there what --allow
says: write files, run commands (shell), or ask you each time (ask). --tools
offers it commands of your own, and --mcp-config the tools of MCP servers; both
run without a question, but for servers with "ask" and without "mcp" in --allow.
docs/agent.md and docs/mcp.md tell of them:
  cursor-chat --workspace . --allow ask "fix the failing test"
  cursor-chat --workspace . --mode plan "how would you split main.cc?"
  cursor-chat --tools weather.json "is it warm in Bern?"
  cursor-chat --mcp-config servers.json "what is new in the tracker?"

"mcp list FILE" starts the servers of such a file and shows what each offers,
how long it took and what is wrong; "mcp test FILE" is one line for each.

The word "acp" alone serves an editor on standard input and output, by the Agent
Client Protocol; the editor starts it so. It asks there before it changes or
runs anything. docs/acp.md has the settings of Zed, JetBrains, Neovim and Emacs:
  cursor-chat acp

These words alone are commands: "login" logs in with a browser, "logout" removes
that login, "whoami" tells whose it is, "usage" what your plan has left, and
"doctor" looks at each step to an answer and says what to do where one fails.
"completion bash", "completion zsh" and "completion fish" print what makes that
shell complete the command line:
  source <(cursor-chat completion bash)

The word "models" alone lists the models with what --effort and --context may
say of each; ~ marks a context size that is a guess. Anything else beside it
makes it a prompt, and so does a pipe:
  cursor-chat models
  cursor-chat models --format json
  cursor-chat models of the world

"trace show FILE" shows what --trace has recorded, and "trace to-script FILE"
makes a script of it for local-upstream, so that a failure becomes a test:
  cursor-chat --trace trace.jsonl "why does the build fail?"
  cursor-chat trace show trace.jsonl | less

The service is that of --endpoint, CURSORWIRE_AGENT_URL, CURSOR_AGENT_URL,
cli-config.json in CURSOR_CONFIG_DIR (or ~/.cursor), or the default; for models,
--api-endpoint or CURSORWIRE_API_URL. The token goes to cursor.sh, cursor.com,
what is below them, and this machine, and to no other host.

Exit codes: 0 ok; 2 usage; 3 no token, or it is refused; 4 unavailable;
5 deadline exceeded; 6 the server broke the protocol; 7 resource exhausted;
130 interrupted (128 and the number of any other signal); 1 anything else.
)";

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_HELP_TEXT_H_
