// A user's own test, with a script in place of the service.
#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>

#include <chrono>
#include <iostream>
#include <string>

using cursorwire::Script;

int main() {
  auto upstream =
      cursorwire::LocalUpstream::Start(Script()
                                           .Text("Hel")
                                           .Text("lo")
                                           .CallTool("get_weather", R"({"city":"Bern"})")
                                           .ExpectToolResult()
                                           .TurnEnded());
  if (!upstream.ok()) return std::cerr << upstream.status() << "\n", 1;
  auto client = cursorwire::Client::Create({.endpoint = upstream->url(),
                                            .token = "any",
                                            .channel = {.tls = {.ca_pem = upstream->ca_pem()}}});
  std::string text;
  for (const auto& event : client->Chat({.prompt = "hi"})) {
    if (!event.ok()) return std::cerr << event.status() << "\n", 1;
    if (const auto* delta = event->As<cursorwire::TextDelta>()) text += delta->text;
  }
  if (!upstream->WaitForRuns(1, std::chrono::seconds(10))) return 1;
  for (const std::string& violation : upstream->violations()) std::cerr << violation << "\n";
  return text == "Hello" && upstream->violations().empty() ? 0 : 1;
}
