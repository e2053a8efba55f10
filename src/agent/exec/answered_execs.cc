#include "agent/exec/answered_execs.h"

#include <absl/hash/hash.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <utility>

namespace cursorwire::agent {
namespace {

constexpr size_t kMaxAnsweredExecs = 1024;

// The exec as bytes, with the entries of maps sorted by key.
std::string InOrder(const ::agent::v1::ExecServerMessage& exec) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    exec.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace

size_t AnsweredExecs::FingerprintOf(const ::agent::v1::ExecServerMessage& exec) {
  const std::string said = exec.exec_id().empty() ? InOrder(exec) : exec.exec_id();
  return absl::HashOf(exec.message_case(), said);
}

void AnsweredExecs::Add(uint32_t id, size_t fingerprint) {
  if (!fingerprints_.insert_or_assign(id, fingerprint).second) return;
  ids_.emplace_back(id);
  if (ids_.size() <= kMaxAnsweredExecs) return;
  fingerprints_.erase(ids_.front());
  ids_.pop_front();
}

bool AnsweredExecs::contains(uint32_t id, size_t fingerprint) const {
  const auto entry = fingerprints_.find(id);
  return entry != fingerprints_.end() && entry->second == fingerprint;
}

}  // namespace cursorwire::agent
