#include "crdt/yjs/sync_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "crdt/yjs/support/damage.h"
#include "crdt/yjs/support/yjs_goldens.h"
#include "crdt/yjs/update.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::yjs {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOk;
using test::StatusIs;

TEST(YjsSyncMessage, IsWrittenAsItWasRead) {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  for (const auto& [name, kind] : {std::pair("sync_step_1_empty", SyncKind::kStep1),
                                   {"sync_step_1", SyncKind::kStep1},
                                   {"sync_step_2", SyncKind::kStep2},
                                   {"sync_update", SyncKind::kUpdate}}) {
    SCOPED_TRACE(name);
    const std::string bytes = goldens.Message(name);
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(bytes);
    ASSERT_THAT(message, IsOk());
    EXPECT_EQ(message->kind, kind);
    EXPECT_EQ(WriteSyncMessage(*message), bytes);
    if (kind == SyncKind::kStep1) {
      EXPECT_THAT(ReadStateVector(message->payload), IsOk());
    } else {
      EXPECT_THAT(ReadUpdate(message->payload), IsOk());
    }
  }
}

TEST(YjsSyncMessage, IsWritten) {
  EXPECT_EQ(WriteSyncMessage({.kind = SyncKind::kStep1, .payload = WriteStateVector({})}),
            FromHex("00 01 00"));
  EXPECT_EQ(WriteSyncMessage({.kind = SyncKind::kStep2, .payload = WriteUpdate({})}),
            FromHex("01 02 00 00"));
}

TEST(YjsSyncMessage, RefusesEveryCut) {
  for (const auto& [name, bytes] : test::ReadYjsGoldens().messages) {
    if (!name.starts_with("sync")) continue;
    test::CutAtEachByte(bytes, [](const std::string& cut) {
      EXPECT_THAT(ReadSyncMessage(cut), StatusIs(StatusCode::kInvalidArgument));
    });
  }
}

TEST(YjsSyncMessage, WithAnyByteChangedIsRefusedOrWrittenAsRead) {
  const std::string bytes = test::ReadYjsGoldens().Message("sync_update");
  test::ChangeEachByte(bytes, [](const std::string& changed) {
    const absl::StatusOr<SyncMessage> message = ReadSyncMessage(changed);
    if (message.ok()) {
      EXPECT_EQ(WriteSyncMessage(*message), changed);
    }
  });
}

TEST(YjsSyncMessage, RefusesWhatDoesNotFollowTheFormat) {
  EXPECT_THAT(ReadSyncMessage(FromHex("03 01 00")),
              StatusIs(StatusCode::kInvalidArgument, testing::HasSubstr("kind 3")));
  EXPECT_THAT(ReadSyncMessage(FromHex("00 01 00 00")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadSyncMessage(FromHex("00 8080808080808002 00")),
              StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::yjs
