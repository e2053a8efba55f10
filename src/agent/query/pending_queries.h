#ifndef CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_
#define CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "agent/v1/query.pb.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

// Questions between the server, which asked, and the host, which has not answered. Bounded: 64, and
// 16 MiB. Thread-compatible.
class PendingQueries {
 public:
  // The same question once more is ignored.
  //   kUnavailable    over one of the bounds
  //   kAlreadyExists  another question of this id waits
  absl::Status Add(const ::agent::v1::InteractionQuery& query, QueryArgs args);
  // The next one that the host has not been given.
  std::optional<QueryRequest> Poll();
  // The question of that id, which is forgotten here; nullopt: there is none.
  std::optional<::agent::v1::InteractionQuery> Take(uint32_t id);
  bool contains(uint32_t id) const { return waiting_.contains(id); }
  bool empty() const { return waiting_.empty(); }
  // The one with the lowest id in words, such as "interaction query 7 (web_search_request_query)";
  // there must be one.
  std::string DescribeFirst() const;
  void Clear();

 private:
  std::deque<QueryRequest> queue_;
  std::map<uint32_t, ::agent::v1::InteractionQuery> waiting_;  // by id, queued or handed out
  size_t bytes_ = 0;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_PENDING_QUERIES_H_
