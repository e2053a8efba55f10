#include "agent/exec/pending_execs.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "agent/exec/answered_execs.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr size_t kMaxExecs = 256;
constexpr size_t kMaxBytes = size_t{64} * 1024 * 1024;

// Most kinds of arguments have a field for it.
std::string ToolCallIdOf(const pb::ExecServerMessage& exec) {
  const google::protobuf::Reflection& reflection = *exec.GetReflection();
  const auto* kind = reflection.GetOneofFieldDescriptor(
      exec, pb::ExecServerMessage::descriptor()->FindOneofByName("message"));
  if (kind == nullptr || kind->message_type() == nullptr) return "";
  const auto* field = kind->message_type()->FindFieldByName("tool_call_id");
  if (field == nullptr || field->type() != google::protobuf::FieldDescriptor::TYPE_STRING)
    return "";
  const google::protobuf::Message& args = reflection.GetMessage(exec, kind);
  return args.GetReflection()->GetString(args, field);
}

}  // namespace

pb::ExecServerMessage WithoutContents(const pb::ExecServerMessage& exec) {
  pb::ExecServerMessage slim = exec;
  if (exec.has_write_args()) {
    slim.mutable_write_args()->clear_file_text();
    slim.mutable_write_args()->clear_file_bytes();
  }
  if (exec.has_mcp_args()) slim.mutable_mcp_args()->clear_args();
  return slim;
}

absl::Status PendingExecs::Add(const pb::ExecServerMessage& exec, ExecArgs args) {
  size_t bytes = exec.ByteSizeLong();
  // Arguments may be larger as JSON than they were on the wire.
  if (const auto* call = std::get_if<ToolCall>(&args)) {
    bytes = std::max(bytes, call->arguments_json.size());
  }
  if (waiting_.size() >= kMaxExecs || bytes > kMaxBytes - bytes_) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("too many actions at a time: ", waiting_.size(), " wait"));
  }
  PendingExec waiting{.exec = WithoutContents(exec),
                      .bytes = bytes,
                      .fingerprint = AnsweredExecs::FingerprintOf(exec)};
  if (!waiting_.emplace(exec.id(), std::move(waiting)).second) {
    return LocalError(absl::StatusCode::kAlreadyExists,
                      absl::StrCat("an action with the id ", exec.id(), " waits already"));
  }
  bytes_ += bytes;
  queue_.emplace_back(
      ExecRequest{.id = exec.id(), .call_id = ToolCallIdOf(exec), .args = std::move(args)});
  return absl::OkStatus();
}

std::optional<ExecRequest> PendingExecs::Poll() {
  if (queue_.empty()) return std::nullopt;
  ExecRequest request = std::move(queue_.front());
  queue_.pop_front();
  return request;
}

PendingExec* PendingExecs::Find(uint32_t id) {
  const auto entry = waiting_.find(id);
  return entry == waiting_.end() ? nullptr : &entry->second;
}

std::optional<PendingExec> PendingExecs::Take(uint32_t id) {
  const auto entry = waiting_.find(id);
  if (entry == waiting_.end()) return std::nullopt;
  PendingExec exec = std::move(entry->second);
  bytes_ -= exec.bytes;
  waiting_.erase(entry);
  queue_.erase_if([id](const ExecRequest& request) { return request.id == id; });
  return exec;
}

void PendingExecs::Clear() {
  queue_.clear();
  waiting_.clear();
  bytes_ = 0;
}

}  // namespace cursorwire::agent
