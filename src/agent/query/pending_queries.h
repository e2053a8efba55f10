#ifndef CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_
#define CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "agent/v1/query.pb.h"
#include "base/fifo.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

// The questions that the server has sent and the host has not answered yet. Limits: 64 questions
// and 16 MiB. Thread-compatible.
class PendingQueries {
 public:
  // A question that is sent again is ignored.
  //   kUnavailable    over one of the bounds
  //   kAlreadyExists  a different question with this id is waiting
  absl::Status Add(const ::agent::v1::InteractionQuery& query, QueryArgs args);
  // The next question that was not handed to the host yet.
  std::optional<QueryRequest> Poll();
  // Removes and returns the question with that id; nullopt: no such question waits.
  std::optional<::agent::v1::InteractionQuery> Take(uint32_t id);
  bool contains(uint32_t id) const { return waiting_.contains(id); }
  bool empty() const { return waiting_.empty(); }
  // Describes the question with the lowest id, as in "interaction query 7
  // (web_search_request_query)". Must not be empty().
  std::string DescribeFirst() const;
  void Clear();

 private:
  Fifo<QueryRequest> queue_;
  std::map<uint32_t, ::agent::v1::InteractionQuery> waiting_;  // by id; includes those handed out
  size_t bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_
