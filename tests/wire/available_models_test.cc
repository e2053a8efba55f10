#include "wire/available_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/hex.h"
#include "support/status_matchers.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire {
namespace {

using test::FromHex;
using test::Golden;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Repeated(size_t count, std::string_view bytes) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += bytes;
  return all;
}

// The fields of tests/golden/available_models_response.hex.
AvailableModel FirstModel() {
  return {
      .name = "acme-5.5",
      .default_on = true,
      .is_long_context_only = false,
      .is_chat_only = false,
      .supports_agent = true,
      .price = 0.04,
      .supports_thinking = true,
      .supports_images = true,
      .supports_max_mode = true,
      .context_token_limit = 272'000,
      .context_token_limit_for_max_mode = 1'000'000,
      .client_display_name = "Acme 5.5",
      .server_model_name = "acme-5.5-prod",
      .supports_non_max_mode = true,
      .is_recommended_for_background_composer = true,
      .supports_plan_mode = true,
      .is_user_added = false,
      .inputbox_short_model_name = "5.5",
      .supports_sandboxing = true,
      .supports_cmd_k = true,
      .only_supports_cmd_k = false,
      .parameter_definitions =
          {{.id = "reasoning",
            .name = "Reasoning",
            .markdown_tooltip = "**how long** it thinks",
            .parameter_type =
                ModelParameterType{
                    .enum_parameter =
                        ModelParameterValues{{{.value = "medium", .display_name = "Medium"},
                                              {.value = "high",
                                               .display_name = "High",
                                               .increases_model_cost = true}}}},
            .is_cycleable_by_hotkey = true},
           {.id = "fast",
            .parameter_type =
                ModelParameterType{
                    .boolean_parameter =
                        ModelParameterValues{{{.value = "false"},
                                              {.value = "true", .increases_model_cost = false}}}}}},
      .variants = {{.parameters = {{"context", "272k"}, {"reasoning", "medium"}, {"fast", "false"}},
                    .display_name = "272K Medium",
                    .is_default_non_max_config = true,
                    .tagline = "t",
                    .display_name_outside_picker = "Acme 5.5 Medium",
                    .variant_string_representation = "acme-5.5[context=272k]",
                    .legacy_slug = "acme-5.5-medium"},
                   {.parameters = {{"context", "1m"}, {"reasoning", "high"}},
                    .is_max_mode = true,
                    .is_default_max_config = true}},
      .is_hidden = false,
      .legacy_slugs = {"acme-5.5-low", "acme-5.5-high"},
      .id_aliases = {"acme"},
      .tagline = "Gr\u00FC\u00DFe",
      .vendor_name = "Acme Corp",
      .vendor = ModelVendor{.id = 6, .display_name = "Acme"}};
}

AvailableModelsResponse Sample() {
  return {.model_names = {"default", "acme-5.5"},
          .models = {FirstModel(),
                     {.name = "tiny", .context_token_limit = -1, .supports_non_max_mode = false}},
          .composer_model_config = FeatureModelConfig{.default_model = "acme-5.5",
                                                      .fallback_models = {"tiny", "default"},
                                                      .best_of_n_default_models = {"tiny"}},
          .cmd_k_model_config = FeatureModelConfig{.default_model = "a"},
          .background_composer_model_config = FeatureModelConfig{.default_model = "b"},
          .plan_execution_model_config = FeatureModelConfig{.default_model = "c"},
          .spec_model_config = FeatureModelConfig{.default_model = "d"},
          .deep_search_model_config = FeatureModelConfig{.default_model = "e"},
          .quick_agent_model_config = FeatureModelConfig{},
          .use_model_parameters = true,
          .display_configuration = FromHex("0A 0A 0A 06 4D6F64656C73 20 01")};
}

AvailableModelsRequest FullRequest() {
  return {.is_nightly = true,
          .include_long_context_models = true,
          .exclude_max_named_models = true,
          .additional_model_names = {"acme-9", ""},
          .use_model_parameters = false,
          .include_hidden_models = true,
          .do_not_use_markdown = false,
          .variants_will_be_shown_in_exploded_list = true,
          .for_automations = true};
}

