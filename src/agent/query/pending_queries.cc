#include "agent/query/pending_queries.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "agent/events/oneof_case.h"
#include "base/error.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

constexpr size_t kMaxQueries = 64;
constexpr size_t kMaxQueryBytes = size_t{16} * 1024 * 1024;

}  // namespace

absl::Status PendingQueries::Add(const pb::InteractionQuery& query, QueryArgs args) {
  if (const auto former = waiting_.find(query.id()); former != waiting_.end()) {
    if (former->second.query_case() == query.query_case()) return absl::OkStatus();
    return LocalError(
        absl::StatusCode::kAlreadyExists,
        absl::StrCat("interaction query ", query.id(), " came while another of that id waits"));
  }
  const size_t bytes = query.ByteSizeLong();
  if (waiting_.size() >= kMaxQueries || bytes > kMaxQueryBytes - bytes_) {
    return LocalError(absl::StatusCode::kUnavailable,
                      absl::StrCat("too many questions at a time: ", waiting_.size(), " wait"));
  }
  waiting_.emplace(query.id(), query);
  bytes_ += bytes;
  queue_.emplace_back(QueryRequest{.id = query.id(), .args = std::move(args)});
  return absl::OkStatus();
}

std::optional<QueryRequest> PendingQueries::Poll() {
  if (queue_.empty()) return std::nullopt;
  QueryRequest request = std::move(queue_.front());
  queue_.pop_front();
  return request;
}

std::optional<pb::InteractionQuery> PendingQueries::Take(uint32_t id) {
  const auto entry = waiting_.find(id);
  if (entry == waiting_.end()) return std::nullopt;
  pb::InteractionQuery query = std::move(entry->second);
  bytes_ -= query.ByteSizeLong();
  waiting_.erase(entry);
  queue_.erase_if([id](const QueryRequest& request) { return request.id == id; });
  return query;
}

std::string PendingQueries::DescribeFirst() const {
  const auto& [id, query] = *waiting_.begin();
  return absl::StrCat("interaction query ", id, " (", OneofCase(query, "query"), ")");
}

void PendingQueries::Clear() {
  queue_.clear();
  waiting_.clear();
  bytes_ = 0;
}

}  // namespace cursorwire::agent
