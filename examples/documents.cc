// An answer part by part, and then all of it as JSON. It uses the login of the user.
#include <cursorwire/chat_stream.h>
#include <cursorwire/client.h>
#include <cursorwire/documents.h>

#include <iostream>
#include <variant>

int main(int argc, char** argv) {
  namespace documents = cursorwire::documents;
  auto client = cursorwire::Client::Create();
  if (!client.ok()) return std::cerr << client.status() << "\n", 1;
  documents::Builder builder;
  for (const auto& element : client->Chat({.prompt = argc > 1 ? argv[1] : "Hello"})) {
    for (const documents::DocumentEvent& event : builder.Add(element)) {
      if (const auto* start = std::get_if<documents::DocumentStart>(&event)) {
        std::cout << "\n[" << documents::TypeName(start->metadata) << "]\n";
      } else if (const auto* content = std::get_if<documents::ContentDelta>(&event)) {
        std::cout << content->delta << std::flush;
      }
    }
  }
  const documents::ChatResponse response = builder.response();
  std::cout << "\n\n" << response.documents.size() << " documents:\n" << ToJson(response) << "\n";
  return response.head.status == documents::ResponseStatus::kCompleted ? 0 : 1;
}
