#include "otel/call_name.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::otel {
namespace {

using connect::CallKind;
using connect::CallRecord;

CallPurpose PurposeOf(const std::string& path, CallKind kind = CallKind::kStreaming) {
  const CallRecord record{.path = path, .kind = kind};
  return NameOf(record).purpose;
}

TEST(CallName, IsTakenFromThePath) {
  const CallRecord record{.path = "/a.v1.B/C?message=secret", .kind = CallKind::kUnary};
  const CallName name = NameOf(record);
  EXPECT_EQ(name.purpose, CallPurpose::kRpc);
  EXPECT_EQ(name.method_path, "a.v1.B/C");
  EXPECT_EQ(name.service, "a.v1.B");
  EXPECT_EQ(name.method, "C");
}

TEST(CallName, KnowsTurns) {
  EXPECT_EQ(PurposeOf("/agent.v1.AgentService/Run"), CallPurpose::kTurn);
  EXPECT_EQ(PurposeOf("/agent.v1.AgentService/RunSSE"), CallPurpose::kRpc);
}

TEST(CallName, HasNoPathThatIsNoMethod) {
  EXPECT_EQ(PurposeOf("/a.B/C", CallKind::kRaw), CallPurpose::kHttp);
  for (const std::string path : {"", "/", "/a", "/a/", "//a", "/a/b/c", "/a.B/se-cret", "/a b/c"}) {
    EXPECT_EQ(PurposeOf(path), CallPurpose::kHttp) << path;
  }
  EXPECT_EQ(PurposeOf("/a.B/" + std::string(252, 'c')), CallPurpose::kRpc);
  EXPECT_EQ(PurposeOf("/a.B/" + std::string(253, 'c')), CallPurpose::kHttp);
}

}  // namespace
}  // namespace cursorwire::otel
