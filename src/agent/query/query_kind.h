#ifndef CURSORWIRE_SRC_AGENT_QUERY_QUERY_KIND_H_
#define CURSORWIRE_SRC_AGENT_QUERY_QUERY_KIND_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string>
#include <variant>

#include "agent/v1/query.pb.h"
#include "base/strings.h"
#include "cursorwire/query.h"

namespace cursorwire::agent {

using QueryAnswer = absl::StatusOr<QueryOutput>;

// One kind of question: how to read it and how to write its answer. Source: docs/protocol.md,
// interaction queries.
struct QueryKind {
  ::agent::v1::InteractionQuery::QueryCase query;
  // What to ask the user. nullptr: no user is asked, and the question is rejected.
  QueryArgs (*to_args)(const ::agent::v1::InteractionQuery& query);
  // An error ends the turn: the protocol has no response for such an answer.
  absl::Status (*answer)(const ::agent::v1::InteractionQuery& query, const QueryAnswer& answer,
                         ::agent::v1::InteractionResponse& response);
};

// Defines a kind: the field of its question, the field of its response, and the functions that read
// the question (ToArgs(question)) and write the response (Answer(question, answer, response)).
template <auto kQuestion, auto kResponse, auto kToArgs, auto kAnswer>
constexpr QueryKind MakeQueryKind(::agent::v1::InteractionQuery::QueryCase query) {
  return {.query = query,
          .to_args = [](const ::agent::v1::InteractionQuery& asked) -> QueryArgs {
            return kToArgs((asked.*kQuestion)());
          },
          .answer =
              [](const ::agent::v1::InteractionQuery& asked, const QueryAnswer& answer,
                 ::agent::v1::InteractionResponse& response) {
                kAnswer((asked.*kQuestion)(), answer, *(response.*kResponse)());
                return absl::OkStatus();
              }};
}

// --- shared by many kinds

// The approval of type T; nullptr: the answer is a rejection.
template <typename T>
const T* YesOf(const QueryAnswer& answer) {
  return answer.ok() ? std::get_if<T>(&*answer) : nullptr;
}

// The reason of a rejection.
inline std::string ReasonOf(const QueryAnswer& answer) {
  return answer.ok() ? "The client has no answer of this kind."
                     : ToUtf8(ToStd(answer.status().message()));
}

// For responses that approve or reject.
template <typename Question, typename Response>
void Approve(const Question&, const QueryAnswer& answer, Response& response) {
  if (YesOf<QueryApproved>(answer) != nullptr) {
    response.mutable_approved();
  } else {
    response.mutable_rejected()->set_reason(ReasonOf(answer));
  }
}

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_QUERY_QUERY_KIND_H_
