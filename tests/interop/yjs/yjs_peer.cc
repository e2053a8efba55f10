// A Yjs document of ours for a program in another language: one command a line on standard input,
// one line of an answer for each. Bytes are in hex, "-" for none; places and lengths in UTF-16.
//   edit ROOT AT DELETED TEXT     the update
//   apply UPDATE                  "changed" or "same"
//   text ROOT
//   vector                        the state vector
//   state VECTOR                  what is beyond it
//   anchor ROOT AT                "CLIENT CLOCK", or -
//   place ROOT CLIENT CLOCK ASSOC  or -
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <iostream>
#include <optional>
#include <sstream>
#include <string>

#include "crdt/yjs/document.h"
#include "crdt/yjs/update.h"

namespace {

using cursorwire::crdt::TextSize;
using cursorwire::crdt::Unit;
using cursorwire::yjs::Document;
using cursorwire::yjs::Id;

std::string ToHex(const std::string& bytes) {
  return bytes.empty() ? "-" : absl::BytesToHexString(bytes);
}
std::string TakeBytes(std::istringstream& words) {
  std::string hex;
  words >> hex;
  return hex == "-" ? "" : absl::HexStringToBytes(hex);
}
std::string Error(const absl::Status& status) { return absl::StrCat("error: ", status.message()); }

std::string Edit(Document& document, std::istringstream& words) {
  const std::string root = TakeBytes(words);
  uint32_t at = 0;
  uint32_t deleted = 0;
  words >> at >> deleted;
  const auto update = document.Splice(root, Unit::kUtf16, at, deleted, TakeBytes(words));
  return update.ok() ? ToHex(*update) : Error(update.status());
}

std::string Apply(Document& document, std::istringstream& words) {
  const auto changed = document.Apply(TakeBytes(words));
  if (!changed.ok()) return Error(changed.status());
  return *changed ? "changed" : "same";
}

std::string State(const Document& document, std::istringstream& words) {
  const auto theirs = cursorwire::yjs::ReadStateVector(TakeBytes(words));
  return theirs.ok() ? ToHex(document.EncodeState(*theirs)) : Error(theirs.status());
}

std::string Anchor(Document& document, std::istringstream& words) {
  const std::string root = TakeBytes(words);
  uint32_t at = 0;
  words >> at;
  const std::optional<Id> id = document.AnchorAt(root, Unit::kUtf16, at);
  return id ? absl::StrCat(id->client, " ", id->clock) : "-";
}

std::string Place(Document& document, std::istringstream& words) {
  const std::string root = TakeBytes(words);
  Id id;
  int assoc = 0;
  words >> id.client >> id.clock >> assoc;
  const std::optional<TextSize> place = document.PositionOf(root, id, assoc);
  return place ? absl::StrCat(place->utf16) : "-";
}

std::string Do(Document& document, const std::string& line) {
  std::istringstream words(line);
  std::string command;
  words >> command;
  if (command == "edit") return Edit(document, words);
  if (command == "apply") return Apply(document, words);
  if (command == "text") return ToHex(document.Text(TakeBytes(words)));
  if (command == "vector") return ToHex(WriteStateVector(document.state_vector()));
  if (command == "state") return State(document, words);
  if (command == "anchor") return Anchor(document, words);
  if (command == "place") return Place(document, words);
  return "error: no such command";
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t client = argc > 1 ? std::stoull(argv[1]) : 1;
  Document document(client, [client] { return client + 1; });
  std::string line;
  while (std::getline(std::cin, line)) std::cout << Do(document, line) << std::endl;
  return 0;
}