TEST(AvailableModelsRequest, DefaultsToWhatTheSmallClientsSend) {
  // docs/protocol.md, models.
  EXPECT_EQ(EncodeAvailableModelsRequest({}), FromHex("28 01 38 01"));
  EXPECT_THAT(DecodeAvailableModelsRequest(FromHex("28 01 38 01")),
              IsOkAndHolds(AvailableModelsRequest()));
}

TEST(AvailableModelsRequest, TellsAbsentFromFalse) {
  const auto empty = DecodeAvailableModelsRequest("");
  ASSERT_THAT(empty, IsOk());
  EXPECT_FALSE(empty->use_model_parameters.has_value());
  EXPECT_EQ(EncodeAvailableModelsRequest(*empty), "");
  const auto off = DecodeAvailableModelsRequest(FromHex("28 00"));
  ASSERT_THAT(off, IsOk());
  EXPECT_EQ(off->use_model_parameters, false);
}

TEST(AvailableModelsRequest, MatchesTheGoldenBothWays) {
  EXPECT_EQ(EncodeAvailableModelsRequest(FullRequest()), Golden("available_models_request.hex"));
  EXPECT_THAT(DecodeAvailableModelsRequest(Golden("available_models_request.hex")),
              IsOkAndHolds(FullRequest()));
}

TEST(AvailableModelsResponse, MatchesTheGoldenBothWays) {
  const std::string golden = Golden("available_models_response.hex");
  EXPECT_EQ(EncodeAvailableModelsResponse(Sample()), golden);
  size_t unknown_fields = 0;
  const auto decoded = DecodeAvailableModelsResponse(golden, &unknown_fields);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_TRUE(*decoded == Sample());
  EXPECT_EQ(unknown_fields, 0u);
}

TEST(AvailableModelsResponse, SkipsAndCountsUnknownFieldsAtEveryDepth) {
  size_t unknown_fields = 0;
  const auto decoded =
      DecodeAvailableModelsResponse(Golden("available_models_unknown.hex"), &unknown_fields);
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(unknown_fields, 6u);
  const AvailableModelsResponse known{
      .models = {{.name = "acme-5.5", .variants = {{.display_name = "v"}}}}};
  EXPECT_TRUE(*decoded == known);
}

