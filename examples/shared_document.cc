// Opens a text that others edit, adds a line, and shows what they do and where they are.
#include <cursorwire/collab/shared_text.h>

#include <chrono>
#include <iostream>

namespace collab = cursorwire::collab;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "shared_document ws://127.0.0.1:PORT [automerge:ID]\n"
                 "Without an id it makes a document. It ends a minute after the last change.\n";
    return 2;
  }
  auto text = collab::SharedText::Open(
      {.url = argv[1], .text = {.document = argc > 2 ? argv[2] : "", .name = "Example"}});
  if (!text.ok()) {
    std::cerr << text.status().message() << "\n";
    return 1;
  }
  while (const auto event = (*text)->Next(std::chrono::minutes(1))) {
    if (std::holds_alternative<collab::TextOpened>(*event)) {
      (*text)->Insert((*text)->length(), "A line of the example.\n").IgnoreError();
      (*text)->SetCursor((*text)->length());
      std::cout << (*text)->document_url() << "\n" << (*text)->text();
    } else if (const auto* changed = std::get_if<collab::TextChanged>(&*event)) {
      for (const collab::TextEdit& edit : changed->edits) {
        std::cout << edit.at << ": -" << edit.deleted << " \"" << edit.inserted << "\"\n";
      }
    } else if (const auto* moved = std::get_if<collab::TextCursorChanged>(&*event)) {
      std::cout << moved->cursor.name << " is at " << moved->cursor.position << "\n";
    } else if (const auto* lost = std::get_if<collab::TextDisconnected>(&*event)) {
      std::cout << lost->why.message() << "\n";
    }
    std::cout << std::flush;
  }
}
