// Errors of the server, with details and metadata.
#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "interop/interop.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using absl::StatusCode;
using connect::ErrorOrigin;
using testing::ElementsAre;
using testing::SizeIs;

class InteropError : public Interop {};

pb::Behavior FailWith(StatusCode code) {
  pb::Behavior behavior;
  pb::Failure& failure = *behavior.mutable_failure();
  failure.set_code(static_cast<int>(code));
  failure.set_message("why: \"ä\"");
  for (const int number : {1, 2}) {
    pb::Note& note = *failure.add_notes();
    note.set_text("note " + std::to_string(number));
    note.set_number(number);
  }
  return behavior;
}

void ExpectFailure(const absl::Status& status, StatusCode code) {
  EXPECT_THAT(status, StatusIs(code, "why: \"ä\""));
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->origin, ErrorOrigin::kServer);
  EXPECT_FALSE(info->replay_safe);
  ASSERT_THAT(info->details, SizeIs(2));
  EXPECT_EQ(info->details[1].type, "interop.v1.Note");
  const std::optional<pb::Note> note = connect::GetErrorDetail<pb::Note>(status);
  ASSERT_TRUE(note.has_value());
  EXPECT_EQ(note->text(), "note 1");
  EXPECT_EQ(note->number(), 1);
  EXPECT_FALSE(connect::GetErrorDetail<pb::EchoRequest>(status).has_value());
}

TEST_P(InteropError, EndsAUnaryCallWithCodeDetailsAndMetadata) {
  for (int code = 1; code <= 16; ++code) {
    SCOPED_TRACE(code);
    pb::EchoRequest request;
    *request.mutable_behavior() = FailWith(static_cast<StatusCode>(code));
    const auto reply = connect::Unary(channel_, kEcho, request);
    ExpectFailure(reply.status(), static_cast<StatusCode>(code));
    const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(reply.status());
    EXPECT_THAT(info->metadata.GetAll("x-error"), ElementsAre("yes"));
    EXPECT_NE(info->http_status, 200);
  }
}

TEST_P(InteropError, ComesBehindTheMessagesOfAStream) {
  pb::CountRequest request;
  request.set_messages(3);
  *request.mutable_behavior() = FailWith(StatusCode::kDataLoss);
  auto stream = connect::OpenStream(channel_, kCount, request);
  ASSERT_THAT(stream, IsOk());
  for (int i = 0; i < 3; ++i) {
    const auto message = stream->Next();
    ASSERT_TRUE(message.has_value());
    EXPECT_THAT(*message, IsOk());
  }
  const auto last = stream->Next();
  ASSERT_TRUE(last.has_value());
  ExpectFailure(last->status(), StatusCode::kDataLoss);
  EXPECT_FALSE(stream->Next().has_value());
  EXPECT_THAT(stream->trailers().GetAll("x-error"), ElementsAre("yes"));
}

TEST_P(InteropError, ComesInPlaceOfTheAnswerToAStreamOfRequests) {
  auto stream = connect::OpenStream(channel_, kSum);
  pb::SumRequest request;
  *request.mutable_behavior() = FailWith(StatusCode::kAborted);
  ASSERT_THAT(stream.Send(request), IsOk());
  const auto reply = stream.CloseAndReceive();
  ExpectFailure(reply.status(), StatusCode::kAborted);
  EXPECT_THAT(connect::GetErrorInfo(reply.status())->metadata.GetAll("x-error"),
              ElementsAre("yes"));
}

TEST_P(InteropError, EndsATalkWhoseRequestsGoOn) {
  auto talk = connect::OpenStream(channel_, kTalk);
  pb::TalkRequest request;
  *request.mutable_behavior() = FailWith(StatusCode::kPermissionDenied);
  ASSERT_THAT(talk.Send(request), IsOk());
  const auto answer = talk.Next();
  ASSERT_TRUE(answer.has_value());
  EXPECT_THAT(*answer, IsOk());
  const auto last = talk.Next();
  ASSERT_TRUE(last.has_value());
  ExpectFailure(last->status(), StatusCode::kPermissionDenied);
  EXPECT_THAT(talk.Send(request), StatusIs(StatusCode::kFailedPrecondition));
}

TEST_P(InteropError, IsUnimplementedForAMethodThatTheServerDoesNotHave) {
  const auto reply = connect::Unary(channel_, kNothing, pb::EchoRequest());
  EXPECT_THAT(reply, StatusIs(StatusCode::kUnimplemented));
  auto talk = connect::OpenStream(channel_, kTalkOfNothing);
  const auto last = talk.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(StatusCode::kUnimplemented));
}

TEST_P(InteropError, RefusesAMessageOverTheLimit) {
  pb::EchoRequest request;
  request.set_data(std::string(100'000, 'x'));
  EXPECT_THAT(connect::Unary(channel_, kEcho, request, {.max_receive_bytes = 99'000}),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(connect::Unary(channel_, kEcho, request, {.max_send_bytes = 99'000}),
              StatusIs(StatusCode::kResourceExhausted));
}

INSTANTIATE_TEST_SUITE_P(, InteropError, testing::Values(Transport::kTls, Transport::kH2c),
                         TransportName);

}  // namespace
}  // namespace cursorwire::test
