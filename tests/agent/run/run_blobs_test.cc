#include "cursorwire/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "agent/run/end_statuses.h"
#include "agent/run/run_host.h"
#include "agent/v1/run.pb.h"
#include "base/sha256.h"
#include "cursorwire/blob_store.h"
#include "support/call_log.h"
#include "support/hex.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;
using test::FromText;
using test::Golden;
using test::Host;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(Run, HandsOutTheBlobsThatTheRequestNames) {
  Host host;
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(Sha256(kSystemMessage));
  EXPECT_THAT(host.ServerBytes(get.SerializeAsString()).outputs,
              ElementsAre(Golden("agent_get_blob_found.hex")));
}

TEST(Run, AnswersAnUnknownBlobWithoutDataAndSaysOnceThatTheStateIsLost) {
  Host host;
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->set_id(7);
  bool first = true;
  for (const std::string& id : {Sha256("never set"), std::string("x"), std::string()}) {
    get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(id);
    const Host::Taken taken = host.ServerBytes(get.SerializeAsString());
    EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_get_blob_missing.hex")));
    if (std::exchange(first, false)) {
      EXPECT_THAT(taken.events, ElementsAre("state lost"));
    } else {
      EXPECT_THAT(taken.events, IsEmpty());
    }
  }
}

// The user's own are not bounded: rules become JSON, which may be six times as long.
TEST(Run, EndsWhenABlobIsTooLargeToBeSent) {
  const auto blobs = std::make_shared<MemoryBlobStore>();
  pb::AgentServerMessage message;
  message.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
      blobs->Put(std::string(size_t{64} << 20, 'x')));
  Host host({.prompt = "p"}, {}, {.blobs = blobs});
  EXPECT_THAT(host.ServerBytes(message.SerializeAsString()).outputs, ElementsAre("<cancel>"));
  EXPECT_THAT(host.Result(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too large")));
}

TEST(Run, SharesItsBlobsWithOtherTurns) {
  const auto blobs = std::make_shared<MemoryBlobStore>();
  {
    Host host({.prompt = "p"}, {}, {.blobs = blobs});
    pb::AgentServerMessage set;
    pb::SetBlobArgs& args = *set.mutable_kv_server_message()->mutable_set_blob_args();
    args.set_blob_id(Sha256("kept"));
    args.set_blob_data("kept");
    host.ServerBytes(set.SerializeAsString());
  }
  Host next({.prompt = "p"}, {}, {.blobs = blobs});
  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(Sha256("kept"));
  const Host::Taken taken = next.ServerBytes(get.SerializeAsString());
  EXPECT_THAT(taken.events, IsEmpty());
  pb::AgentClientMessage answer;
  ASSERT_TRUE(answer.ParseFromString(taken.outputs.at(0)));
  EXPECT_EQ(answer.kv_client_message().get_blob_result().blob_data(), "kept");
}

// docs/protocol.md, traps, 11.
TEST(Run, KeepsTheBlobsOfItsStateWhateverTheServerStores) {
  const auto blobs = std::make_shared<MemoryBlobStore>(BlobLimits{.total_bytes = 20'000});
  pb::ConversationStateStructure state;
  state.add_root_prompt_messages_json(blobs->Put("needed"));
  Host host({.prompt = "p"}, {}, {.id = "c", .state = state.SerializeAsString(), .blobs = blobs});
  std::string last;
  for (int i = 0; i < 100; ++i) {
    last = std::string(1000, 'x') + std::to_string(i);
    pb::AgentServerMessage set;
    pb::SetBlobArgs& args = *set.mutable_kv_server_message()->mutable_set_blob_args();
    args.set_blob_id(Sha256(last));
    args.set_blob_data(last);
    host.ServerBytes(set.SerializeAsString());
  }
  EXPECT_TRUE(blobs->Contains(Sha256("needed")));
  EXPECT_TRUE(blobs->Contains(Sha256(last)));
  EXPECT_FALSE(blobs->Contains(Sha256(std::string(1000, 'x') + "0")));
}

TEST(Run, KeepsABlobOfTheServer) {
  Host host;
  pb::AgentServerMessage set;
  set.mutable_kv_server_message()->set_id(300);
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_id(Sha256("blob"));
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_data("blob");
  EXPECT_THAT(host.ServerBytes(set.SerializeAsString()).outputs,
              ElementsAre(Golden("agent_set_blob_ok.hex")));

  pb::AgentServerMessage get;
  get.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(Sha256("blob"));
  const Host::Taken taken = host.ServerBytes(get.SerializeAsString());
  ASSERT_THAT(taken.outputs, SizeIs(1));
  EXPECT_EQ(taken.outputs[0],
            FromText<pb::AgentClientMessage>(
                R"(kv_client_message { id: 0 get_blob_result { blob_data: "blob" } })")
                .SerializeAsString());
}

TEST(Run, RefusesABlobThatDoesNotMatchItsId) {
  Host host;
  pb::AgentServerMessage set;
  set.mutable_kv_server_message()->set_id(4);
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_id(Sha256("blob"));
  set.mutable_kv_server_message()->mutable_set_blob_args()->set_blob_data("blob!");
  const Host::Taken taken = host.ServerBytes(set.SerializeAsString());
  EXPECT_THAT(taken.outputs, ElementsAre(Golden("agent_set_blob_wrong_id.hex")));
  // The run goes on.
  EXPECT_THAT(taken.events, IsEmpty());
  EXPECT_FALSE(host.run().finished());
}

}  // namespace
}  // namespace cursorwire
