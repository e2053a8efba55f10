#include "cursorwire/connect/protobuf_coroutine.h"  // first: it compiles alone

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/type.pb.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/errors.h"
#include "support/task.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using absl::StatusCode;
using google::protobuf::EnumValue;
using google::protobuf::UninterpretedOption;
using test::Exchange;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using test::Task;
using test::TestServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using NamePart = UninterpretedOption::NamePart;  // proto2, with a required field
using EnumStream = TypedAsyncStream<EnumValue, EnumValue>;

constexpr UnaryMethod<EnumValue, EnumValue> kUnary{"/unary"};
constexpr BidiStreamMethod<EnumValue, EnumValue> kEcho{"/echo"};
constexpr BidiStreamMethod<EnumValue, EnumValue> kBroken{"/broken"};
constexpr BidiStreamMethod<EnumValue, EnumValue> kNever{"/never"};

EnumValue Named(const std::string& name) {
  EnumValue value;
  value.set_name(name);
  return value;
}

// The names that a stream gives, up to and with the error and nullopt.
Task<std::vector<std::string>> NamesOf(EnumStream& stream) {
  std::vector<std::string> names;
  while (auto next = co_await stream.Next()) {
    names.push_back(next->ok() ? (*next)->name() : absl::StatusCodeToString(next->status().code()));
  }
  names.emplace_back("end");
  co_return names;
}

TEST(TypedAsyncUnary, CallsWithMessages) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto call = [&channel]() -> Task<absl::StatusOr<TypedResponse<EnumValue>>> {
    co_return co_await AsyncUnary(channel, kUnary, Named("a"));
  };
  const auto response = call().Get();
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message.name(), "a");
  EXPECT_EQ(response->headers.Get("x-head"), "1");
  EXPECT_EQ(response->trailers.Get("x-tail"), "2");
}

TEST(TypedAsyncUnary, TellsWhatDoesNotEncodeOrDecode) {
  const TestServer server(
      {.routes = {
           {"/unary", {.on_end = [](Exchange& exchange) {
              exchange.SendHeaders({{":status", "200"}, {"content-type", "application/json"}});
              exchange.SendBody("secret");
              exchange.Finish();
            }}}}});
  const Channel channel = server.Connect();
  const auto unsent = [&channel]() -> Task<absl::StatusOr<TypedResponse<EnumValue>>> {
    auto call = AsyncUnary(channel, UnaryMethod<NamePart, EnumValue>{"/unary"}, NamePart());
    call.Cancel();
    co_return co_await call;
  };
  EXPECT_THAT(unsent().Get(), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(server.stats().requests, 0);
  const auto broken = [&channel]() -> Task<absl::StatusOr<TypedResponse<EnumValue>>> {
    co_return co_await AsyncUnary(channel, kUnary, Named("a"), {.codec = Codec::kJson});
  };
  const auto response = broken().Get();
  EXPECT_THAT(response, StatusIs(StatusCode::kInternal, Not(HasSubstr("secret"))));
  EXPECT_THAT(response, HasOrigin(ErrorOrigin::kProtocol));
}

TEST(TypedAsyncUnary, CancelEndsIt) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto call = [&channel]() -> Task<absl::StatusOr<TypedResponse<EnumValue>>> {
    auto never = AsyncUnary(channel, UnaryMethod<EnumValue, EnumValue>{"/never"}, Named("a"));
    never.Cancel();
    co_return co_await never;
  };
  EXPECT_THAT(call().Get(), StatusIs(StatusCode::kCancelled));
}

TEST(TypedAsyncStream, SendsAndReceivesMessages) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto talk = [](EnumStream& stream) -> Task<absl::Status> {
    for (const char* name : {"a", "b"}) {
      if (absl::Status sent = co_await stream.Send(Named(name)); !sent.ok()) co_return sent;
    }
    stream.CloseSend();
    const auto head = co_await stream.WaitForHead();
    co_return head.ok() && head->http_status == 200 ? absl::OkStatus() : head.status();
  };
  auto stream = OpenAsyncStream(channel, kEcho);
  EXPECT_THAT(talk(stream).Get(), IsOk());
  EXPECT_THAT(NamesOf(stream).Get(), ElementsAre("a", "b", "end"));
  EXPECT_EQ(stream.trailers(), Headers());
}

