// The smallest program: asks, and prints the answer as it comes.
// It uses the login of the user.
#include <cursorwire/cursorwire.h>

#include <iostream>

int main() {
  auto client = cursorwire::Client::Create();
  if (!client.ok()) return std::cerr << client.status() << "\n", 1;

  cursorwire::ChatStream answer = client->Chat({.prompt = "What is a monad?"});
  for (const auto& event : answer) {  // blocks for the next event; destroying `answer` cancels
    if (!event.ok()) return std::cerr << event.status() << "\n", 1;  // always the last element
    if (const auto* text = event->As<cursorwire::TextDelta>())
      std::cout << text->text << std::flush;
  }
}
