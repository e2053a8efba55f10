#include "upstream/models_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/v1/model.pb.h"
#include "support/status_matchers.h"
#include "wire/available_models.h"

namespace cursorwire::upstream {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::IsEmpty;

constexpr char kUsablePath[] = "/agent.v1.AgentService/GetUsableModels";
constexpr char kAvailablePath[] = "/aiserver.v1.AiService/AvailableModels";

TEST(FindModelsMethod, KnowsTwoPaths) {
  EXPECT_NE(FindModelsMethod(kUsablePath), nullptr);
  EXPECT_NE(FindModelsMethod(kAvailablePath), nullptr);
  EXPECT_EQ(FindModelsMethod("/agent.v1.AgentService/Run"), nullptr);
  EXPECT_EQ(FindModelsMethod(""), nullptr);
}

TEST(FindModelsMethod, AnswersInTheFormsOfTheService) {
  const auto usable = FindModelsMethod(kUsablePath)("");
  ASSERT_THAT(usable, IsOk());
  ::agent::v1::GetUsableModelsResponse rows;
  ASSERT_TRUE(rows.ParseFromString(*usable));
  EXPECT_EQ(rows.models(0).model_id(), "default");

  const auto with = FindModelsMethod(kAvailablePath)(EncodeAvailableModelsRequest({}));
  ASSERT_THAT(with, IsOk());
  const auto parameterised = DecodeAvailableModelsResponse(*with);
  ASSERT_THAT(parameterised, IsOk());
  EXPECT_THAT(parameterised->models[1].variants, ::testing::SizeIs(5));
  const auto without = FindModelsMethod(kAvailablePath)("");
  ASSERT_THAT(without, IsOk());
  const auto plain = DecodeAvailableModelsResponse(*without);
  ASSERT_THAT(plain, IsOk());
  EXPECT_FALSE(plain->use_model_parameters);
  EXPECT_THAT(plain->models[1].variants, IsEmpty());
}

TEST(FindModelsMethod, RefusesARequestThatDoesNotParse) {
  for (const char* path : {kUsablePath, kAvailablePath}) {
    SCOPED_TRACE(path);
    EXPECT_THAT(FindModelsMethod(path)("\x0A\x05"), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace cursorwire::upstream
