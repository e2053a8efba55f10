// Asks about the project in a folder, with its rules, layout and branch beside the prompt.
//   project_context FOLDER PROMPT
// It uses the login of the user.
#include <cursorwire/chat_stream.h>
#include <cursorwire/client.h>
#include <cursorwire/context/add_context.h>
#include <cursorwire/context/project_layout.h>
#include <cursorwire/context/project_rules.h>

#include <iostream>
#include <string>
#include <utility>

namespace context = cursorwire::context;

// What there is to tell, and on standard error what cannot be read.
context::EditorContext ReadContext(const std::string& folder) {
  context::EditorContext shown{.workspace_path = folder};
  context::ProjectRules rules = context::ReadProjectRules(folder);
  for (const absl::Status& failure : rules.failures) std::cerr << failure.message() << "\n";
  shown.rules = std::move(rules.rules);
  if (auto layout = context::ReadProjectLayout(folder); layout.ok()) {
    shown.project_layouts.push_back(std::move(layout->root));
  } else {
    std::cerr << layout.status() << "\n";
  }
  if (auto repository = context::ReadGitHead(folder)) shown.git_repositories.push_back(*repository);
  return shown;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: project_context FOLDER PROMPT\n", 2;
  auto client = cursorwire::Client::Create();
  if (!client.ok()) return std::cerr << client.status() << "\n", 1;
  cursorwire::ChatRequest request{.prompt = argv[2]};
  for (const context::LeftOut& part : context::AddContext(ReadContext(argv[1]), request)) {
    std::cerr << context::ToText(part) << "\n";
  }
  for (const auto& event : client->Chat(request)) {
    if (!event.ok()) return std::cerr << event.status() << "\n", 1;
    if (const auto* text = event->As<cursorwire::TextDelta>())
      std::cout << text->text << std::flush;
  }
  std::cout << "\n";
}
