// Streams of messages in either direction, and in both.
#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "interop/interop.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using connect::Compression;
using testing::ElementsAre;
using testing::StrEq;

class InteropStream : public Interop {};

using Talk = connect::TypedStream<pb::TalkRequest, pb::TalkResponse>;

const struct {
  const char* name;
  connect::CallOptions options;
} kCodings[] = {
    {"proto", {.accept_compression = Compression::kIdentity}},
    {"json", {.codec = connect::Codec::kJson}},
    {"gzip", {.send_compression = Compression::kGzip, .compress_min_bytes = 0}},
    {"gzip, json",
     {.codec = connect::Codec::kJson,
      .send_compression = Compression::kGzip,
      .compress_min_bytes = 0}},
};

pb::TalkRequest TalkOf(int number) {
  pb::TalkRequest request;
  request.set_number(number);
  request.set_data(std::string(2000, static_cast<char>('a' + number % 26)));
  return request;
}

void ExpectAnswer(const std::optional<absl::StatusOr<pb::TalkResponse>>& answer, int number) {
  ASSERT_TRUE(answer.has_value());
  ASSERT_THAT(*answer, IsOk());
  EXPECT_EQ((*answer)->number(), number);
  EXPECT_EQ((*answer)->data(), TalkOf(number).data());
}

TEST_P(InteropStream, ReceivesAStream) {
  for (const auto& c : kCodings) {
    SCOPED_TRACE(c.name);
    pb::CountRequest request;
    request.set_messages(100);
    request.set_bytes_each(2000);
    auto stream = connect::OpenStream(channel_, kCount, request, c.options);
    ASSERT_THAT(stream, IsOk());
    int count = 0;
    for (const absl::StatusOr<pb::CountResponse>& message : *stream) {
      ASSERT_THAT(message, IsOk());
      EXPECT_EQ(message->index(), count++);
      EXPECT_EQ(message->data().size(), 2000u);
    }
    EXPECT_EQ(count, 100);
    const bool asked = c.options.accept_compression == Compression::kGzip;
    EXPECT_EQ(stream->WaitForHead().headers.Get("connect-content-encoding").value_or(""),
              asked ? "gzip" : "");
  }
}

TEST_P(InteropStream, ReceivesAnEmptyStreamWithMetadata) {
  const std::string binary("\xff\0", 2);
  auto stream = connect::OpenStream(
      channel_, kCount, pb::CountRequest(),
      {.headers = {{"x-echo", "here"}, {"x-echo-bin", connect::EncodeBinaryHeader(binary)}}});
  ASSERT_THAT(stream, IsOk());
  EXPECT_EQ(stream->Next(), std::nullopt);
  const connect::ResponseHead head = stream->WaitForHead();
  EXPECT_EQ(head.http_status, 200);
  EXPECT_THAT(head.headers.GetAll("x-echo"), ElementsAre("here"));
  const connect::Headers trailers = stream->trailers();
  EXPECT_THAT(trailers.GetAll("x-echo-trailer"), ElementsAre("here"));
  EXPECT_THAT(connect::DecodeBinaryHeader(trailers.Get("x-echo-trailer-bin").value_or("")),
              IsOkAndHolds(StrEq(binary)));
}

TEST_P(InteropStream, SendsAStream) {
  for (const auto& c : kCodings) {
    SCOPED_TRACE(c.name);
    auto stream = connect::OpenStream(channel_, kSum, c.options);
    for (int i = 1; i <= 100; ++i) {
      pb::SumRequest request;
      request.set_number(i);
      request.set_data(std::string(2000, 'x'));
      ASSERT_THAT(stream.Send(request), IsOk());
    }
    const auto reply = stream.CloseAndReceive();
    ASSERT_THAT(reply, IsOk());
    EXPECT_EQ(reply->message.sum(), 5050);
    EXPECT_EQ(reply->message.messages(), 100);
    EXPECT_EQ(reply->message.data_bytes(), 200'000);
  }
}

TEST_P(InteropStream, SendsAnEmptyStream) {
  auto stream = connect::OpenStream(channel_, kSum);
  const auto reply = stream.CloseAndReceive();
  ASSERT_THAT(reply, IsOk());
  EXPECT_EQ(reply->message.messages(), 0);
}

TEST_P(InteropStream, TalksInTurns) {
  for (const auto& c : kCodings) {
    SCOPED_TRACE(c.name);
    Talk talk = connect::OpenStream(channel_, kTalk, c.options);
    for (int i = 0; i < 50; ++i) {
      ASSERT_THAT(talk.Send(TalkOf(i)), IsOk());
      ExpectAnswer(talk.Next(), i);
    }
    talk.CloseSend();
    EXPECT_FALSE(talk.Next().has_value());
  }
}

TEST_P(InteropStream, TalksHalfDuplex) {
  Talk talk = connect::OpenStream(channel_, kTalk);
  for (int i = 0; i < 50; ++i) ASSERT_THAT(talk.Send(TalkOf(i)), IsOk());
  talk.CloseSend();
  for (int i = 0; i < 50; ++i) ExpectAnswer(talk.Next(), i);
  EXPECT_FALSE(talk.Next().has_value());
}

INSTANTIATE_TEST_SUITE_P(, InteropStream, testing::Values(Transport::kTls, Transport::kH2c),
                         TransportName);

}  // namespace
}  // namespace cursorwire::test
