// Unary calls: codecs, compression, GET, metadata.
#include <gmock/gmock.h>

#include <chrono>
#include <string>
#include <utility>

#include "interop/interop.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using std::chrono::minutes;
using testing::AllOf;
using testing::ElementsAre;
using testing::Gt;
using testing::Le;
using testing::Optional;

class InteropUnary : public Interop {};

pb::EchoRequest RequestOf(std::string text, std::string data) {
  pb::EchoRequest request;
  request.set_text(std::move(text));
  request.set_data(std::move(data));
  return request;
}

TEST_P(InteropUnary, EchoesMessages) {
  using connect::Codec;
  using connect::Compression;
  using connect::HttpMethod;
  const struct {
    const char* name;
    connect::CallOptions options;
    const char* http_method;
    const char* encoding;
  } kCases[] = {
      {"proto", {.accept_compression = Compression::kIdentity}, "POST", ""},
      {"json", {.codec = Codec::kJson, .accept_compression = Compression::kIdentity}, "POST", ""},
      {"gzip", {.send_compression = Compression::kGzip}, "POST", "gzip"},
      {"gzip, json",
       {.codec = Codec::kJson, .send_compression = Compression::kGzip},
       "POST",
       "gzip"},
      {"GET", {.http_method = HttpMethod::kGet}, "GET", ""},
      {"GET, json", {.codec = Codec::kJson, .http_method = HttpMethod::kGet}, "GET", ""},
      {"GET, gzip",
       {.send_compression = Compression::kGzip, .http_method = HttpMethod::kGet},
       "GET",
       ""},
  };
  const pb::EchoRequest request =
      RequestOf("Größe 1 + 1 = 2 & /?#%", std::string(3000, 'a') + std::string("\0\xff\n", 3));
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto reply = connect::Unary(channel_, kEcho, request, c.options);
    ASSERT_THAT(reply, IsOk());
    EXPECT_EQ(reply->message.text(), request.text());
    EXPECT_EQ(reply->message.data(), request.data());
    EXPECT_EQ(reply->message.http_method(), c.http_method);
    const auto& seen = reply->message.headers();
    EXPECT_EQ(seen.contains("content-encoding") ? seen.at("content-encoding") : "", c.encoding);
    const bool asked = c.options.accept_compression == Compression::kGzip;
    EXPECT_EQ(reply->headers.Get("content-encoding").value_or(""), asked ? "gzip" : "");
  }
}

TEST_P(InteropUnary, EchoesAnEmptyMessage) {
  const auto reply = connect::Unary(channel_, kEcho, pb::EchoRequest());
  ASSERT_THAT(reply, IsOk());
  EXPECT_EQ(reply->message.text(), "");
}

TEST_P(InteropUnary, SendsGetAsPostWhenTheUrlIsTooLong) {
  const auto reply = connect::Unary(channel_, kEcho, RequestOf("", std::string(9000, 'a')),
                                    {.http_method = connect::HttpMethod::kGet});
  ASSERT_THAT(reply, IsOk());
  EXPECT_EQ(reply->message.http_method(), "POST");
}

TEST_P(InteropUnary, PassesMetadataBothWays) {
  const std::string binary("\0\x01\xfe\xff", 4);
  const auto reply =
      connect::Unary(channel_, kEcho, pb::EchoRequest(),
                     {.headers = {{"X-Echo", "one"},
                                  {"x-echo", "two"},
                                  {"x-echo-bin", connect::EncodeBinaryHeader(binary)}}});
  ASSERT_THAT(reply, IsOk());
  EXPECT_EQ(reply->message.headers().at("x-echo"), "one, two");
  EXPECT_EQ(reply->message.binary_header(), binary);
  // Node joins what is set more than once into one field.
  EXPECT_THAT(reply->headers.GetAll("x-echo"), ElementsAre("one, two"));
  EXPECT_THAT(reply->trailers.GetAll("x-echo-trailer"), ElementsAre("one, two"));
  ASSERT_THAT(reply->headers.Get("x-echo-bin"), Optional(testing::_));
  EXPECT_THAT(connect::DecodeBinaryHeader(*reply->headers.Get("x-echo-bin")), IsOkAndHolds(binary));
  ASSERT_THAT(reply->trailers.Get("x-echo-trailer-bin"), Optional(testing::_));
  EXPECT_THAT(connect::DecodeBinaryHeader(*reply->trailers.Get("x-echo-trailer-bin")),
              IsOkAndHolds(binary));
}

TEST_P(InteropUnary, TellsTheServerOfTheTimeout) {
  const auto told = connect::Unary(channel_, kEcho, pb::EchoRequest(), {.timeout = minutes(5)});
  ASSERT_THAT(told, IsOk());
  EXPECT_THAT(told->message.timeout_ms(), AllOf(Gt(0), Le(300'000)));

  const auto untold =
      connect::Unary(channel_, kEcho, pb::EchoRequest(),
                     {.timeout = minutes(5), .announce_timeout = connect::AnnounceTimeout::kNo});
  ASSERT_THAT(untold, IsOk());
  EXPECT_EQ(untold->message.timeout_ms(), 0);
}

INSTANTIATE_TEST_SUITE_P(, InteropUnary, testing::Values(Transport::kTls, Transport::kH2c),
                         TransportName);

}  // namespace
}  // namespace cursorwire::test
