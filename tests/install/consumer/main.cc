// A user's own tests: with the built-in service, and with a script in place of it.
#include <cursorwire/cursorwire.h>
#include <cursorwire/local_upstream.h>

#include <chrono>
#include <iostream>
#include <string>
#include <utility>

using cursorwire::LocalUpstream;
using cursorwire::Script;

// The text of the answer; without it, where something fails.
std::string Ask(const LocalUpstream& upstream, std::string prompt) {
  auto client = cursorwire::Client::Create({.endpoint = upstream.url(),
                                            .token = "any",
                                            .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  if (!client.ok()) return std::cerr << client.status() << "\n", "";
  std::string text;
  for (const auto& event : client->Chat({.prompt = std::move(prompt)})) {
    if (!event.ok()) return std::cerr << event.status() << "\n", "";
    if (const auto* delta = event->As<cursorwire::TextDelta>()) text += delta->text;
  }
  return text;
}

int main() {
  auto echo = LocalUpstream::Start();
  if (!echo.ok()) return std::cerr << echo.status() << "\n", 1;
  std::cout << Ask(*echo, "from an installed package");

  auto upstream = LocalUpstream::Start(Script()
                                           .Text("Hel")
                                           .Text("lo")
                                           .CallTool("get_weather", R"({"city":"Bern"})")
                                           .ExpectToolResult()
                                           .TurnEnded());
  if (!upstream.ok()) return std::cerr << upstream.status() << "\n", 1;
  const std::string text = Ask(*upstream, "hi");
  if (!upstream->WaitForRuns(1, std::chrono::seconds(10))) return 1;
  for (const std::string& violation : upstream->violations()) std::cerr << violation << "\n";
  return text == "Hello" && upstream->violations().empty() ? 0 : 1;
}
