#ifndef CURSORWIRE_SRC_WIRE_AVAILABLE_MODELS_H_
#define CURSORWIRE_SRC_WIRE_AVAILABLE_MODELS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/model.h"

namespace cursorwire {

// The messages of aiserver.v1.AiService/AvailableModels, written and read without generated code.
// Source of all fields: docs/protocol.md, models; each has its name there.
//
// Numbers and flags that the schema calls optional tell absent from zero; for a text, empty and
// absent are the same.

// The default is what the small clients send.
struct AvailableModelsRequest {
  bool is_nightly = false;
  bool include_long_context_models = false;
  bool exclude_max_named_models = false;
  std::vector<std::string> additional_model_names{};
  std::optional<bool> use_model_parameters = true;  // variants, and not one row for each of them
  std::optional<bool> include_hidden_models{};
  std::optional<bool> do_not_use_markdown = true;  // in the texts for display
  std::optional<bool> variants_will_be_shown_in_exploded_list{};
  std::optional<bool> for_automations{};

  friend bool operator==(const AvailableModelsRequest&, const AvailableModelsRequest&) = default;
};

// A value that a parameter may have.
struct ModelParameterValue {
  std::string value{};
  std::string display_name{};
  std::optional<bool> increases_model_cost{};

  friend bool operator==(const ModelParameterValue&, const ModelParameterValue&) = default;
};

struct ModelParameterValues {
  std::vector<ModelParameterValue> values{};

  friend bool operator==(const ModelParameterValues&, const ModelParameterValues&) = default;
};

// Guess: one of the two is there; the schema does not say whether they exclude each other.
struct ModelParameterType {
  std::optional<ModelParameterValues> boolean_parameter{};
  std::optional<ModelParameterValues> enum_parameter{};

  friend bool operator==(const ModelParameterType&, const ModelParameterType&) = default;
};

// What a parameter of a model is, for a program that draws a choice of it.
struct ModelParameterDefinition {
  std::string id{};
  std::string name{};
  std::string markdown_tooltip{};
  std::optional<ModelParameterType> parameter_type{};
  std::optional<bool> is_cycleable_by_hotkey{};

  friend bool operator==(const ModelParameterDefinition&,
                         const ModelParameterDefinition&) = default;
};

struct ModelVendor {
  int32_t id = 0;  // enum ModelVendorId
  std::string display_name{};

  friend bool operator==(const ModelVendor&, const ModelVendor&) = default;
};

struct AvailableModel {
  std::string name{};  // the id that is sent
  bool default_on = false;
  std::optional<bool> is_long_context_only{};
  std::optional<bool> is_chat_only{};
  std::optional<bool> supports_agent{};
  std::optional<double> price{};
  std::optional<bool> supports_thinking{};
  std::optional<bool> supports_images{};
  std::optional<bool> supports_max_mode{};
  std::optional<int32_t> context_token_limit{};
  std::optional<int32_t> context_token_limit_for_max_mode{};
  std::string client_display_name{};
  std::string server_model_name{};
  std::optional<bool> supports_non_max_mode{};
  std::optional<bool> is_recommended_for_background_composer{};
  std::optional<bool> supports_plan_mode{};
  std::optional<bool> is_user_added{};
  std::string inputbox_short_model_name{};
  std::optional<bool> supports_sandboxing{};
  std::optional<bool> supports_cmd_k{};
  std::optional<bool> only_supports_cmd_k{};
  std::vector<ModelParameterDefinition> parameter_definitions{};
  std::vector<ModelVariant> variants{};
  std::optional<bool> is_hidden{};
  std::vector<std::string> legacy_slugs{};
  std::vector<std::string> id_aliases{};
  std::string tagline{};
  std::string vendor_name{};
  std::optional<ModelVendor> vendor{};

  friend bool operator==(const AvailableModel&, const AvailableModel&) = default;
};

// The models of one feature of the desktop application.
struct FeatureModelConfig {
  std::string default_model{};
  std::vector<std::string> fallback_models{};
  std::vector<std::string> best_of_n_default_models{};

  friend bool operator==(const FeatureModelConfig&, const FeatureModelConfig&) = default;
};

struct AvailableModelsResponse {
  std::vector<std::string> model_names{};
  std::vector<AvailableModel> models{};
  std::optional<FeatureModelConfig> composer_model_config{};
  std::optional<FeatureModelConfig> cmd_k_model_config{};
  std::optional<FeatureModelConfig> background_composer_model_config{};
  std::optional<FeatureModelConfig> plan_execution_model_config{};
  std::optional<FeatureModelConfig> spec_model_config{};
  std::optional<FeatureModelConfig> deep_search_model_config{};
  std::optional<FeatureModelConfig> quick_agent_model_config{};
  bool use_model_parameters = false;
  // How the desktop application draws its list: a serialized ModelPickerDisplayConfiguration, as it
  // came. If it came several times, all in a row, which is how protobuf merges messages.
  std::string display_configuration{};

  friend bool operator==(const AvailableModelsResponse&, const AvailableModelsResponse&) = default;
};

// What a response may hold; a larger one is refused before it is stored.
constexpr size_t kMaxAvailableModels = 4096;
constexpr size_t kMaxModelVariants = 1024;              // of one model
constexpr size_t kMaxAvailableModelsElements = 65'536;  // repeated fields together

std::string EncodeAvailableModelsRequest(const AvailableModelsRequest& request);
std::string EncodeAvailableModelsResponse(const AvailableModelsResponse& response);

// As protobuf reads it: the last of several scalars wins, several of one message are merged, fields
// may come in any order, and unknown ones are skipped; their number is added to `unknown_fields`,
// those within known messages included.
//   kInternal           truncated, a broken varint, a known field of another wire type, or a text
//                       that is not UTF-8; the message names the field
//   kResourceExhausted  over a limit above
absl::StatusOr<AvailableModelsRequest> DecodeAvailableModelsRequest(
    std::string_view bytes, size_t* unknown_fields = nullptr);
absl::StatusOr<AvailableModelsResponse> DecodeAvailableModelsResponse(
    std::string_view bytes, size_t* unknown_fields = nullptr);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_WIRE_AVAILABLE_MODELS_H_
