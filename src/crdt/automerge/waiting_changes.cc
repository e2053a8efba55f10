#include "crdt/automerge/waiting_changes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "crdt/automerge/change_codec.h"
#include "crdt/bytes/byte_reader.h"

namespace cursorwire::automerge {

namespace {

constexpr size_t kBytesOfDep = 150;  // in memory

// A change may be deflated, and what it depends on is kept apart.
size_t CostOf(size_t chunk_bytes, size_t deps) { return chunk_bytes + kBytesOfDep * deps; }

}  // namespace

absl::Status WaitingChanges::Add(std::string_view chunks, WorkBudget* budget) {
  if (absl::Status status = document_.NeedHistory(); !status.ok()) return status;
  crdt::ByteReader reader(chunks);
  while (!reader.empty()) {
    const std::string_view rest = reader.rest();
    const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher_, limits_.chunk, budget);
    if (!chunk.ok()) return chunk.status();
    const std::string_view bytes = rest.substr(0, rest.size() - reader.rest().size());
    absl::Status status = chunk->type == ChunkType::kDocument ? AddDocument(*chunk, budget)
                                                              : AddChange(*chunk, bytes, budget);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status WaitingChanges::AddDocument(const Chunk& chunk, WorkBudget* budget) {
  const size_t before = document_.changes().size();
  absl::Status status = document_.ApplyDocument(chunk.body(), budget);
  if (!status.ok() && budget != nullptr) budget->End();
  // What it brought may be what others wait for.
  const size_t after = document_.changes().size();
  for (size_t i = before; i < after && !waiting_for_.empty(); ++i) {
    status.Update(Release(document_.changes().hash(static_cast<uint32_t>(i)), budget));
  }
  return status;
}

absl::Status WaitingChanges::AddChange(const Chunk& chunk, std::string_view bytes,
                                       WorkBudget* budget) {
  if (document_.Has(chunk.hash) || waiting_.contains(chunk.hash)) return absl::OkStatus();
  const absl::StatusOr<ChangeHead> head = ReadChange(chunk.body());
  if (!head.ok()) return head.status();
  const bool ready = std::all_of(head->deps.begin(), head->deps.end(),
                                 [this](const ChangeHash& dep) { return document_.Has(dep); });
  if (!ready) {
    Keep(chunk.hash, bytes, {head->deps.begin(), head->deps.end()});
    return absl::OkStatus();
  }
  if (absl::Status status = document_.Apply(chunk, *head, budget); !status.ok()) return status;
  return Release(chunk.hash, budget);
}

void WaitingChanges::Keep(const ChangeHash& hash, std::string_view bytes,
                          std::vector<ChangeHash> deps) {
  for (const ChangeHash& dep : deps) {
    if (!document_.Has(dep)) waiting_for_.emplace(dep, hash);
  }
  bytes_ += CostOf(bytes.size(), deps.size());
  by_number_.emplace(next_number_, hash);
  waiting_.emplace(hash, Waiting{next_number_++, std::string(bytes), std::move(deps)});
  while (waiting_.size() > waiting_limits_.max_changes || bytes_ > waiting_limits_.max_bytes) {
    DropOldest();
  }
}

void WaitingChanges::DropOldest() {
  const ChangeHash hash = by_number_.begin()->second;
  by_number_.erase(by_number_.begin());
  const auto place = waiting_.find(hash);
  bytes_ -= CostOf(place->second.chunk.size(), place->second.deps.size());
  for (const ChangeHash& dep : place->second.deps) {
    const auto [first, last] = waiting_for_.equal_range(dep);
    const auto waits =
        std::find_if(first, last, [&hash](const auto& entry) { return entry.second == hash; });
    if (waits != last) waiting_for_.erase(waits);
  }
  waiting_.erase(place);
}

// Looks at each dep until it has come, and no more after that.
bool WaitingChanges::IsReady(Waiting& waiting) const {
  const std::vector<ChangeHash>& deps = waiting.deps;
  while (waiting.there < deps.size() && document_.Has(deps[waiting.there])) ++waiting.there;
  return waiting.there == deps.size();
}

absl::Status WaitingChanges::Release(const ChangeHash& hash, WorkBudget* budget) {
  std::vector<ChangeHash> open{hash};
  absl::Status first_error;
  while (!open.empty()) {
    const ChangeHash applied = open.back();
    open.pop_back();
    const auto [first, last] = waiting_for_.equal_range(applied);
    std::vector<ChangeHash> ready;
    for (auto entry = first; entry != last; ++entry) ready.push_back(entry->second);
    waiting_for_.erase(first, last);
    for (const ChangeHash& next : ready) {
      const auto place = waiting_.find(next);
      if (place == waiting_.end()) continue;
      if (!IsReady(place->second)) continue;
      const Waiting waiting = std::move(place->second);
      waiting_.erase(place);
      by_number_.erase(waiting.number);
      bytes_ -= CostOf(waiting.chunk.size(), waiting.deps.size());
      if (budget != nullptr) budget->AddBytes(waiting.chunk.size());
      const absl::Status status = Apply(waiting.chunk, budget);
      if (status.ok()) open.push_back(next);
      first_error.Update(status);
    }
  }
  return first_error;
}

absl::Status WaitingChanges::Apply(std::string_view bytes, WorkBudget* budget) {
  crdt::ByteReader reader(bytes);
  const absl::StatusOr<Chunk> chunk = TakeChunk(reader, hasher_, limits_.chunk, budget);
  if (!chunk.ok()) return chunk.status();
  const absl::StatusOr<ChangeHead> head = ReadChange(chunk->body());
  if (!head.ok()) return head.status();
  return document_.Apply(*chunk, *head, budget);
}

std::vector<ChangeHash> WaitingChanges::MissingFor(const std::vector<ChangeHash>& heads) const {
  std::set<ChangeHash> missing;
  std::set<ChangeHash> seen(heads.begin(), heads.end());
  std::vector<ChangeHash> open(seen.begin(), seen.end());
  while (!open.empty()) {
    const ChangeHash hash = open.back();
    open.pop_back();
    if (document_.Has(hash)) continue;
    const auto waiting = waiting_.find(hash);
    if (waiting == waiting_.end()) {
      missing.insert(hash);
      continue;
    }
    for (const ChangeHash& dep : waiting->second.deps) {
      if (seen.insert(dep).second) open.push_back(dep);
    }
  }
  return {missing.begin(), missing.end()};
}

}  // namespace cursorwire::automerge
