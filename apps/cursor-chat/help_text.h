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
Ctrl-D or the word "exit" leaves. docs/terminal.md shows it:
  cursor-chat --workspace .

Rules for the agent are AGENTS.md and .cursor/rules of --workspace, unless
--no-rules leaves them out, and the files of --rules.

The agent looks into the folder of --workspace, and does there what --allow
says: write files, run commands in a sandbox (sandboxed) or as you (shell), or
ask you each time (ask); docs/sandbox.md has what --sandbox means. --tools
offers it commands of your own, and --mcp-config the tools of MCP servers; both
run without a question, but for servers with "ask" and without "mcp" in --allow.
docs/agent.md and docs/mcp.md tell of them:
  cursor-chat --workspace . --allow ask "fix the failing test"
  cursor-chat --workspace . --mode plan "how would you split main.cc?"
  cursor-chat --tools weather.json "is it warm in Bern?"
  cursor-chat --mcp-config servers.json "what is new in the tracker?"

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
