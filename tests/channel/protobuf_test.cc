#include "cursorwire/connect/protobuf.h"  // first: it compiles alone

#include <gmock/gmock.h>
#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/type.pb.h>
#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.h"
#include "support/hex.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using absl::StatusCode;
using google::protobuf::Any;
using google::protobuf::EnumValue;
using google::protobuf::StringValue;
using google::protobuf::UninterpretedOption;
using test::Exchange;
using test::FromHex;
using test::HasOrigin;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using test::TestServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

EnumValue Value(const std::string& name, int number) {
  EnumValue value;
  value.set_name(name);
  value.set_number(number);
  return value;
}

// By `protoc --encode=google.protobuf.EnumValue` of name: "a" number: 300.
const std::string kProto = FromHex("0a0161 10ac02");

TEST(EncodeMessage, WritesBothCodecs) {
  EXPECT_THAT(EncodeMessage(Value("a", 300), Codec::kProto), IsOkAndHolds(kProto));
  EXPECT_THAT(EncodeMessage(Value("a", 300), Codec::kJson),
              IsOkAndHolds(R"({"name":"a","number":300})"));
  EXPECT_THAT(EncodeMessage(EnumValue(), Codec::kProto), IsOkAndHolds(""));
  EXPECT_THAT(EncodeMessage(EnumValue(), Codec::kJson), IsOkAndHolds("{}"));
}

TEST(EncodeMessage, RefusesWhatHasNoSuchForm) {
  UninterpretedOption::NamePart part;
  part.set_name_part("secret");  // and not `is_extension`, which proto2 demands
  for (const Codec codec : {Codec::kProto, Codec::kJson}) {
    const absl::StatusOr<std::string> bytes = EncodeMessage(part, codec);
    EXPECT_THAT(bytes, StatusIs(StatusCode::kInvalidArgument,
                                AllOf(HasSubstr("NamePart"), HasSubstr("required field"))));
    EXPECT_THAT(bytes, HasOrigin(ErrorOrigin::kLocal));
  }
  Any unknown;
  unknown.set_type_url("type.googleapis.com/no.such.Message");
  unknown.set_value("secret");
  EXPECT_THAT(EncodeMessage(unknown, Codec::kProto), IsOk());
  const absl::StatusOr<std::string> json = EncodeMessage(unknown, Codec::kJson);
  EXPECT_THAT(json, StatusIs(StatusCode::kInvalidArgument,
                             AllOf(HasSubstr("JSON"), Not(HasSubstr("secret")))));
  EXPECT_THAT(json, HasOrigin(ErrorOrigin::kLocal));
}

TEST(DecodeMessage, ReadsBothCodecs) {
  const struct {
    const char* name;
    std::string bytes;
    Codec codec;
    EnumValue value;
  } kCases[] = {
      {"proto", kProto, Codec::kProto, Value("a", 300)},
      {"proto without fields", "", Codec::kProto, {}},
      {"proto with an unknown field", kProto + FromHex("f80101"), Codec::kProto, Value("a", 300)},
      {"json", R"({"number": 300, "name": "a"})", Codec::kJson, Value("a", 300)},
      {"json without fields", "{}", Codec::kJson, {}},
      {"json with unknown fields", R"({"name":"a","newer":{"x":[1,null]},"number":300})",
       Codec::kJson, Value("a", 300)},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<EnumValue> value = DecodeMessage<EnumValue>(c.bytes, c.codec);
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(value->name(), c.value.name());
    EXPECT_EQ(value->number(), c.value.number());
  }
}