TEST(TypedAsyncStream, KeepsTheStreamWhenAMessageDoesNotEncode) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream = OpenAsyncStream(channel, BidiStreamMethod<NamePart, EnumValue>{"/echo"});
  const auto send = [&stream]() -> Task<absl::Status> { co_return co_await stream.Send({}); };
  EXPECT_THAT(send().Get(), StatusIs(StatusCode::kInvalidArgument));
  stream.CloseSend();
  const auto ends = [&stream]() -> Task<bool> { co_return !(co_await stream.Next()).has_value(); };
  EXPECT_TRUE(ends().Get());
}

TEST(TypedAsyncStream, EndsAtAMessageThatDoesNotDecodeAndCancelsTheCall) {
  const TestServer server({.routes = {{"/broken", {.on_headers = [](Exchange& exchange) {
                                         exchange.SendMessage("\x0A\x01m");
                                         exchange.SendMessage("secret");
                                         exchange.SendMessage("\x0A\x01n");
                                       }}}}});
  const Channel channel = server.Connect();
  auto stream = OpenAsyncStream(channel, kBroken);
  EXPECT_THAT(NamesOf(stream).Get(), ElementsAre("m", "INTERNAL", "end"));
  EXPECT_THAT(NamesOf(stream).Get(), ElementsAre("end"));
  EXPECT_TRUE(server.Await(test::Gone(1)));
}

TEST(TypedAsyncStream, DestroyingItEndsTheCoroutineThatWaits) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto next = [](EnumStream& of) -> Task<absl::Status> {
    auto message = of.Next();
    const auto element = co_await message;
    co_return element ? element->status() : absl::OkStatus();
  };
  std::optional<EnumStream> stream(OpenAsyncStream(channel, kNever));
  Task<absl::Status> waits = next(*stream);
  ASSERT_TRUE(server.Await(test::Requests(1)));
  stream.reset();
  EXPECT_THAT(waits.Get(), StatusIs(StatusCode::kCancelled));
}

TEST(TypedAsyncStream, MayBeMovedWhileACoroutineWaits) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto stream = OpenAsyncStream(channel, kEcho);
  const auto next = [](EnumStream& of) -> Task<std::string> {
    auto message = of.Next();
    const auto element = co_await message;
    co_return element && element->ok() ? (*element)->name() : "none";
  };
  Task<std::string> waits = next(stream);
  EnumStream moved = std::move(stream);
  const auto send = [&moved]() -> Task<absl::Status> { co_return co_await moved.Send(Named("a")); };
  EXPECT_THAT(send().Get(), IsOk());
  EXPECT_EQ(waits.Get(), "a");
  moved = OpenAsyncStream(channel, kNever);
  EXPECT_TRUE(server.Await(test::Gone(1)));
}

TEST(OpenAsyncStream, TakesEachKindOfMethod) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto responses =
      OpenAsyncStream(channel, ServerStreamMethod<EnumValue, EnumValue>{"/echo"}, Named("a"));
  ASSERT_THAT(responses, IsOk());
  EXPECT_THAT(NamesOf(*responses).Get(), ElementsAre("a", "end"));
  auto requests = OpenAsyncStream(channel, ClientStreamMethod<EnumValue, EnumValue>{"/echo"});
  const auto send = [&requests]() -> Task<absl::Status> {
    co_return co_await requests.Send(Named("b"));
  };
  EXPECT_THAT(send().Get(), IsOk());
  requests.CloseSend();
  EXPECT_THAT(NamesOf(requests).Get(), ElementsAre("b", "end"));
}

TEST(OpenAsyncStream, RefusesARequestThatCannotBeSent) {
  const TestServer server;
  const Channel channel = server.Connect();
  EXPECT_THAT(
      OpenAsyncStream(channel, ServerStreamMethod<NamePart, EnumValue>{"/echo"}, NamePart()),
      StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(OpenAsyncStream(channel, ServerStreamMethod<EnumValue, EnumValue>{"/echo"},
                              Named("too long"), {.max_send_bytes = 3}),
              StatusIs(StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace cursorwire::connect
