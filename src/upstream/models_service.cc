#include "upstream/models_service.h"

#include <string>
#include <utility>
#include <vector>

#include "agent/v1/model.pb.h"
#include "wire/available_models.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

pb::ModelDetails& AddRow(pb::GetUsableModelsResponse& response, const char* id, const char* name) {
  pb::ModelDetails& row = *response.add_models();
  row.set_model_id(id);
  row.set_display_name(name);
  return row;
}

absl::StatusOr<std::string> GetUsableModels(std::string_view body) {
  pb::GetUsableModelsRequest request;
  if (!request.ParseFromArray(body.data(), static_cast<int>(body.size()))) {
    return absl::InvalidArgumentError("GetUsableModelsRequest does not parse");
  }
  pb::GetUsableModelsResponse response;
  AddRow(response, "default", "Auto");
  pb::ModelDetails& high = AddRow(response, "acme-5.5-high", "Acme 5.5 High");
  high.mutable_thinking_details();
  high.add_aliases("acme-latest");
  AddRow(response, "acme-5.5-high-fast", "Acme 5.5 High Fast").mutable_thinking_details();
  AddRow(response, "bolt-4.6", "Bolt 4.6");
  AddRow(response, "bolt-4.6-low", "Bolt 4.6 Low");
  AddRow(response, "bolt-4.6-high", "Bolt 4.6 High");
  AddRow(response, "bolt-4.6-low-thinking", "Bolt 4.6 Low Thinking").mutable_thinking_details();
  pb::ModelDetails& max = AddRow(response, "bolt-4.6-max-thinking", "Bolt 4.6 1M Max Thinking");
  max.mutable_thinking_details();
  max.set_max_mode(true);
  AddRow(response, "cast-1-codex-max", "Cast 1 Codex Max");
  AddRow(response, "dusk-0", "Dusk 0");  // the other list hides it
  return response.SerializeAsString();
}

ModelVariant Variant(const char* context, const char* reasoning) {
  return {.parameters = {{"context", context}, {"reasoning", reasoning}, {"fast", "false"}}};
}

// Has parameters: three efforts with the usual context, two with max mode's large context.
AvailableModel Acme() {
  AvailableModel model{.name = "acme-5.5",
                       .default_on = true,
                       .supports_agent = true,
                       .supports_thinking = true,
                       .supports_images = true,
                       .supports_max_mode = true,
                       .context_token_limit = 272'000,
                       .context_token_limit_for_max_mode = 1'000'000,
                       .client_display_name = "Acme 5.5",
                       .server_model_name = "acme-5.5-prod",
                       .supports_non_max_mode = true,
                       .legacy_slugs = {"acme-5.5-low", "acme-5.5-high"},
                       .tagline = "All-round model of nobody",
                       .vendor = ModelVendor{.display_name = "Acme"}};
  for (const char* reasoning : {"low", "medium", "high"}) {
    model.variants.push_back(Variant("272k", reasoning));
  }
  model.variants[1].display_name = "272K Medium";
  model.variants[1].is_default_non_max_config = true;
  for (const char* reasoning : {"medium", "high"}) {
    model.variants.push_back(Variant("1m", reasoning));
    model.variants.back().is_max_mode = true;
  }
  model.variants.back().is_default_max_config = true;
  return model;
}

absl::StatusOr<std::string> AvailableModels(std::string_view body) {
  const auto request = DecodeAvailableModelsRequest(body);
  if (!request.ok()) return absl::InvalidArgumentError(request.status().message());
  AvailableModelsResponse response;
  response.models = {
      {.name = "default",
       .supports_images = true,
       .context_token_limit = 200'000,
       .client_display_name = "Auto"},
      Acme(),
      {.name = "cast-1-codex-max",
       .supports_images = false,
       .context_token_limit = 200'000,
       .client_display_name = "Cast 1 Codex Max"},
      {.name = "dusk-0", .client_display_name = "Dusk 0", .is_hidden = true},
      {.name = "echo-chat", .is_chat_only = true, .client_display_name = "Echo Chat"},
  };
  for (const AvailableModel& model : response.models) response.model_names.push_back(model.name);
  response.use_model_parameters = request->use_model_parameters.value_or(false);
  if (!response.use_model_parameters) {
    for (AvailableModel& model : response.models) model.variants.clear();
  }
  return EncodeAvailableModelsResponse(response);
}

}  // namespace

UnaryMethod FindModelsMethod(std::string_view path) {
  if (path == "/agent.v1.AgentService/GetUsableModels") return GetUsableModels;
  if (path == "/aiserver.v1.AiService/AvailableModels") return AvailableModels;
  return nullptr;
}

}  // namespace cursorwire::upstream
