#include "acp/abilities.h"

#include <cursorwire/connect/version.h>
#include <cursorwire/mcp/servers.h>

#include <string>

namespace cursor_acp {
namespace {

constexpr int kProtocolVersion = 1;

// An ability without members of its own is an object.
bool IsOffered(const Json& value) { return value.is_object(); }

}  // namespace

Abilities ReadAbilities(const Json& client_capabilities) {
  const Json& files = MemberOf(client_capabilities, "fs");
  const Json& session = MemberOf(client_capabilities, "session");
  const Json& elicitation = MemberOf(client_capabilities, "elicitation");
  return {.read_text_file = FlagOf(files, "readTextFile"),
          .write_text_file = FlagOf(files, "writeTextFile"),
          .terminal = FlagOf(client_capabilities, "terminal"),
          .notices = IsOffered(MemberOf(session, "notices")),
          .forms = IsOffered(MemberOf(elicitation, "form"))};
}

Json DescribeAgent() {
  const Json nothing_more = Json::object();
  return {
      {"protocolVersion", kProtocolVersion},
      {"agentCapabilities",
       {{"loadSession", true},
        {"promptCapabilities", {{"image", true}, {"embeddedContext", true}}},
        {"mcpCapabilities", {{"http", cursorwire::mcp::HasHttp()}, {"sse", false}}},
        {"sessionCapabilities",
         {{"list", nothing_more},
          {"resume", nothing_more},
          {"close", nothing_more},
          {"delete", nothing_more}}}}},
      {"agentInfo",
       {{"name", "cursorwire"},
        {"title", "Cursor agent (cursorwire)"},
        {"version", std::string(cursorwire::connect::Version())}}},
      {"authMethods",
       {{{"id", kLoginMethod},
         {"name", "Cursor account"},
         {"description", "Run \"cursor-chat login\" in a terminal, or set CURSOR_ACCESS_TOKEN"}}}}};
}

}  // namespace cursor_acp
