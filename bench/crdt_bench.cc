// crdt-bench: what a text that several people write at once costs, over recorded editing sessions.
// Usage: crdt-bench TRACE.json[.gz]...   see docs/collab/performance.md
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "crdt/yjs/document.h"
#include "wire/gzip.h"

namespace {

using cursorwire::Sha256Hasher;
using cursorwire::automerge::Chunk;
using cursorwire::automerge::Document;
using cursorwire::automerge::OpId;
using cursorwire::crdt::Unit;
using nlohmann::json;

constexpr std::string_view kKey = "text";
constexpr size_t kMaxTraceBytes = size_t{256} * 1024 * 1024;

struct Patch {
  uint32_t at;
  uint32_t deleted;
  std::string inserted;
};
struct Transaction {
  std::vector<uint32_t> parents;
  uint32_t agent = 0;
  std::vector<Patch> patches;
};
struct Trace {
  std::string end;
  std::vector<Transaction> transactions;
  uint32_t agents = 1;
  size_t patches = 0;
};

[[noreturn]] void Fail(std::string_view what) { throw std::runtime_error(std::string(what)); }

template <typename T>
T Must(absl::StatusOr<T> value) {
  if (!value.ok()) Fail(std::string(value.status().message()));
  return *std::move(value);
}
void Must(const absl::Status& status) {
  if (!status.ok()) Fail(std::string(status.message()));
}

Trace ReadTrace(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) Fail(std::string(path) + " cannot be read");
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.starts_with("\x1f\x8b")) {
    bytes = Must(cursorwire::wire::Gunzip(bytes, kMaxTraceBytes));
  }
  const json text = json::parse(bytes);
  Trace trace;
  trace.end = text.at("endContent");
  const bool concurrent = text.value("kind", "") == "concurrent";
  if (concurrent) trace.agents = text.at("numAgents");
  for (const json& txn : text.at("txns")) {
    Transaction& transaction = trace.transactions.emplace_back();
    if (concurrent) {
      transaction.parents = txn.at("parents").get<std::vector<uint32_t>>();
      transaction.agent = txn.at("agent");
    }
    for (const json& patch : txn.at("patches")) {
      transaction.patches.push_back({patch.at(0), patch.at(1), patch.at(2)});
      ++trace.patches;
    }
  }
  return trace;
}

class Clock {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double ResidentMiB() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  long resident = 0;
  file >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void Apply(Document& document, OpId text, const Transaction& transaction) {
  for (const Patch& patch : transaction.patches) {
    Must(document.Splice(text, Unit::kCodePoints, patch.at, patch.deleted, patch.inserted));
  }
}

std::string TextOf(const Document& document) {
  return document.FindSequence(document.Get(kKey)->id)->Text();
}

void Expect(const Document& document, const Trace& trace, std::string_view what) {
  if (TextOf(document) != trace.end) Fail(std::string(what) + ": the text is another one");
}

void Print(const char* what, double value, const char* unit) {
  std::printf("  %-44s %10.1f %s\n", what, value, unit);
}

void ApplyChunk(Document& document, std::string_view bytes, Sha256Hasher& hasher) {
  cursorwire::crdt::ByteReader reader(bytes);
  const Chunk chunk = Must(cursorwire::automerge::TakeChunk(reader, hasher));
  Must(document.Apply(chunk, Must(cursorwire::automerge::ReadChange(chunk.body()))));
}

void RunSequential(const Trace& trace) {
  {
    Document document("without");
    const OpId text = Must(document.MakeText(kKey));
    const Clock clock;
    for (const Transaction& transaction : trace.transactions) Apply(document, text, transaction);
    document.Commit(0);
    Print("edits, all of them one change", clock.ms(), "ms");
    Expect(document, trace, "edits");
  }
  ::malloc_trim(0);
  const double before = ResidentMiB();
  auto document = std::make_unique<Document>("a change each");
  const OpId text = Must(document->MakeText(kKey));
  document->Commit(0);
  const Clock edits;
  for (const Transaction& transaction : trace.transactions) {
    Apply(*document, text, transaction);
    document->Commit(1700000000);
  }
  Print("edits, each transaction a change", edits.ms(), "ms");
  Print("  resident after them, without the trace", ResidentMiB() - before, "MiB");
  Expect(*document, trace, "changes");

  std::vector<std::string> chunks;
  size_t bytes = 0;
  for (uint32_t i = 0; i < document->changes().size(); ++i) {
    bytes += chunks.emplace_back(document->ChunkOf(i)).size();
  }
  Sha256Hasher hasher;
  Document peer("peer");
  const Clock applied;
  for (const std::string& chunk : chunks) ApplyChunk(peer, chunk, hasher);
  Expect(peer, trace, "applied");
  Print("all single changes, taken by a peer", applied.ms(), "ms");
  Print("  size of them", static_cast<double>(bytes) / 1024, "KiB");

  const Clock saved;
  const std::string file = Must(document->Save());
  Print("saved", saved.ms(), "ms");
  Print("  size", static_cast<double>(file.size()) / 1024, "KiB");

  const Clock loaded;
  Document again("again");
  cursorwire::crdt::ByteReader reader(file);
  Must(again.Load(std::string(Must(cursorwire::automerge::TakeChunk(reader, hasher)).body())));
  const std::string shown = TextOf(again);
  Print("loaded, and its text read", loaded.ms(), "ms");
  if (shown != trace.end) Fail("loaded: the text is another one");
  const Clock history;
  Must(again.NeedHistory());
  Print("  its history made, at the first edit", history.ms(), "ms");
}

// As a document of Yjs: its updates, and its state as one update.
void RunYjs(const Trace& trace) {
  using YjsDocument = cursorwire::yjs::Document;
  const std::string root(kKey);
  const auto no_other = [] { return uint64_t{99}; };
  ::malloc_trim(0);
  const double before = ResidentMiB();
  // As long in bytes as most random ids.
  auto document = std::make_unique<YjsDocument>(0xF0000001, no_other);
  std::vector<std::string> updates;
  updates.reserve(trace.patches);
  size_t bytes = 0;
  const Clock edits;
  for (const Transaction& transaction : trace.transactions) {
    for (const Patch& patch : transaction.patches) {
      updates.push_back(
          Must(document->Splice(root, Unit::kCodePoints, patch.at, patch.deleted, patch.inserted)));
    }
  }
  Print("edits, with the update of each", edits.ms(), "ms");
  size_t kept = updates.capacity() * sizeof(std::string);
  for (const std::string& update : updates) {
    bytes += update.size();
    if (update.capacity() > 15) kept += update.capacity() + 17;
  }
  ::malloc_trim(0);
  Print("  resident after them, without the updates",
        ResidentMiB() - before - static_cast<double>(kept) / (1 << 20), "MiB");
  if (document->Text(root) != trace.end) Fail("edits: the text is another one");

  YjsDocument peer(2, no_other);
  const Clock applied;
  for (const std::string& update : updates) Must(peer.Apply(update));
  if (peer.Text(root) != trace.end) Fail("applied: the text is another one");
  Print("all single updates, taken by a peer", applied.ms(), "ms");
  Print("  size of them", static_cast<double>(bytes) / 1024, "KiB");

  const Clock saved;
  const std::string state = document->EncodeState();
  Print("saved as one update", saved.ms(), "ms");
  Print("  size", static_cast<double>(state.size()) / 1024, "KiB");

  const Clock loaded;
  YjsDocument again(3, no_other);
  Must(again.Apply(state));
  const std::string shown = again.Text(root);
  Print("loaded, and its text read", loaded.ms(), "ms");
  if (shown != trace.end) Fail("loaded: the text is another one");
}

// Each agent has a document, which takes what a transaction of it was made after.
class Agents {
 public:
  explicit Agents(const Trace& trace) : trace_(trace) {
    for (uint32_t i = 0; i < trace.agents; ++i) {
      documents_.push_back(std::make_unique<Document>("agent" + std::to_string(i)));
    }
    Must(documents_[0]->MakeText(kKey));
    documents_[0]->Commit(0);
    start_ = documents_[0]->ChunkOf(0);
    for (const auto& document : documents_) ApplyChunk(*document, start_, hasher_);
  }

