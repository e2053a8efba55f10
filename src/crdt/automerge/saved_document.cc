#include "crdt/automerge/saved_document.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/sha256.h"
#include "crdt/automerge/chunk.h"
#include "crdt/bytes/byte_reader.h"

namespace cursorwire::automerge {
namespace {

constexpr std::string_view kSavedMagic = "\x85\x6f\x4a\x83";
constexpr size_t kTypeAt = 8;  // of a chunk: 0 for a document
constexpr size_t kSectorBytes = 512;
constexpr int kMaxLooks = 1000;

// Whether a whole chunk begins somewhere: then what is before it was not cut short, but is damaged.
bool HasChunk(std::string_view bytes) {
  Sha256Hasher hasher;
  int looks = 0;
  for (size_t at = bytes.find(kSavedMagic); at != std::string_view::npos && looks < kMaxLooks;
       at = bytes.find(kSavedMagic, at + 1), ++looks) {
    crdt::ByteReader reader(bytes.substr(at));
    if (TakeChunk(reader, hasher).ok()) return true;
  }
  return false;
}

// What is left of them where the last sector of the file is zeros: after a loss of power they may
// stand for what was not written. `at`: of the bytes in the file.
std::string_view WithoutLost(std::string_view bytes, size_t at) {
  const size_t end = at + bytes.size();
  const size_t sector = std::max(at, (end - 1) / kSectorBytes * kSectorBytes);
  const size_t written = bytes.find_last_not_of('\0') + 1;
  return at + written <= sector ? bytes.substr(0, written) : bytes;
}

// Whether these last bytes, which begin with no whole chunk, were not written to their end. A chunk
// that is all there and is not what it says is damaged. A document replaces a file as a whole, and
// only once it is on the disk: one at its start that is not all there has lost something.
bool IsTorn(std::string_view bytes, size_t at, Sha256Hasher& hasher) {
  const std::string_view written = WithoutLost(bytes, at);
  crdt::ByteReader reader(written);
  const bool cut = absl::IsDataLoss(TakeChunk(reader, hasher).status()) && reader.failed();
  const bool is_document = written.size() > kTypeAt && written[kTypeAt] == '\0';
  return cut && !(at == 0 && is_document) && !HasChunk(bytes.substr(1));
}

absl::Status LoadChunk(const Chunk& chunk, std::string_view bytes, bool is_first,
                       Document& document, WaitingChanges& waiting) {
  if (is_first && chunk.type == ChunkType::kDocument) {
    return document.Load(std::string(chunk.body()));
  }
  // Again for each: what makes a history ends it.
  document.DeferHeads();
  return waiting.Add(bytes);
}

class SettledHeads {
 public:
  explicit SettledHeads(Document& document) : document_(document) {}
  ~SettledHeads() { document_.SettleHeads(); }
  SettledHeads(const SettledHeads&) = delete;
  SettledHeads& operator=(const SettledHeads&) = delete;

 private:
  Document& document_;
};

}  // namespace

absl::StatusOr<SavedSize> LoadSaved(std::string_view bytes, Document& document,
                                    WaitingChanges& waiting) {
  crdt::ByteReader reader(bytes);
  Sha256Hasher hasher;
  SavedSize size;
  const SettledHeads settled(document);
  while (!reader.empty()) {
    const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher);
    if (!chunk.ok() && IsTorn(bytes.substr(size.whole), size.whole, hasher)) break;
    absl::Status status = chunk.status();
    if (chunk.ok()) {
      const size_t end = bytes.size() - reader.rest().size();
      status = LoadChunk(*chunk, bytes.substr(size.whole, end - size.whole), size.whole == 0,
                         document, waiting);
      const bool is_document = size.whole == 0 && chunk->type == ChunkType::kDocument;
      if (status.ok()) size = {.whole = end, .document = is_document ? end : size.document};
    }
    if (!status.ok()) {
      return absl::Status(status.code(), absl::StrCat("the saved document, at byte ", size.whole,
                                                      ": ", status.message()));
    }
  }
  return size;
}

absl::Status UnsavedChanges::Begin(Document& document) {
  if (saved_) return absl::OkStatus();
  if (absl::Status status = document.NeedHistory(); !status.ok()) return status;
  saved_ = static_cast<uint32_t>(document.changes().size());
  return absl::OkStatus();
}

std::string UnsavedChanges::Take(const Document& document) {
  std::string chunks;
  if (!saved_) return chunks;
  const auto count = static_cast<uint32_t>(document.changes().size());
  for (; *saved_ < count; ++*saved_) chunks += document.ChunkOf(*saved_);
  return chunks;
}

}  // namespace cursorwire::automerge
