// Applies changes and documents of a stranger, edits what came of them, and saves it.
//
// Input: byte 0 says what the rest is. 0: chunks, one after the other. 1: bodies of changes, each
// with its length in two bytes in front; what they say that they depend on does not count. 2: the
// body of a document.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"

namespace {

using cursorwire::Sha256Hasher;
using cursorwire::automerge::ChangeHash;
using cursorwire::automerge::ChangeHead;
using cursorwire::automerge::Chunk;
using cursorwire::automerge::ChunkType;
using cursorwire::automerge::Document;
using cursorwire::automerge::DocumentLimits;
using cursorwire::automerge::OpId;
using cursorwire::automerge::Sequence;
using cursorwire::crdt::ByteReader;
using cursorwire::crdt::Measure;
using cursorwire::crdt::Unit;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::FuzzedInput;

// Small, so that they are reached.
constexpr DocumentLimits kLimits{
    .chunk = {.max_body_bytes = 1 << 16, .max_inflated_bytes = 1 << 18, .max_inflation = 1000},
    .change = {.max_rows = 10000},
    .max_changes = 200,
    .max_ops = 20000,
    .max_actors = 1000};

void ApplyChunks(Document& document, std::string_view bytes) {
  ByteReader reader(bytes);
  Sha256Hasher hasher;
  while (!reader.empty()) {
    const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher, kLimits.chunk);
    if (!chunk.ok()) return;
    if (chunk->type == ChunkType::kDocument) {
      (void)document.ApplyDocument(chunk->body());
      continue;
    }
    const absl::StatusOr<ChangeHead> head = cursorwire::automerge::ReadChange(chunk->body());
    if (head.ok()) (void)document.Apply(*chunk, *head);
  }
}

void ApplyBodies(Document& document, FuzzedInput& input) {
  Sha256Hasher hasher;
  std::string scratch;
  while (!input.empty()) {
    const std::string_view body = input.Take(input.TakeUint16());
    absl::StatusOr<ChangeHead> head = cursorwire::automerge::ReadChange(body);
    if (!head.ok()) continue;
    head->deps.assign(document.heads().begin(), document.heads().end());
    const size_t before = document.changes().size();
    const Chunk chunk{.hash = cursorwire::automerge::HashOfChange(body, scratch, hasher),
                      .plain = body};
    if (!document.Apply(chunk, *head).ok()) Check(document.changes().size() == before);
  }
}

const Sequence* TextOf(const Document& document) {
  const auto value = document.Get("content");
  return value ? document.FindSequence(value->id) : nullptr;
}

void CheckText(const Document& document) {
  const Sequence* const text = TextOf(document);
  if (text != nullptr) Check(text->size() == Measure(text->Text()));
}

bool HasSpecialElements(const Sequence& text) {
  bool has = false;
  text.ForEachPiece([&has](const Sequence::Piece& piece) {
    has = has || piece.kind == Sequence::Piece::Kind::kSpecial;
  });
  return has;
}

// Edits at a few places do what they do to a string.
void EditText(Document& document, uint8_t seed) {
  if (TextOf(document) == nullptr && !document.MakeText("content").ok()) return;
  const OpId object = document.Get("content")->id;
  for (uint32_t round = 0; round < 4; ++round) {
    std::string expected = TextOf(document)->Text();
    const uint32_t size = Measure(expected).code_points;
    const uint32_t at = (seed * 7U + round * 13U) % (size + 1);
    if (!document.Splice(object, Unit::kCodePoints, at, 0, "\xc3\xa9x").ok()) return;
    CheckText(document);
    // What is in one element of several characters goes to its end.
    if (HasSpecialElements(*TextOf(document))) continue;
    expected.insert(PrefixOf(expected, Unit::kCodePoints, at).size(), "\xc3\xa9x");
    Check(TextOf(document)->Text() == expected);
    Check(document.Splice(object, Unit::kCodePoints, at, 2, "").ok());
    CheckText(document);
  }
  document.Commit(1);
}

void CheckSaved(const Document& document) {
  const std::string saved = *document.Save();
  Document again("again", kLimits);
  ApplyChunks(again, saved);
  Check(again.heads() == document.heads());
  const Sequence* const text = TextOf(document);
  const Sequence* const of_again = TextOf(again);
  Check((text == nullptr) == (of_again == nullptr));
  if (text != nullptr) Check(text->Text() == of_again->Text());
}

// What is shown before the history is made is what comes out of it.
void CheckLoaded(std::string_view body) {
  Document applied("applied", kLimits);
  Document loaded("loaded", kLimits);
  const bool whole = applied.ApplyDocument(body).ok();
  if (!loaded.Load(std::string(body)).ok()) return;
  CheckText(loaded);
  Check(loaded.NeedHistory().ok() || !whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t kind = input.TakeByte();
  Document document("fuzzer", kLimits);
  const bool own_deps = kind % 3 == 1;
  if (own_deps) {
    ApplyBodies(document, input);
  } else {
    const std::string_view rest = input.TakeRest();
    if (kind % 3 == 0) ApplyChunks(document, rest);
    if (kind % 3 == 2) {
      (void)document.ApplyDocument(rest);
      CheckLoaded(rest);
    }
  }
  CheckText(document);
  if (!own_deps && document.changes().size() != 0) CheckSaved(document);
  EditText(document, kind);
  return 0;
}