  void Run() {
    has_.assign(trace_.agents, std::vector<bool>(trace_.transactions.size()));
    for (uint32_t i = 0; i < trace_.transactions.size(); ++i) {
      const Transaction& transaction = trace_.transactions[i];
      Document& document = *documents_[transaction.agent];
      for (const uint32_t parent : transaction.parents) Take(transaction.agent, parent);
      Apply(document, document.Get(kKey)->id, transaction);
      if (!document.Commit(1700000000)) Fail("a transaction without an edit");
      chunks_.push_back(document.ChunkOf(static_cast<uint32_t>(document.changes().size()) - 1));
      has_[transaction.agent][i] = true;
    }
    for (uint32_t i = 0; i < trace_.transactions.size(); ++i) Take(0, i);
    Expect(*documents_[0], trace_, "concurrent");
  }

 private:
  // A transaction with all that it was made after.
  void Take(uint32_t agent, uint32_t transaction) {
    std::vector<uint32_t> open{transaction};
    while (!open.empty()) {
      const uint32_t next = open.back();
      bool ready = true;
      for (const uint32_t parent : trace_.transactions[next].parents) {
        if (has_[agent][parent]) continue;
        open.push_back(parent);
        ready = false;
      }
      if (!ready) continue;
      open.pop_back();
      if (has_[agent][next]) continue;
      ApplyChunk(*documents_[agent], chunks_[next], hasher_);
      has_[agent][next] = true;
    }
  }

  const Trace& trace_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::string start_;
  std::vector<std::string> chunks_;
  std::vector<std::vector<bool>> has_;
  Sha256Hasher hasher_;
};

void Run(const char* path) {
  const Trace trace = ReadTrace(path);
  std::printf("%s: %zu transactions, %zu patches, %u agents\n", path, trace.transactions.size(),
              trace.patches, trace.agents);
  if (trace.agents == 1) {
    std::printf(" as Automerge\n");
    RunSequential(trace);
    std::printf(" as Yjs\n");
    return RunYjs(trace);
  }
  Agents agents(trace);
  const Clock clock;
  agents.Run();
  Print("written and taken by all agents", clock.ms(), "ms");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) == "--help") {
    std::printf(
        "usage: crdt-bench TRACE.json[.gz]...\n\n"
        "Plays recorded editing sessions (github.com/josephg/editing-traces), and prints what\n"
        "they cost. Fails where a text is not the recorded one.\n");
    return argc < 2 ? 2 : 0;
  }
  try {
    for (int i = 1; i < argc; ++i) Run(argv[i]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "crdt-bench: error: %s\n", error.what());
    return 1;
  }
  return 0;
}
