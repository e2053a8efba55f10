#include "crdt/automerge/change_codec.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/strings.h"
#include "crdt/automerge/chunk.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::automerge {
namespace {

constexpr size_t kMaxActorBytes = 255;
constexpr uint64_t kMaxOtherActors = 1000000;
constexpr uint64_t kMaxDeps = 100000;

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("a change ", ToAbsl(what)));
}

// The bound on a count in front of values that take at least `least_bytes` each.
bool IsPossible(uint64_t count, const crdt::ByteReader& bytes, size_t least_bytes) {
  return count <= bytes.rest().size() / least_bytes;
}

absl::Status ReadActors(crdt::ByteReader& bytes, ChangeHead& head) {
  const uint64_t count = bytes.TakeUint();
  if (!IsPossible(count, bytes, 2)) return absl::DataLossError("a change is cut short");
  if (count > kMaxOtherActors) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a change names ", count, " actors; ", kMaxOtherActors, " are the limit"));
  }
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view actor = bytes.TakeString();
    if (bytes.failed()) break;
    if (!IsActor(actor)) return Wrong("names an actor that is none");
    if (i > 0 && actor <= head.other_actors.back()) return Wrong("names actors out of their order");
    head.other_actors.push_back(actor);
  }
  return absl::OkStatus();
}

absl::Status CheckColumns(const Columns& columns) {
  for (const Column& column : columns) {
    if ((column.spec & kDeflatedColumn) != 0) return Wrong("has a deflated column");
  }
  return absl::OkStatus();
}

void AppendBody(std::string& out, const ChangeHead& head) {
  crdt::AppendUint(out, head.deps.size());
  for (const ChangeHash& dep : head.deps) out += dep.view();
  crdt::AppendString(out, head.actor);
  crdt::AppendUint(out, head.seq);
  crdt::AppendUint(out, head.start_op);
  crdt::AppendInt(out, head.time);
  crdt::AppendString(out, head.message);
  crdt::AppendUint(out, head.other_actors.size());
  for (const std::string_view actor : head.other_actors) crdt::AppendString(out, actor);
  crdt::AppendUint(out, head.columns.size());
  for (const Column& column : head.columns) {
    crdt::AppendUint(out, column.spec);
    crdt::AppendUint(out, column.bytes.size());
  }
  for (const Column& column : head.columns) out += column.bytes;
  out += head.rest;
}

}  // namespace

bool IsActor(std::string_view actor) { return !actor.empty() && actor.size() <= kMaxActorBytes; }

absl::StatusOr<ChangeHead> ReadChange(std::string_view body) {
  crdt::ByteReader bytes(body);
  ChangeHead head;
  const uint64_t deps = bytes.TakeUint();
  if (!IsPossible(deps, bytes, ChangeHash::kSize)) {
    return absl::DataLossError("a change is cut short");
  }
  if (deps > kMaxDeps) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a change depends on ", deps, " others; ", kMaxDeps, " are the limit"));
  }
  head.deps.reserve(deps);
  for (uint64_t i = 0; i < deps; ++i) {
    head.deps.push_back(ChangeHash::From(bytes.Take(ChangeHash::kSize)));
    if (i > 0 && head.deps[i] <= head.deps[i - 1]) return Wrong("has deps out of their order");
  }
  head.actor = bytes.TakeString();
  head.seq = bytes.TakeUint();
  const uint64_t start_op = bytes.TakeUint();
  head.time = bytes.TakeInt();
  head.message = bytes.TakeString();
  if (absl::Status status = ReadActors(bytes, head); !status.ok()) return status;
  if (bytes.failed()) return absl::DataLossError("a change is cut short");
  if (!IsActor(head.actor)) return Wrong("has no actor");
  if (head.seq == 0) return Wrong("has the number 0");
  if (start_op == 0 || start_op > std::numeric_limits<uint32_t>::max()) {
    return Wrong("begins with an operation whose counter is no number of 32 bits");
  }
  head.start_op = static_cast<uint32_t>(start_op);
  const auto table = TakeColumnTable(bytes);
  if (!table.ok()) return table.status();
  absl::StatusOr<Columns> columns = TakeColumnBytes(*table, bytes);
  if (!columns.ok()) return columns.status();
  if (absl::Status status = CheckColumns(*columns); !status.ok()) return status;
  head.columns = *std::move(columns);
  head.rest = bytes.rest();
  return head;
}

std::string_view ChangeWriter::Write(const ChangeHead& head) {
  body_.clear();
  AppendBody(body_, head);
  return body_;
}

}  // namespace cursorwire::automerge
