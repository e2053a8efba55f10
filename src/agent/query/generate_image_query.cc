#include "agent/query/query_kinds.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

GenerateImageQuery ToGenerateImage(const pb::GenerateImageRequestQuery& query) {
  const pb::GenerateImageArgs& args = query.args();
  return {.description = args.description(),
          .file_path = args.file_path(),
          .reference_image_paths = {args.reference_image_paths().begin(),
                                    args.reference_image_paths().end()},
          .call_id = query.tool_call_id()};
}

// Guess: the approval repeats the description of the question, since an empty one might replace it.
void AnswerGenerateImage(const pb::GenerateImageRequestQuery& query, const QueryAnswer& answer,
                         pb::GenerateImageRequestResponse& response) {
  Approve(query, answer, response);
  if (response.has_approved()) {
    response.mutable_approved()->set_description(query.args().description());
  }
}

}  // namespace

const QueryKind kGenerateImageQuery =
    MakeQueryKind<&pb::InteractionQuery::generate_image_request_query,
                  &pb::InteractionResponse::mutable_generate_image_request_response,
                  ToGenerateImage, AnswerGenerateImage>(
        pb::InteractionQuery::kGenerateImageRequestQuery);

}  // namespace cursorwire::agent
