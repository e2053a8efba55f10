#include <cursorwire/client.h>
#include <cursorwire/local_upstream.h>

#include <iostream>

int main() {
  auto upstream = cursorwire::LocalUpstream::Start();
  auto client = cursorwire::Client::Create({.endpoint = upstream->url(),
                                            .token = "any",
                                            .channel = {.tls = {.ca_pem = upstream->ca_pem()}}});
  cursorwire::ChatStream answer = client->Chat({.prompt = "from an installed package"});
  for (const auto& event : answer) {
    if (!event.ok()) return std::cerr << event.status() << "\n", 1;
    if (const auto* text = event->As<cursorwire::TextDelta>()) std::cout << text->text;
  }
}
