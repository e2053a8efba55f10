#include "wire/available_models.h"

#include "wire/message_codec.h"

namespace cursorwire {

// Lists the fields of each message, for both directions. Source: docs/protocol.md, models.

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<AvailableModelsRequest> message) {
  codec.Message("AvailableModelsRequest");
  codec.Field(1, "is_nightly", message.is_nightly);
  codec.Field(2, "include_long_context_models", message.include_long_context_models);
  codec.Field(3, "exclude_max_named_models", message.exclude_max_named_models);
  codec.Field(4, "additional_model_names", message.additional_model_names);
  codec.Field(5, "use_model_parameters", message.use_model_parameters);
  codec.Field(6, "include_hidden_models", message.include_hidden_models);
  codec.Field(7, "do_not_use_markdown", message.do_not_use_markdown);
  codec.Field(8, "variants_will_be_shown_in_exploded_list",
              message.variants_will_be_shown_in_exploded_list);
  codec.Field(9, "for_automations", message.for_automations);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelParameter> message) {
  codec.Message("ModelParameterValue");
  codec.Field(1, "id", message.id);
  codec.Field(2, "value", message.value);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelVariant> message) {
  codec.Message("ModelVariantConfig");
  codec.Field(1, "parameter_values", message.parameters);
  codec.Field(2, "display_name", message.display_name);
  codec.Field(3, "is_max_mode", message.is_max_mode);
  codec.Field(4, "is_default_max_config", message.is_default_max_config);
  codec.Field(5, "is_default_non_max_config", message.is_default_non_max_config);
  codec.Field(7, "tagline", message.tagline);
  codec.Field(8, "display_name_outside_picker", message.display_name_outside_picker);
  codec.Field(9, "variant_string_representation", message.variant_string_representation);
  codec.Field(11, "legacy_slug", message.legacy_slug);
}

// BooleanParameterValue and EnumParameterValue have the same fields.
template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelParameterValue> message) {
  codec.Message("ParameterValue");
  codec.Field(1, "value", message.value);
  codec.Field(2, "display_name", message.display_name);
  codec.Field(3, "increases_model_cost", message.increases_model_cost);
}

// BooleanParameterDefinition and EnumParameterDefinition also have the same fields.
template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelParameterValues> message) {
  codec.Message("ParameterDefinition");
  codec.Field(1, "values", message.values);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelParameterType> message) {
  codec.Message("ModelParameterType");
  codec.Field(1, "boolean_parameter", message.boolean_parameter);
  codec.Field(2, "enum_parameter", message.enum_parameter);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelParameterDefinition> message) {
  codec.Message("ModelParameterDefinition");
  codec.Field(1, "id", message.id);
  codec.Field(2, "name", message.name);
  codec.Field(3, "markdown_tooltip", message.markdown_tooltip);
  codec.Field(4, "parameter_type", message.parameter_type);
  codec.Field(5, "is_cycleable_by_hotkey", message.is_cycleable_by_hotkey);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<ModelVendor> message) {
  codec.Message("ModelVendor");
  codec.Field(1, "id", message.id);
  codec.Field(2, "display_name", message.display_name);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<AvailableModel> message) {
  codec.Message("AvailableModel");
  codec.Field(1, "name", message.name);
  codec.Field(2, "default_on", message.default_on);
  codec.Field(3, "is_long_context_only", message.is_long_context_only);
  codec.Field(4, "is_chat_only", message.is_chat_only);
  codec.Field(5, "supports_agent", message.supports_agent);
  codec.Field(7, "price", message.price);
  codec.Field(9, "supports_thinking", message.supports_thinking);
  codec.Field(10, "supports_images", message.supports_images);
  codec.Field(14, "supports_max_mode", message.supports_max_mode);
  codec.Field(15, "context_token_limit", message.context_token_limit);
  codec.Field(16, "context_token_limit_for_max_mode", message.context_token_limit_for_max_mode);
  codec.Field(17, "client_display_name", message.client_display_name);
  codec.Field(18, "server_model_name", message.server_model_name);
  codec.Field(19, "supports_non_max_mode", message.supports_non_max_mode);
  codec.Field(21, "is_recommended_for_background_composer",
              message.is_recommended_for_background_composer);
  codec.Field(22, "supports_plan_mode", message.supports_plan_mode);
  codec.Field(23, "is_user_added", message.is_user_added);
  codec.Field(24, "inputbox_short_model_name", message.inputbox_short_model_name);
  codec.Field(25, "supports_sandboxing", message.supports_sandboxing);
  codec.Field(26, "supports_cmd_k", message.supports_cmd_k);
  codec.Field(27, "only_supports_cmd_k", message.only_supports_cmd_k);
  codec.Field(29, "parameter_definitions", message.parameter_definitions);
  codec.Field(30, "variants", message.variants, kMaxModelVariants);
  codec.Field(35, "is_hidden", message.is_hidden);
  codec.Field(36, "legacy_slugs", message.legacy_slugs);
  codec.Field(37, "id_aliases", message.id_aliases);
  codec.Field(39, "tagline", message.tagline);
  codec.Field(41, "vendor_name", message.vendor_name);
  codec.Field(42, "vendor", message.vendor);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<FeatureModelConfig> message) {
  codec.Message("FeatureModelConfig");
  codec.Field(1, "default_model", message.default_model);
  codec.Field(2, "fallback_models", message.fallback_models);
  codec.Field(3, "best_of_n_default_models", message.best_of_n_default_models);
}

