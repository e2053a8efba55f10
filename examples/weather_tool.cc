// A function of this program, offered to the agent as a tool.
// It uses the login of the user.
#include <cursorwire/client.h>
#include <cursorwire/tools.h>

#include <iostream>

int main() {
  auto client = cursorwire::Client::Create();
  if (!client.ok()) return std::cerr << client.status() << "\n", 1;

  cursorwire::ToolRegistry tools;
  tools.Add({.name = "get_weather",
             .description = "Current weather of a city",
             .input_schema = R"({"type": "object", "properties": {"city": {"type": "string"}}})"},
            [](const cursorwire::ToolCall& call) {  // on a thread of the client
              return cursorwire::ToolResult::Text("Rain, for " + call.arguments_json);
            });
  cursorwire::ChatRequest request{.prompt = "Do I need an umbrella in Bern?"};
  request.tools = tools;

  cursorwire::ChatStream answer = client->Chat(request);
  for (const auto& event : answer) {
    if (!event.ok()) return std::cerr << event.status() << "\n", 1;
    if (const auto* text = event->As<cursorwire::TextDelta>())
      std::cout << text->text << std::flush;
  }
}