TEST(DecodeMessage, BlamesThePeerAndQuotesNothing) {
  const struct {
    const char* name;
    std::string bytes;
    Codec codec;
  } kCases[] = {
      {"cut proto", kProto.substr(0, 2), Codec::kProto},
      {"a group without end", FromHex("0b") + "secret", Codec::kProto},
      {"no bytes of JSON", "", Codec::kJson},
      {"cut JSON", R"({"name":"secret")", Codec::kJson},
      {"another type", R"({"number":"secret"})", Codec::kJson},
      {"no object", R"(["secret"])", Codec::kJson},
      {"no UTF-8", "{\"name\":\"secret\xff\"", Codec::kJson},
      {"proto for JSON", kProto, Codec::kJson},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<EnumValue> value = DecodeMessage<EnumValue>(c.bytes, c.codec);
    EXPECT_THAT(value, StatusIs(StatusCode::kInternal, AllOf(HasSubstr("google.protobuf.EnumValue"),
                                                             Not(HasSubstr("secret")))));
    EXPECT_THAT(value, HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(DecodeMessage, RefusesAMissingRequiredField) {
  UninterpretedOption::NamePart part;
  part.set_name_part("a");
  EXPECT_THAT(
      DecodeMessage<UninterpretedOption::NamePart>(part.SerializePartialAsString(), Codec::kProto),
      StatusIs(StatusCode::kInternal));
  EXPECT_THAT(DecodeMessage<UninterpretedOption::NamePart>(R"({"namePart":"a"})", Codec::kJson),
              StatusIs(StatusCode::kInternal));
}

TEST(DecodeMessage, RefusesMoreBytesThanProtobufCounts) {
  // Only the size is looked at: there are no such bytes.
  const std::string_view huge(kProto.data(), size_t{1} << 31);
  EXPECT_THAT(DecodeMessage<EnumValue>(huge, Codec::kProto), StatusIs(StatusCode::kInternal));
}

test::Behaviour AnswerJson(std::string json) {
  return {.on_end = [json = std::move(json)](Exchange& exchange) {
    exchange.SendHeaders(
        {{":status", "200"}, {"content-type", "application/json"}, {"trailer-x-tail", "2"}});
    exchange.SendBody(json);
    exchange.Finish();
  }};
}

TEST(TypedUnary, CallsWithMessages) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto response =
      Unary(channel, UnaryMethod<EnumValue, EnumValue>{"/unary"}, Value("a", 300));
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message.name(), "a");
  EXPECT_EQ(response->message.number(), 300);
  EXPECT_EQ(response->headers.Get("x-head"), "1");
  EXPECT_EQ(response->trailers.Get("x-tail"), "2");
}

TEST(TypedUnary, CallsInJson) {
  std::string asked;
  const TestServer server({.routes = {{"/json", {.on_end = [&asked](Exchange& exchange) {
                                         asked = exchange.TakeBody();
                                         AnswerJson(R"({"name":"b","newer":1})").on_end(exchange);
                                       }}}}});
  const Channel channel = server.Connect();
  const auto response = Unary(channel, UnaryMethod<EnumValue, EnumValue>{"/json"}, Value("a", 300),
                              {.codec = Codec::kJson});
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(asked, R"({"name":"a","number":300})");
  EXPECT_EQ(response->message.name(), "b");
  EXPECT_EQ(response->trailers.Get("x-tail"), "2");
}

TEST(TypedUnary, TellsWhatDoesNotEncodeOrDecode) {
  const TestServer server(
      {.routes = {{"/json", AnswerJson("secret")}, {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect();
  const auto response = Unary(channel, UnaryMethod<EnumValue, EnumValue>{"/json"}, Value("a", 1),
                              {.codec = Codec::kJson});
  EXPECT_THAT(response, StatusIs(StatusCode::kInternal, Not(HasSubstr("secret"))));
  EXPECT_THAT(response, HasOrigin(ErrorOrigin::kProtocol));
  const auto unsent =
      Unary(channel, UnaryMethod<UninterpretedOption::NamePart, EnumValue>{"/unary"},
            UninterpretedOption::NamePart());
  EXPECT_THAT(unsent, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(server.stats().requests, 1);
}

TEST(TypedStream, SendsAndReceivesMessages) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream = OpenStream(channel, BidiStreamMethod<EnumValue, EnumValue>{"/echo"});
  ASSERT_THAT(stream.Send(Value("a", 1)), IsOk());
  ASSERT_THAT(stream.Send(Value("b", 2)), IsOk());
  stream.CloseSend();
  std::vector<std::string> names;
  for (const absl::StatusOr<EnumValue>& value : stream) {
    ASSERT_THAT(value, IsOk());
    names.push_back(value->name());
  }
  EXPECT_THAT(names, ElementsAre("a", "b"));
  EXPECT_EQ(stream.WaitForHead().http_status, 200);
  EXPECT_EQ(stream.trailers(), Headers());
}

TEST(TypedStream, KeepsTheStreamWhenAMessageDoesNotEncode) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream =
      OpenStream(channel, BidiStreamMethod<UninterpretedOption::NamePart, EnumValue>{"/echo"});
  EXPECT_THAT(stream.Send({}), StatusIs(StatusCode::kInvalidArgument));
  stream.CloseSend();
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(TypedStream, EndsAtAMessageThatDoesNotDecodeAndCancelsTheCall) {
  const TestServer server({.routes = {{"/broken", {.on_headers = [](Exchange& exchange) {
                                         exchange.SendMessage(kProto);
                                         exchange.SendMessage("secret");
                                         exchange.SendMessage(kProto);
                                       }}}}});
  const Channel channel = server.Connect();
  auto stream = OpenStream(channel, BidiStreamMethod<EnumValue, EnumValue>{"/broken"});
  EXPECT_THAT(stream.Next().value(), IsOk());
  const absl::StatusOr<EnumValue> broken = stream.Next().value();
  EXPECT_THAT(broken, StatusIs(StatusCode::kInternal, Not(HasSubstr("secret"))));
  EXPECT_THAT(broken, HasOrigin(ErrorOrigin::kProtocol));
  EXPECT_FALSE(stream.Next().has_value());
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.gone == 1; }));
}

TEST(TypedStream, GivesTheErrorOfTheCallLast) {
  const TestServer server(
      {.routes = {{"/fails", test::EndStreamWith(R"({"error":{"code":"aborted"}})")}}});
  const Channel channel = server.Connect();
  auto stream = OpenStream(channel, BidiStreamMethod<EnumValue, EnumValue>{"/fails"});
  EXPECT_THAT(stream.Next().value(), StatusIs(StatusCode::kAborted));
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(TypedStream, ClosesAndReceivesOneMessage) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream = OpenStream(channel, BidiStreamMethod<EnumValue, EnumValue>{"/echo"});
  ASSERT_THAT(stream.Send(Value("a", 1)), IsOk());
  const auto response = stream.CloseAndReceive();
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message.name(), "a");
  EXPECT_EQ(response->headers.Get(":status"), "200");
}

TEST(OpenServerStream, SendsTheOneRequest) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream =
      OpenStream(channel, ServerStreamMethod<EnumValue, EnumValue>{"/echo"}, Value("a", 1));
  ASSERT_THAT(stream, IsOk());
  std::vector<std::string> names;
  for (const absl::StatusOr<EnumValue>& value : *stream) {
    ASSERT_THAT(value, IsOk());
    names.push_back(value->name());
  }
  EXPECT_THAT(names, ElementsAre("a"));
}