template <typename Codec>
static void Describe(Codec& codec, typename Codec::template Ref<AvailableModelsResponse> message) {
  codec.Message("AvailableModelsResponse");
  codec.Field(1, "model_names", message.model_names);
  codec.Field(2, "models", message.models, kMaxAvailableModels);
  codec.Field(4, "composer_model_config", message.composer_model_config);
  codec.Field(5, "cmd_k_model_config", message.cmd_k_model_config);
  codec.Field(6, "background_composer_model_config", message.background_composer_model_config);
  codec.Field(7, "plan_execution_model_config", message.plan_execution_model_config);
  codec.Field(8, "spec_model_config", message.spec_model_config);
  codec.Field(9, "deep_search_model_config", message.deep_search_model_config);
  codec.Field(10, "quick_agent_model_config", message.quick_agent_model_config);
  codec.Field(11, "use_model_parameters", message.use_model_parameters);
  codec.Merged(15, "display_configuration", message.display_configuration);
}

namespace {

template <typename T>
absl::StatusOr<T> Decode(std::string_view bytes, T message, size_t* unknown_fields) {
  wire::DecodeTally tally{.max_elements = kMaxAvailableModelsElements};
  if (absl::Status status = wire::DecodeMessage(bytes, tally, message); !status.ok()) return status;
  if (unknown_fields != nullptr) *unknown_fields += tally.unknown_fields;
  return message;
}

}  // namespace

std::string EncodeAvailableModelsRequest(const AvailableModelsRequest& request) {
  return wire::EncodeMessage(request);
}

std::string EncodeAvailableModelsResponse(const AvailableModelsResponse& response) {
  return wire::EncodeMessage(response);
}

absl::StatusOr<AvailableModelsRequest> DecodeAvailableModelsRequest(std::string_view bytes,
                                                                    size_t* unknown_fields) {
  AvailableModelsRequest absent;
  absent.use_model_parameters.reset();
  absent.do_not_use_markdown.reset();
  return Decode(bytes, std::move(absent), unknown_fields);
}

absl::StatusOr<AvailableModelsResponse> DecodeAvailableModelsResponse(std::string_view bytes,
                                                                      size_t* unknown_fields) {
  return Decode(bytes, AvailableModelsResponse(), unknown_fields);
}

}  // namespace cursorwire
