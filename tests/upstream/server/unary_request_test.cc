#include "upstream/server/unary_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/for_each_split.h"
#include "upstream/server/violations.h"

namespace cursorwire::upstream {
namespace {

using test::ForEachSplit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

}  // namespace
}  // namespace cursorwire::upstream