TEST(OpenServerStream, RefusesWhatCannotBeSentAndTellsALostCallByNext) {
  const TestServer server;
  const Channel channel = server.Connect();
  EXPECT_THAT(OpenStream(channel, ServerStreamMethod<EnumValue, EnumValue>{"/echo"},
                         Value("long", 1), {.max_send_bytes = 3})
                  .status(),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(
      OpenStream(channel, ServerStreamMethod<UninterpretedOption::NamePart, EnumValue>{"/echo"},
                 UninterpretedOption::NamePart())
          .status(),
      StatusIs(StatusCode::kInvalidArgument));
  const absl::StatusOr<Channel> nowhere = Channel::Create(test::RefusedUrl());
  auto stream =
      OpenStream(*nowhere, ServerStreamMethod<EnumValue, EnumValue>{"/echo"}, Value("a", 1));
  ASSERT_THAT(stream, IsOk());
  EXPECT_THAT(stream->Next().value(), StatusIs(StatusCode::kUnavailable));
  EXPECT_FALSE(stream->Next().has_value());
}

TEST(GetErrorDetail, FindsTheFirstOfItsType) {
  StringValue first;
  first.set_value("first");
  StringValue second;
  second.set_value("second");
  absl::Status status = absl::AbortedError("m");
  EXPECT_FALSE(GetErrorDetail<StringValue>(status).has_value());
  SetErrorInfo(status, {.details = {
                            {"google.protobuf.EnumValue", kProto, ""},
                            {"google.protobuf.StringValue", "\x0a\x7f is cut", ""},
                            {"google.protobuf.StringValue", first.SerializeAsString(), ""},
                            {"google.protobuf.StringValue", second.SerializeAsString(), ""},
                        }});
  EXPECT_EQ(GetErrorDetail<StringValue>(status)->value(), "first");
  EXPECT_EQ(GetErrorDetail<EnumValue>(status)->name(), "a");
  EXPECT_FALSE(GetErrorDetail<Any>(status).has_value());
  EXPECT_FALSE(GetErrorDetail<StringValue>(absl::OkStatus()).has_value());
}

}  // namespace
}  // namespace cursorwire::connect
