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

// A kind of question: how it is read, and how an answer to it is written. Source: docs/protocol.md,
// interaction queries.
struct QueryKind {
  ::agent::v1::InteractionQuery::QueryCase query;
  // What the user is asked. nullptr: it is asked nobody, and rejected.
  QueryArgs (*to_args)(const ::agent::v1::InteractionQuery& query);
  // An error ends the turn: the protocol has no such answer.
  absl::Status (*answer)(const ::agent::v1::InteractionQuery& query, const QueryAnswer& answer,
                         ::agent::v1::InteractionResponse& response);
};

// A kind by the field of its question, that of its response, and what reads the one
// (ToArgs(question)) and writes the other (Answer(question, answer, response)).
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

// --- what many kinds have in common

// The answer that belongs to the kind; nullptr: it is a no.
template <typename T>
const T* YesOf(const QueryAnswer& answer) {
  return answer.ok() ? std::get_if<T>(&*answer) : nullptr;
}

// Why it is a no.
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
