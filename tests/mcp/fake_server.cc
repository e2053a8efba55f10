// A server of the Model Context Protocol over standard input and output, for tests. Its arguments
// say how it differs from a good one:
//   fake_mcp_server [WORD...]
//     noise          writes lines that are no messages
//     no-start       ends before it has answered, with a word on standard error and exit code 3
//     silent         answers nothing
//     modern         has no handshake
//     pages          lists one tool a page
//     bad-tools      has tools that cannot be offered
//     stays          does not end with its input, and ignores SIGTERM
//     child FILE     has a child that holds its pipes; its number is written to FILE
//     pid FILE       writes its own number to FILE
//     waits FILE     writes to FILE when its tool `wait` is called
//     more-tools     adds a tool after the handshake
//     no-resources   does not have any
//     no-tools       says nothing of tools
//     no-info        does not say who it is
//     one-tool       lists one
//     after FILE     ends as with no-start until that file is there
//     text-ids       answers with ids that are texts
//     wrong-ids      answers with ids that nobody gave it
//     deep           has a tool whose schema is nested 200 deep
//     bare           says that it has resources, and lists none
// Its tools are in Call().

#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

class Server {
 public:
  explicit Server(std::vector<std::string> words) : words_(std::move(words)) {}

  int Run() {
    if (Has("noise")) std::cout << "\x1b[32mFake server\x1b[0m\n{\"level\":\"info\"}" << std::endl;
    const auto after = std::find(words_.begin(), words_.end(), "after");
    const bool too_early = after != words_.end() && !std::ifstream(*(after + 1)).good();
    if (Has("no-start") || too_early) {
      const char* key = std::getenv("FAKE_KEY");  // NOLINT(concurrency-mt-unsafe)
      std::cerr << "some context\nfake: the key is " << (key == nullptr ? "missing" : key) << "\n";
      return 3;
    }
    if (Has("stays")) std::signal(SIGTERM, SIG_IGN);
    StartChild();
    const auto pid = std::find(words_.begin(), words_.end(), "pid");
    if (pid != words_.end()) std::ofstream(*(pid + 1)) << ::getpid() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      if (!Has("silent")) Take(json::parse(line));
    }
    while (Has("stays")) ::pause();
    return 0;
  }

 private:
  bool Has(const std::string& word) const {
    return std::find(words_.begin(), words_.end(), word) != words_.end();
  }

  void StartChild() {
    const auto word = std::find(words_.begin(), words_.end(), "child");
    if (word == words_.end()) return;
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) ::pause();
    }
    std::ofstream(*(word + 1)) << child << std::endl;
  }

  void Send(json message) {
    message["jsonrpc"] = "2.0";
    std::cout << message.dump() << std::endl;
  }
  json IdFor(const json& request) const {
    if (Has("text-ids")) return request["id"].dump();
    return Has("wrong-ids") ? json("answer") : request["id"];
  }
  void Answer(const json& request, json result) {
    Send({{"id", IdFor(request)}, {"result", std::move(result)}});
  }
  void Refuse(const json& request, int code, const std::string& text) {
    Send({{"id", request["id"]}, {"error", {{"code", code}, {"message", text}}}});
  }

  void Take(const json& message) {
    const std::string method = message.value("method", "");
    const json server = {{"name", "fake"}, {"version", "1.0"}};
    json capabilities = json::object();
    if (!Has("no-tools")) capabilities["tools"] = {{"listChanged", true}};
    if (!Has("no-resources")) capabilities["resources"] = json::object();
    if (method == "initialize") {
      if (Has("modern")) return Refuse(message, -32022, "initialize is not supported");
      json result = {{"protocolVersion", message["params"]["protocolVersion"]},
                     {"capabilities", capabilities},
                     {"serverInfo", server},
                     {"instructions", "Echo first."}};
      if (Has("no-info")) result.erase("serverInfo");
      Answer(message, result);
    } else if (method == "server/discover") {
      Answer(message, {{"resultType", "complete"},
                       {"supportedVersions", {"2026-07-28"}},
                       {"capabilities", capabilities},
                       {"serverInfo", server}});
    } else if (method == "notifications/initialized" && Has("more-tools")) {
      added_ = true;
      Send({{"method", "notifications/tools/list_changed"}});
    } else if (method == "notifications/cancelled") {
      cancelled_ = message["params"];
    } else if (method == "tools/list") {
      Answer(message, List(message["params"].value("cursor", "")));
    } else if (method == "tools/call") {
      Call(message);
    } else if (method == "resources/list") {
      Answer(message, Resources(message["params"].value("cursor", "first")));
    } else if (method == "resources/read") {
      Read(message, message["params"]["uri"]);
    } else if (message.contains("id")) {
      Refuse(message, -32601, "no method " + method);
    }
  }

  json List(const std::string& cursor) const {
    json tools = json::array();
    for (const char* name : {"echo", "env", "folder", "image", "fail", "refuse", "exit", "wait",
                             "slow", "cancelled", "structured"}) {
      tools.push_back({{"name", name},
                       {"description", std::string("Does ") + name},
                       {"inputSchema", {{"type", "object"}}}});
    }
    if (Has("one-tool")) tools.erase(tools.begin() + 1, tools.end());
    if (Has("deep")) {
      json schema = {{"type", "object"}};
      for (int i = 0; i < 200; ++i) {
        schema = json{{"type", "object"}, {"properties", {{"a", std::move(schema)}}}};
      }
      tools.push_back({{"name", "deep"}, {"inputSchema", std::move(schema)}});
    }
    if (added_) tools.push_back({{"name", "added"}});
    if (Has("bad-tools")) {
      tools.push_back({{"name", "bad"}, {"inputSchema", json::array()}});
      tools.push_back({{"name", "Odd name, with \xC3\xA4"}, {"inputSchema", nullptr}});
    }
    if (!Has("pages")) return {{"tools", tools}};
    const size_t index = cursor.empty() ? 0 : std::stoul(cursor);
    json page = {{"tools", {tools[index]}}};
    if (index + 1 < tools.size()) page["nextCursor"] = std::to_string(index + 1);
    return page;
  }

  // Two pages, of which an empty cursor is the second.
  json Resources(const std::string& cursor) const {
    if (Has("bare")) return {{"resources", json::array()}};
    if (cursor.empty()) return {{"resources", {{{"uri", "fake://logo"}, {"name", "logo"}}}}};
    return {{"resources",
             {{{"uri", "fake://notes"}, {"name", "notes"}, {"mimeType", "text/plain"}},
              {{"uri", "fake://\u202Eodd"}, {"name", "odd"}}}},
            {"nextCursor", ""}};
  }

  void Read(const json& request, const std::string& uri) {
    const json notes = {{"uri", uri}, {"mimeType", "text/plain"}, {"text", "Buy milk."}};
    const json logo = {{"uri", uri}, {"mimeType", "image/png"}, {"blob", "iVBORw0KGgo="}};
    if (uri == "fake://notes") return Answer(request, {{"contents", {notes}}});
    if (uri == "fake://logo") return Answer(request, {{"contents", {logo}}});
    if (uri == "fake://all") return Answer(request, {{"contents", {notes, logo}}});
    if (uri == "fake://none") return Answer(request, {{"contents", json::array()}});
    if (uri == "fake://wait") return;  // forever
    Refuse(request, -32002, "there is no such resource");
  }

  void Text(const json& request, const std::string& text, bool is_error = false) {
    Answer(request, {{"content", {{{"type", "text"}, {"text", text}}}}, {"isError", is_error}});
  }

  void Call(const json& request) {
    const json& params = request["params"];
    const std::string name = params["name"];
    const json& arguments = params["arguments"];
    if (name == "env") {
      std::string text;
      for (char** variable = environ; *variable != nullptr; ++variable) {
        text += std::string(*variable) + "\n";
      }
      return Text(request, text);
    }
    if (name == "folder") {
      char buffer[4096];
      return Text(request, ::getcwd(buffer, sizeof(buffer)) == nullptr ? "" : buffer);
    }
    if (name == "image") {
      return Answer(request,
                    {{"content",
                      {{{"type", "image"}, {"data", "iVBORw0KGgo="}, {"mimeType", "image/png"}}}}});
    }
    if (name == "echo" && arguments.contains("mib")) {
      return Text(request, std::string(arguments["mib"].get<size_t>() << 20, 'x'));
    }
    if (name == "structured") return Answer(request, {{"structuredContent", {{"n", 7}}}});
    if (name == "fail") return Text(request, "it did not work", true);
    if (name == "refuse") return Refuse(request, -32602, "bad arguments");
    if (name == "cancelled") return Text(request, cancelled_.dump());
    if (name == "exit") {
      std::cerr << "fake: going down\n";
      std::exit(arguments.value("code", 4));  // NOLINT(concurrency-mt-unsafe)
    }
    if (name == "wait") {
      const auto waits = std::find(words_.begin(), words_.end(), "waits");
      if (waits != words_.end()) std::ofstream(*(waits + 1)) << "it waits" << std::endl;
      return;  // forever
    }
    if (name == "slow") {
      Send({{"method", "notifications/progress"},
            {"params", {{"progressToken", params["_meta"]["progressToken"]}, {"progress", 1}}}});
    }
    Text(request, name + " " + arguments.dump());
  }

  const std::vector<std::string> words_;
  bool added_ = false;
  json cancelled_;
};

}  // namespace

int main(int argc, char** argv) { return Server({argv + 1, argv + argc}).Run(); }
