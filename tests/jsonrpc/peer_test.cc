#include "cursorwire/jsonrpc/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>

#include "support/status_matchers.h"

namespace cursorwire::jsonrpc {
namespace {

using test::StatusIs;

template <typename T>
T TakeEvent(Peer& peer) {
  const std::optional<PeerEvent> event = peer.Next();
  if (event && std::holds_alternative<T>(*event)) return std::get<T>(*event);
  ADD_FAILURE() << "no such event";
  return {};
}

TEST(Peer, GivesRequestsAsTextAndAnswersThem) {
  Peer peer;
  peer.Receive(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":[1]}})"
               "\n");
  const auto request = TakeEvent<PeerRequest>(peer);
  EXPECT_EQ(request.method, "m");
  EXPECT_EQ(request.params_json, R"({"x":[1]})");
  EXPECT_FALSE(peer.Next());
  peer.Respond(request.id_json, R"({"ok":true})");
  EXPECT_EQ(peer.TakeOutput(), R"({"id":"a","jsonrpc":"2.0","result":{"ok":true}})"
                               "\n");
  EXPECT_EQ(peer.output_bytes(), 0);
}

TEST(Peer, EchoesEveryKindOfId) {
  for (const std::string id : {"1", "-7", "2.5", "null", R"("x")", "18446744073709551615"}) {
    SCOPED_TRACE(id);
    Peer peer;
    peer.Receive(R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}\n");
    const auto request = TakeEvent<PeerRequest>(peer);
    EXPECT_EQ(request.params_json, "");
    peer.Respond(request.id_json, "1");
    EXPECT_EQ(peer.TakeOutput(), R"({"id":)" + id + R"(,"jsonrpc":"2.0","result":1})" + "\n");
  }
}

TEST(Peer, RefusesIdsThatItCouldNotSendBack) {
  Peer peer;
  for (const std::string id : {"12345678901234567890123", "18446744073709551616",
                               "-9223372036854775809", "1e300", "-1e17"}) {
    SCOPED_TRACE(id);
    peer.Receive(R"({"jsonrpc":"2.0","method":"m","id":)" + id + "}\n");
    EXPECT_FALSE(peer.Next());
    const std::string answer = peer.TakeOutput();
    EXPECT_THAT(answer, ::testing::HasSubstr("-32600"));
    EXPECT_THAT(answer, ::testing::HasSubstr("its id does not fit in 64 bits"));
    EXPECT_THAT(answer, ::testing::HasSubstr(R"("id":null)"));
  }
}

TEST(Peer, AnswersWithErrorsAndTheirData) {
  Peer peer;
  peer.Receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n");
  peer.Respond(TakeEvent<PeerRequest>(peer).id_json,
               PeerError{.code = -32000, .message = "no", .data_json = "[1]"});
  EXPECT_EQ(peer.TakeOutput(),
            R"({"error":{"code":-32000,"data":[1],"message":"no"},"id":1,"jsonrpc":"2.0"})"
            "\n");
}

TEST(Peer, AnAnswerThatIsNoJsonBecomesAnError) {
  Peer peer;
  peer.Receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}\n");
  peer.Respond(TakeEvent<PeerRequest>(peer).id_json, "{");
  EXPECT_THAT(peer.TakeOutput(), ::testing::HasSubstr("-32603"));
}

TEST(Peer, CallsAndHearsTheAnswer) {
  Peer peer;
  const auto id = peer.Call("ask", R"({"q":1})");
  ASSERT_TRUE(id.ok());
  EXPECT_EQ(peer.TakeOutput(), R"({"id":1,"jsonrpc":"2.0","method":"ask","params":{"q":1}})"
                               "\n");
  peer.Receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":2}}\n");
  const auto answer = TakeEvent<PeerAnswer>(peer);
  EXPECT_EQ(answer.request_id, *id);
  EXPECT_EQ(std::get<std::string>(answer.outcome), R"({"a":2})");
  peer.Receive("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
  EXPECT_FALSE(peer.Next()) << "a second answer";
}

TEST(Peer, GivesRequestsUpInBothDirections) {
  Peer peer({.cancel_method = "$/cancel_request"});
  ASSERT_TRUE(peer.Call("ask", "{}").ok());
  peer.TakeOutput();
  EXPECT_TRUE(peer.Cancel(1));
  EXPECT_FALSE(peer.Cancel(1));
  EXPECT_THAT(peer.TakeOutput(), ::testing::HasSubstr(R"("requestId":1)"));
  peer.Receive(
      "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\"}\n"
      "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancel_request\",\"params\":{\"requestId\":\"a\"}}\n");
  EXPECT_EQ(TakeEvent<PeerRequest>(peer).id_json, R"("a")");
  EXPECT_EQ(TakeEvent<PeerCancellation>(peer).id_json, R"("a")");
}

TEST(Peer, RefusesWhatItCannotSend) {
  Peer peer({.max_sent_line_bytes = 100, .max_open_requests = 1});
  EXPECT_THAT(peer.Notify("n", "no json"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(peer.Notify("n", "[\"" + std::string(100, 'x') + "\"]"),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(peer.Call("m", "").ok());
  EXPECT_THAT(peer.Call("m", ""), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(Peer, AnswersLinesThatAreNoMessages) {
  Peer peer({.max_line_bytes = 60});
  peer.Receive("no\n[]\n" + std::string(100, 'x') + "\n{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n");
  EXPECT_EQ(TakeEvent<PeerNotification>(peer).method, "n");
  const std::string output = peer.TakeOutput();
  EXPECT_THAT(output, ::testing::HasSubstr("-32700"));
  EXPECT_THAT(output, ::testing::HasSubstr("-32600"));
  EXPECT_THAT(output, ::testing::HasSubstr("longer than 60 bytes"));
}

TEST(Peer, TellsOfComplaints) {
  Peer peer;
  peer.Receive(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}})"
               "\n");
  EXPECT_EQ(TakeEvent<PeerComplaint>(peer).error.message, "what?");
}

}  // namespace
}  // namespace cursorwire::jsonrpc
