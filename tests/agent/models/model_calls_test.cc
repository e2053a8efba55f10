#include "agent/models/model_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/v1/model.pb.h"
#include "support/hex.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using test::FromHex;
using test::FromText;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kUsableModels[] = R"pb(
  models { model_id: " default " display_name: "Auto" }
  models {
    model_id: "acme-5.5-high"
    thinking_details {}
    display_name_short: "5.5"
    aliases: "acme-latest"
    max_mode: true
  }
  models { model_id: "m" display_model_id: "shown" }
  models { model_id: "bare" }
)pb";

std::string Rows() {
  return FromText<::agent::v1::GetUsableModelsResponse>(kUsableModels).SerializeAsString();
}

TEST(DecodeUsableModels, ReadsRowsAndTheBestNameOfEach) {
  EXPECT_THAT(DecodeUsableModels(Rows()),
              IsOkAndHolds(ElementsAre(UsableModel{.id = "default", .display_name = "Auto"},
                                       UsableModel{.id = "acme-5.5-high",
                                                   .display_name = "5.5",
                                                   .aliases = {"acme-latest"},
                                                   .thinking = true,
                                                   .max_mode = true},
                                       UsableModel{.id = "m", .display_name = "shown"},
                                       UsableModel{.id = "bare", .display_name = "bare"})));
}

TEST(DecodeUsableModels, TakesOneEnvelopeOff) {
  std::string wrapped = FromHex("00 00 00 00") + static_cast<char>(Rows().size()) + Rows();
  EXPECT_THAT(DecodeUsableModels(wrapped), IsOkAndHolds(SizeIs(4)));
  EXPECT_THAT(DecodeUsableModels(FromHex("00 00 00 00 00")), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(DecodeUsableModels(""), IsOkAndHolds(IsEmpty()));
}

TEST(DecodeUsableModels, RefusesWhatIsNeitherBareNorOneEnvelope) {
  const struct {
    const char* name;
    const char* hex;
  } kCases[] = {
      {"two envelopes, one in the other", "00 00000005 00 00000000"},
      {"bytes after the envelope", "00 00000000 00"},
      {"a cut envelope", "00 00000005 0A"},
      {"a compressed envelope", "01 00000000"},
      {"an end-stream envelope", "02 00000002 7B7D"},
      {"an envelope of what is no message", "00 00000001 0A"},
      {"a cut message", "0A 05"},
      {"a text that is not UTF-8", "0A 03 0A 01 FF"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(DecodeUsableModels(FromHex(c.hex)), StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(DecodeAvailableModels(FromHex(c.hex)), StatusIs(absl::StatusCode::kInternal));
  }
}

TEST(DecodeUsableModels, BoundsTheRows) {
  std::string rows;
  for (size_t i = 0; i < kMaxAvailableModels; ++i) rows += FromHex("0A 00");
  EXPECT_THAT(DecodeUsableModels(rows), IsOk());
  EXPECT_THAT(DecodeUsableModels(rows + FromHex("0A 00")),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(DecodeAvailableModels, TakesOneEnvelopeOff) {
  AvailableModelsResponse response;
  response.models.push_back({.name = "acme-5.5"});
  const std::string bare = EncodeAvailableModelsResponse(response);
  EXPECT_THAT(DecodeAvailableModels(bare), IsOkAndHolds(response));
  EXPECT_THAT(DecodeAvailableModels(FromHex("00 00000 00C") + bare), IsOkAndHolds(response));
}

TEST(ModelCalls, HaveAPathHeadersAndATimeout) {
  const connect::CallRequest usable = UsableModelsCall({.token = "t"}, "id");
  EXPECT_EQ(usable.path, "/agent.v1.AgentService/GetUsableModels");
  const connect::CallRequest available = AvailableModelsCall({.token = "t"}, "id");
  EXPECT_EQ(available.path, "/aiserver.v1.AiService/AvailableModels");
  for (const connect::CallRequest& call : {usable, available}) {
    EXPECT_EQ(call.kind, connect::CallKind::kUnary);
    EXPECT_EQ(call.options.headers.Get("authorization"), "Bearer t");
    EXPECT_EQ(call.options.headers.Get("x-request-id"), "id");
    EXPECT_EQ(call.options.timeout, std::chrono::seconds(15));
    // No client announces a deadline.
    EXPECT_EQ(call.options.announce_timeout, connect::AnnounceTimeout::kNo);
    EXPECT_EQ(call.options.accept_compression, connect::Compression::kIdentity);
    EXPECT_EQ(call.options.send_compression, connect::Compression::kIdentity);
    EXPECT_EQ(call.options.http_method, connect::HttpMethod::kPost);
  }
}

}  // namespace
}  // namespace cursorwire::agent