TEST(AvailableModelsResponse, LastScalarWinsAndMessagesMerge) {
  const struct {
    const char* name;
    const char* hex;
    AvailableModelsResponse expected;
  } kCases[] = {
      {"flag", "58 01 58 00", {}},
      {"any number but 0 is true", "58 80 01", {.use_model_parameters = true}},
      {"text", "12 06 0A 01 61 0A 01 62", {.models = {{.name = "b"}}}},
      {"number", "12 04 78 01 78 02", {.models = {{.context_token_limit = 2}}}},
      {"number of more than 32 bits",
       "12 07 78 81 80 80 80 80 01",
       {.models = {{.context_token_limit = 1}}}},
      {"embedded message",
       "22 03 0A 01 61 22 03 12 01 62",
       {.composer_model_config =
            FeatureModelConfig{.default_model = "a", .fallback_models = {"b"}}}},
      {"message that stays bytes", "7A 01 61 7A 01 62", {.display_configuration = "ab"}},
      {"repeated in two places", "0A 01 61 58 00 0A 01 62", {.model_names = {"a", "b"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto decoded = DecodeAvailableModelsResponse(FromHex(c.hex));
    ASSERT_THAT(decoded, IsOk());
    EXPECT_TRUE(*decoded == c.expected);
  }
}

// Each known field of a message, with a value of a wire type that is not its own.
TEST(AvailableModelsResponse, RefusesEachFieldOfAnotherWireType) {
  struct Message {
    const char* name;
    std::vector<uint32_t> varints;
    std::vector<uint32_t> lengths;
    std::vector<uint32_t> fixed64s;
    std::vector<uint32_t> path;  // field numbers from the response to it
  };
  const Message kMessages[] = {
      {"AvailableModelsResponse", {11}, {1, 2, 4, 5, 6, 7, 8, 9, 10, 15}, {}, {}},
      {"AvailableModel",
       {2, 3, 4, 5, 9, 10, 14, 15, 16, 19, 21, 22, 23, 25, 26, 27, 35},
       {1, 17, 18, 24, 29, 30, 36, 37, 39, 41, 42},
       {7},
       {2}},
      {"ModelVariantConfig", {3, 4, 5}, {1, 2, 7, 8, 9, 11}, {}, {2, 30}},
      {"ModelParameterValue", {}, {1, 2}, {}, {2, 30, 1}},
      {"ModelParameterDefinition", {5}, {1, 2, 3, 4}, {}, {2, 29}},
      {"ModelParameterType", {}, {1, 2}, {}, {2, 29, 4}},
      {"ParameterDefinition", {}, {1}, {}, {2, 29, 4, 1}},
      {"ParameterDefinition", {}, {1}, {}, {2, 29, 4, 2}},
      {"ParameterValue", {3}, {1, 2}, {}, {2, 29, 4, 2, 1}},
      {"ModelVendor", {1}, {2}, {}, {2, 42}},
      {"FeatureModelConfig", {}, {1, 2, 3}, {}, {4}},
      {"FeatureModelConfig", {}, {1, 2, 3}, {}, {10}},
  };
  const auto decode_within = [](std::string bytes, const std::vector<uint32_t>& path) {
    for (auto number = path.rbegin(); number != path.rend(); ++number) {
      wire::ProtoWriter writer;
      writer.Bytes(*number, bytes);
      bytes = writer.message();
    }
    return DecodeAvailableModelsResponse(bytes);
  };
  const auto put = [](wire::WireType type, uint32_t number) {
    wire::ProtoWriter writer;
    if (type == wire::WireType::kVarint) writer.Varint(number, 1);
    if (type == wire::WireType::kLength) writer.Bytes(number, "");
    if (type == wire::WireType::kFixed32) writer.Fixed32(number, 1);
    if (type == wire::WireType::kFixed64) writer.Fixed64(number, 1);
    return writer.message();
  };
  constexpr wire::WireType kTypes[] = {wire::WireType::kVarint, wire::WireType::kLength,
                                       wire::WireType::kFixed32, wire::WireType::kFixed64};
  const auto check = [&](const Message& message, const std::vector<uint32_t>& numbers,
                         wire::WireType own) {
    for (const uint32_t number : numbers) {
      for (const wire::WireType type : kTypes) {
        SCOPED_TRACE(testing::Message()
                     << message.name << " " << number << " as " << static_cast<int>(type));
        const auto decoded = decode_within(put(type, number), message.path);
        if (type == own) {
          EXPECT_THAT(decoded, IsOk());
        } else {
          EXPECT_THAT(decoded, StatusIs(absl::StatusCode::kInternal,
                                        AllOf(HasSubstr(std::string(" of ") + message.name + " "),
                                              HasSubstr("wire type"))));
        }
      }
    }
  };
  for (const Message& message : kMessages) {
    check(message, message.varints, wire::WireType::kVarint);
    check(message, message.lengths, wire::WireType::kLength);
    check(message, message.fixed64s, wire::WireType::kFixed64);
  }
}

TEST(AvailableModelsResponse, SaysWhichFieldIsBroken) {
  const struct {
    const char* name;
    const char* hex;
    const char* what;
  } kCases[] = {
      {"text of the response", "0A 01 FF", "field model_names of AvailableModelsResponse is not"},
      {"text of a model", "12 03 0A 01 FF", "field name of AvailableModel is not UTF-8"},
      {"text of a variant", "12 06 F2 01 03 12 01 80",
       "field display_name of ModelVariantConfig is not UTF-8"},
      {"surrogate", "0A 03 ED A0 80", "not UTF-8"},
      {"truncated response", "0A 02 61", "AvailableModelsResponse: protobuf: truncated"},
      {"truncated model", "12 02 0A 05", "AvailableModel: protobuf: truncated"},
      {"varint of eleven bytes", "12 0C 10 FFFFFFFFFF FFFFFFFFFF 01",
       "AvailableModel: protobuf: truncated"},
      {"field number 0", "12 02 00 00", "AvailableModel: protobuf: field number"},
      {"group", "13 14", "unsupported wire type"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(DecodeAvailableModelsResponse(FromHex(c.hex)),
                StatusIs(absl::StatusCode::kInternal, HasSubstr(c.what)));
  }
}

// The sizes at which a message may be cut and still be one: between its fields.
std::vector<size_t> FieldEnds(std::string_view bytes) {
  std::vector<size_t> ends = {0};
  for (size_t size = 1; size <= bytes.size(); ++size) {
    wire::ProtoReader prefix(bytes.substr(0, size));
    bool whole = true;
    for (;;) {
      const auto field = prefix.Next();
      whole = whole && field.ok();
      if (!field.ok() || !field->has_value()) break;
    }
    if (whole) ends.push_back(size);
  }
  return ends;
}

TEST(AvailableModelsResponse, RefusesEveryCutWithinAField) {
  const std::string golden = Golden("available_models_response.hex");
  const std::vector<size_t> ends = FieldEnds(golden);
  EXPECT_THAT(ends, SizeIs(14));  // 13 fields
  for (size_t size = 0; size <= golden.size(); ++size) {
    SCOPED_TRACE(size);
    const bool between = std::find(ends.begin(), ends.end(), size) != ends.end();
    EXPECT_EQ(DecodeAvailableModelsResponse(golden.substr(0, size)).ok(), between);
  }
}

TEST(AvailableModelsRequest, RefusesEveryCutWithinAField) {
  const std::string golden = Golden("available_models_request.hex");
  const std::vector<size_t> ends = FieldEnds(golden);
  EXPECT_THAT(ends, SizeIs(11));
  for (size_t size = 0; size <= golden.size(); ++size) {
    SCOPED_TRACE(size);
    const bool between = std::find(ends.begin(), ends.end(), size) != ends.end();
    EXPECT_EQ(DecodeAvailableModelsRequest(golden.substr(0, size)).ok(), between);
  }
}

TEST(AvailableModelsResponse, BoundsWhatIsStored) {
  const std::string empty_model = FromHex("12 00");
  const std::string empty_name = FromHex("0A 00");
  EXPECT_THAT(DecodeAvailableModelsResponse(Repeated(kMaxAvailableModels, empty_model)), IsOk());
  EXPECT_THAT(DecodeAvailableModelsResponse(Repeated(kMaxAvailableModels + 1, empty_model)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("models")));
  EXPECT_THAT(DecodeAvailableModelsResponse(Repeated(kMaxAvailableModelsElements, empty_name)),
              IsOk());
  EXPECT_THAT(DecodeAvailableModelsResponse(Repeated(kMaxAvailableModelsElements + 1, empty_name)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("model_names")));
  const auto model_of = [](size_t variants) {
    wire::ProtoWriter writer;
    writer.Bytes(2, Repeated(variants, FromHex("F2 01 00")));
    return writer.message();
  };
  EXPECT_THAT(DecodeAvailableModelsResponse(model_of(kMaxModelVariants)), IsOk());
  EXPECT_THAT(DecodeAvailableModelsResponse(model_of(kMaxModelVariants + 1)),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("variants")));
  // Many models of few variants each: the elements of all count.
  std::string models;
  for (int i = 0; i < 1024; ++i) models += model_of(64);
  EXPECT_THAT(DecodeAvailableModelsResponse(models),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too many elements")));
}

TEST(AvailableModelsRequest, BoundsWhatIsStored) {
  EXPECT_THAT(DecodeAvailableModelsRequest(Repeated(70'000, FromHex("22 00"))),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire
