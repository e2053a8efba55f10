#include "upstream/server/unary_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/model.pb.h"
#include "cursorwire/available_models.h"
#include "support/for_each_split.h"
#include "support/status_matchers.h"
#include "upstream/models_service.h"
#include "upstream/server/violations.h"

namespace cursorwire::upstream {
namespace {

using test::ForEachSplit;
using test::IsOk;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kUsablePath[] = "/agent.v1.AgentService/GetUsableModels";
constexpr char kAvailablePath[] = "/aiserver.v1.AiService/AvailableModels";

class RecordingResponder final : public Responder {
 public:
  void SendHeaders(const Headers& headers) override { status = *headers.Get(":status"); }
  void SendBody(std::string_view bytes) override { body += bytes; }
  void SendBodyFrame(std::string_view) override { ADD_FAILURE() << "frame"; }
  void Finish() override { ++finished; }
  void Reset(uint32_t) override { ADD_FAILURE() << "reset"; }
  void SendRawBytes(std::string_view) override { ADD_FAILURE() << "raw bytes"; }
  int32_t stream_id() const override { return 1; }
  void DropConnection(DropKind) override { ADD_FAILURE() << "drop"; }

  std::string status;
  std::string body;
  int finished = 0;
};

absl::StatusOr<std::string> Reverse(std::string_view request) {
  if (request == "bad") return absl::InvalidArgumentError("bad it is");
  return std::string(request.rbegin(), request.rend());
}

TEST(UnaryRequest, AnswersOnceTheRequestIsComplete) {
  ForEachSplit("abcd", [](auto pieces) {
    RecordingResponder responder;
    Violations violations;
    UnaryRequest request(Reverse, responder, violations);
    request.OnHeaders({}, {});
    for (const std::string_view piece : pieces) request.OnBody(piece, {});
    EXPECT_EQ(responder.status, "");
    request.OnRequestEnd({});
    EXPECT_EQ(responder.status, "200");
    EXPECT_EQ(responder.body, "dcba");
    EXPECT_EQ(responder.finished, 1);
    EXPECT_THAT(violations.list(), IsEmpty());
  });
}

TEST(UnaryRequest, NotesAndRefusesABadRequest) {
  RecordingResponder responder;
  Violations violations;
  UnaryRequest request(Reverse, responder, violations);
  request.OnBody("bad", {});
  request.OnRequestEnd({});
  EXPECT_EQ(responder.status, "400");
  EXPECT_EQ(responder.body, R"({"code":"invalid_argument","message":"bad it is"})");
  EXPECT_THAT(violations.list(), ElementsAre("bad it is"));
}

TEST(UnaryRequest, StoresNoMoreThanItsLimit) {
  RecordingResponder responder;
  Violations violations;
  UnaryRequest request(Reverse, responder, violations);
  request.OnBody(std::string(65'536, 'x'), {});
  EXPECT_EQ(responder.status, "");
  request.OnBody("x", {});
  EXPECT_EQ(responder.status, "400");
  EXPECT_THAT(responder.body, HasSubstr("resource_exhausted"));
  request.OnBody("more", {});
  request.OnRequestEnd({});
  EXPECT_EQ(responder.finished, 1);
  EXPECT_THAT(violations.list(), ::testing::SizeIs(1));
}

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

TEST(Violations, KeepsNoMoreThanAThousand) {
  Violations violations;
  for (int i = 0; i < 2000; ++i) violations.Add("bad");
  EXPECT_EQ(violations.list().size(), 1001U);
  EXPECT_EQ(violations.list().back(), "more than are listed here");
}

}  // namespace
}  // namespace cursorwire::upstream
