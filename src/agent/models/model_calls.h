#ifndef CURSORWIRE_SRC_AGENT_MODELS_MODEL_CALLS_H_
#define CURSORWIRE_SRC_AGENT_MODELS_MODEL_CALLS_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/run_options.h"
#include "wire/available_models.h"

namespace cursorwire::agent {

// The two unary calls that make the catalog of models. Source: docs/protocol.md, models.

// The fields that we use of a row of agent.v1.GetUsableModelsResponse.
struct UsableModel {
  std::string id{};
  std::string display_name{};  // the best of the row's names
  std::vector<std::string> aliases{};
  bool thinking = false;
  bool max_mode = false;

  friend bool operator==(const UsableModel&, const UsableModel&) = default;
};

// agent.v1.AgentService/GetUsableModels at the agent's host; the request is empty.
connect::CallRequest UsableModelsCall(const RunOptions& options, std::string_view request_id);
//   kInternal           the bytes are not a valid response
//   kResourceExhausted  more models than kMaxAvailableModels
absl::StatusOr<std::vector<UsableModel>> DecodeUsableModels(std::string_view body);

// aiserver.v1.AiService/AvailableModels at the host of the API.
connect::CallRequest AvailableModelsCall(const RunOptions& options, std::string_view request_id);
//   errors: those of DecodeAvailableModelsResponse()
absl::StatusOr<AvailableModelsResponse> DecodeAvailableModels(std::string_view body);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_MODELS_MODEL_CALLS_H_
