#include "collab/oct/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "collab/oct/msgpack.h"
#include "collab/oct/oct_goldens.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::oct {
namespace {

using absl::StatusCode;
using nlohmann::json;
using test::FromHex;
using test::IsOk;
using test::IsOkAndHolds;
using test::JsonOf;
using test::StatusIs;
using ::testing::HasSubstr;

// A message as its sender writes it: JSON, in which {"$bytes": text} is a byte string.
std::string PackedMessage(std::string_view text) {
  json message = json::parse(text);
  json& content = message["content"];
  if (content.is_object() && content.contains("$bytes")) {
    const auto bytes = content["$bytes"].get<std::string>();
    content = json::binary(json::binary_t::container_type(bytes.begin(), bytes.end()));
  }
  return WriteMsgpack(message);
}

const json& ClearContentOf(const Envelope& envelope) { return std::get<json>(envelope.content); }

TEST(Msgpack, ReadsEachForm) {
  struct Case {
    std::string_view hex;
    std::string_view json;
  };
  for (const Case& c : {
           Case{.hex = "c0", .json = "null"},
           Case{.hex = "c2", .json = "false"},
           Case{.hex = "c3", .json = "true"},
           Case{.hex = "7f", .json = "127"},
           Case{.hex = "e0", .json = "-32"},
           Case{.hex = "cc ff", .json = "255"},
           Case{.hex = "cd 0100", .json = "256"},
           Case{.hex = "ce 00010000", .json = "65536"},
           Case{.hex = "cf ffffffffffffffff", .json = "18446744073709551615"},
           Case{.hex = "d0 80", .json = "-128"},
           Case{.hex = "d1 8000", .json = "-32768"},
           Case{.hex = "d2 80000000", .json = "-2147483648"},
           Case{.hex = "d3 8000000000000000", .json = "-9223372036854775808"},
           Case{.hex = "ca 3fc00000", .json = "1.5"},
           Case{.hex = "cb 4202a05f20000000", .json = "10000000000.0"},
           Case{.hex = "a1 61", .json = R"("a")"},
           Case{.hex = "d9 01 61", .json = R"("a")"},
           Case{.hex = "da 0001 61", .json = R"("a")"},
           Case{.hex = "db 00000001 61", .json = R"("a")"},
           Case{.hex = "c4 01 ff", .json = R"({"$hex":"ff"})"},
           Case{.hex = "c5 0001 ff", .json = R"({"$hex":"ff"})"},
           Case{.hex = "c6 00000001 ff", .json = R"({"$hex":"ff"})"},
           Case{.hex = "92 01 02", .json = "[1,2]"},
           Case{.hex = "dc 0001 01", .json = "[1]"},
           Case{.hex = "dd 00000001 01", .json = "[1]"},
           Case{.hex = "81 a1 61 90", .json = R"({"a":[]})"},
           Case{.hex = "de 0001 a1 61 80", .json = R"({"a":{}})"},
           Case{.hex = "df 00000001 a1 61 01", .json = R"({"a":1})"},
       }) {
    SCOPED_TRACE(c.hex);
    const absl::StatusOr<json> value = ReadMsgpack(FromHex(c.hex));
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(JsonOf(*value), c.json);
  }
}

TEST(Msgpack, ReadsUndefinedAndOtherExtensionsAsNull) {
  for (const std::string_view hex :
       {"d40000", "d5 01 0000", "d6 ff 00000000", "d7 01 0000000000000000",
        "d8 01 00000000000000000000000000000000", "c7 01 05 00", "c8 0001 05 00",
        "c9 00000001 05 00", "c7 00 05"}) {
    SCOPED_TRACE(hex);
    EXPECT_THAT(ReadMsgpack(FromHex(hex)), IsOkAndHolds(json(nullptr)));
  }
  const absl::StatusOr<json> list = ReadMsgpack(FromHex("93 01 d40000 02"));
  ASSERT_THAT(list, IsOk());
  EXPECT_EQ(list->dump(), "[1,null,2]");
}

TEST(Msgpack, RefusesWhatIsBroken) {
  for (const std::string_view hex : {"",
                                     "c1",
                                     "a2 61",
                                     "c4",
                                     "c4 05 00",
                                     "92 01",
                                     "81 a1 61",
                                     "81 01 01",
                                     "81 c4 01 61 01",
                                     "01 01",
                                     "ce 0000",
                                     "d4 00",
                                     "df ffffffff",
                                     "dd ffffffff",
                                     "db ffffffff 61",
                                     "c6 ffffffff 00",
                                     "a1 ff",
                                     "81 a1 ff 01",
                                     "a2 c0 80",
                                     "a3 ed a0 80",
                                     "81"}) {
    SCOPED_TRACE(hex);
    EXPECT_THAT(ReadMsgpack(FromHex(hex)), StatusIs(StatusCode::kInvalidArgument));
  }
}

TEST(Msgpack, LetsTheLastOfTwoMembersCount) {
  const absl::StatusOr<json> value = ReadMsgpack(FromHex("83 a161 91 05 a162 01 a161 81 a163 02"));
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->dump(), R"({"a":{"c":2},"b":1})");
}

TEST(Msgpack, BoundsDepth) {
  std::string deepest(kMaxMsgpackDepth - 1, '\x91');
  EXPECT_THAT(ReadMsgpack(deepest + '\x90'), IsOk());
  EXPECT_THAT(ReadMsgpack(deepest + "\x91\x01"), IsOk());
  EXPECT_THAT(ReadMsgpack(deepest + "\x91\x90"), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(ReadMsgpack(std::string(1000000, '\x91')), StatusIs(StatusCode::kResourceExhausted));
  std::string maps;
  for (int i = 0; i < 1000; ++i) maps += "\x81\xa1x";
  EXPECT_THAT(ReadMsgpack(maps), StatusIs(StatusCode::kResourceExhausted));
}

TEST(Msgpack, BoundsTheNumberOfValues) {
  const std::string head = FromHex("dd 0001869f");  // 99,999 elements
  EXPECT_THAT(ReadMsgpack(head + std::string(99999, '\x01')), IsOk());
  EXPECT_THAT(ReadMsgpack(FromHex("dd 000186a0") + std::string(100000, '\x01')),
              StatusIs(StatusCode::kResourceExhausted));
  std::string map = FromHex("df 0000c350");  // 50,000 members: with their names too many
  for (int i = 0; i < 50000; ++i) map += "\xa1x\x01";
  EXPECT_THAT(ReadMsgpack(map), StatusIs(StatusCode::kResourceExhausted));
}

TEST(Msgpack, WritesWhatJavaScriptReadsAsNumbers) {
  const auto hex = [](const json& value) {
    const std::string bytes = WriteMsgpack(value);
    return JsonOf(json::binary(json::binary_t::container_type(bytes.begin(), bytes.end())));
  };
  EXPECT_EQ(hex(7), R"({"$hex":"07"})");
  EXPECT_EQ(hex(4294967295U), R"({"$hex":"ceffffffff"})");
  EXPECT_EQ(hex(-2147483648LL), R"({"$hex":"d280000000"})");
  // As floats, which are exact here.
  EXPECT_EQ(hex(4294967296), R"({"$hex":"ca4f800000"})");
  EXPECT_EQ(hex(4294967297), R"({"$hex":"cb41f0000000100000"})");
  EXPECT_EQ(hex(-2147483649LL), R"({"$hex":"cbc1e0000000200000"})");
  EXPECT_EQ(hex({{"a", {1099511627777}}}), R"({"$hex":"81a16191cb4270000000001000"})");
}

// The recorded peers write maps with a length of 16 bits, map16, also for one member.
TEST(Envelope, ReadsTheRecordedMessagesOfMap16) {
  const test::OctGoldens goldens = test::ReadOctGoldens();
  size_t encrypted = 0;
  for (const test::OctGoldenFrame& frame : goldens.frames) {
    if (frame.is_text) continue;
    ASSERT_EQ(frame.bytes[0], '\xde');
    const absl::StatusOr<Envelope> read = ReadEnvelope(frame.bytes);
    ASSERT_THAT(read, IsOk());
    const Envelope& envelope = *read;
    EXPECT_EQ(envelope.version, kProtocolVersion);
    EXPECT_THAT(ReadEnvelope(WriteEnvelope(envelope)), IsOkAndHolds(envelope));
    if (frame.json.empty()) {
      EXPECT_EQ(envelope.kind, EnvelopeKind::kNotification);
      EXPECT_EQ(envelope.compression, kNoCompression);
      EXPECT_TRUE(envelope.keys.empty());
      EXPECT_EQ(ClearContentOf(envelope)["method"],
                frame.is_from_server ? "peer/info" : "room/leave");
      continue;
    }
    ++encrypted;
    EXPECT_TRUE(std::holds_alternative<EncryptedContent>(envelope.content));
    EXPECT_EQ(envelope.compression, kGzipCompression);
    EXPECT_EQ(envelope.origin, frame.is_from_server ? goldens.host : "");
    ASSERT_EQ(envelope.keys.size(), 1u);
    EXPECT_EQ(envelope.keys[0].target, frame.is_from_server ? goldens.guest : goldens.host);
    const bool is_to_one = envelope.kind == EnvelopeKind::kNotification;
    EXPECT_EQ(envelope.target, is_to_one ? envelope.keys[0].target : "");
  }
  EXPECT_EQ(encrypted, 13u);
}

TEST(Envelope, WritesAndReadsEachKind) {
  const std::vector<KeyEntry> keys = {{.target = "a", .key = "a2V5", .iv = "aXY="},
                                      {.target = "b", .key = "a2V6", .iv = "aXY="}};
  for (const EnvelopeKind kind :
       {EnvelopeKind::kRequest, EnvelopeKind::kResponse, EnvelopeKind::kResponseError,
        EnvelopeKind::kNotification, EnvelopeKind::kBroadcast, EnvelopeKind::kError}) {
    Envelope envelope{.kind = kind, .keys = keys};
    if (HasId(kind)) envelope.id = int64_t{1} << 40;
    if (HasOrigin(kind)) envelope.origin = "o";
    if (HasTarget(kind)) envelope.target = "t";
    envelope.content = json{{"method", "m"}, {"params", {1, "two", nullptr}}};
    EXPECT_THAT(ReadEnvelope(WriteEnvelope(envelope)), IsOkAndHolds(envelope));
    envelope.content = EncryptedContent{.bytes = std::string("\0\xff", 2)};
    envelope.keys.clear();
    if (HasId(kind)) envelope.id = "id";
    EXPECT_THAT(ReadEnvelope(WriteEnvelope(envelope)), IsOkAndHolds(envelope));
  }
  EXPECT_EQ(WriteEnvelope({}), "");
}

TEST(Envelope, WritesTheMembersThatPeersLookFor) {
  const Envelope envelope{.kind = EnvelopeKind::kNotification,
                          .content = json{{"method", "room/leave"}, {"params", json::array()}}};
  const absl::StatusOr<json> message = ReadMsgpack(WriteEnvelope(envelope));
  ASSERT_THAT(message, IsOk());
  EXPECT_EQ(message->dump(),
            R"({"content":{"method":"room/leave","params":[]},"kind":"notification",)"
            R"("metadata":{"compression":{"algorithm":"none"},"encryption":{"keys":[]}},)"
            R"("origin":"","target":"","version":"0.3.1"})");
}

TEST(Envelope, KeepsBinaryParameters) {
  const json content = {{"method", "sync/dataUpdate"}, {"params", {json::binary({1, 2, 255})}}};
  const absl::StatusOr<Envelope> read =
      ReadEnvelope(WriteEnvelope({.kind = EnvelopeKind::kBroadcast, .content = content}));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(ClearContentOf(*read), content);
}

TEST(Envelope, ReadsUndefinedParametersAsNull) {
  // {version, kind: "error", content: {message: undefined}}
  const absl::StatusOr<Envelope> read =
      ReadEnvelope(FromHex("de0003 a776657273696f6e a5302e332e31 a46b696e64 a56572726f72"
                           "a7636f6e74656e74 de0001 a76d657373616765 d40000"));
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->kind, EnvelopeKind::kError);
  EXPECT_EQ(ClearContentOf(*read).dump(), R"({"message":null})");
}

TEST(Envelope, LeavesTheVersionAndUnknownKindsToTheReader) {
  const absl::StatusOr<Envelope> other =
      ReadEnvelope(PackedMessage(R"({"version":"9.0.0","kind":"dance","metadata":7})"));
  ASSERT_THAT(other, IsOk());
  EXPECT_EQ(other->version, "9.0.0");
  EXPECT_EQ(other->kind, EnvelopeKind::kOther);
  const absl::StatusOr<Envelope> newer = ReadEnvelope(PackedMessage(
      R"({"version":"0.4.0","kind":"error","timestamp":1,"metadata":{"new":1},"content":{}})"));
  ASSERT_THAT(newer, IsOk());
  EXPECT_EQ(newer->version, "0.4.0");
  EXPECT_EQ(newer->kind, EnvelopeKind::kError);
}

TEST(Envelope, ReadsIdsOfEachForm) {
  const auto read = [](std::string_view id) {
    return ReadEnvelope(
        PackedMessage(absl::StrCat(R"({"version":"0.3.1","kind":"response",)",
                                   R"("content":{"$bytes":""},"id":)", std::string(id), "}")));
  };
  for (const auto& [text, id] :
       std::vector<std::pair<std::string_view, RequestId>>{{"7", int64_t{7}},
                                                           {"-7", int64_t{-7}},
                                                           {"7.0", int64_t{7}},
                                                           {"1e10", int64_t{10000000000}},
                                                           {"\"7\"", "7"}}) {
    SCOPED_TRACE(text);
    const absl::StatusOr<Envelope> envelope = read(text);
    ASSERT_THAT(envelope, IsOk());
    EXPECT_EQ(envelope->id, id);
  }
  for (const std::string_view text : {"0.5", "1e300", "null", "[]", "18446744073709551615"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(read(text), StatusIs(StatusCode::kInvalidArgument, HasSubstr("id")));
  }
}

TEST(Envelope, RefusesMembersThatAreMissingOrWrong) {
  struct Case {
    std::string_view member;
    std::string_view text;
  };
  for (const Case& c : {
           Case{.member = "version", .text = R"({"kind":"error","content":{}})"},
           Case{.member = "kind", .text = R"({"version":"0.3.1","kind":7,"content":{}})"},
           Case{.member = "content", .text = R"({"version":"0.3.1","kind":"error"})"},
           Case{.member = "content", .text = R"({"version":"0.3.1","kind":"error","content":"x"})"},
           Case{.member = "id", .text = R"({"version":"0.3.1","kind":"request","content":{}})"},
           Case{.member = "origin",
           .text = R"({"version":"0.3.1","kind":"broadcast","origin":7,"content":{}})"},
           Case{.member = "target",
           .text = R"({"version":"0.3.1","kind":"notification","target":[],"content":{}})"},
           Case{.member = "keys", .text = R"({"version":"0.3.1","kind":"error","content":{},
                 "metadata":{"encryption":{"keys":{}}}})"},
           Case{.member = "iv", .text = R"({"version":"0.3.1","kind":"error","content":{},
                 "metadata":{"encryption":{"keys":[{"target":"a","key":"b"}]}}})"},
           Case{.member = "target", .text = R"({"version":"0.3.1","kind":"error","content":{},
                 "metadata":{"encryption":{"keys":[7]}}})"},
           Case{.member = "algorithm", .text = R"({"version":"0.3.1","kind":"error","content":{},
                 "metadata":{"compression":{"algorithm":7}}})"},
           Case{.member = "map", .text = "[]"},
       }) {
    SCOPED_TRACE(c.text);
    const std::string bytes = c.text == "[]" ? "\x90" : WriteMsgpack(json::parse(c.text));
    EXPECT_THAT(ReadEnvelope(bytes),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(std::string(c.member))));
  }
}

TEST(Envelope, IsRefusedWhereverItIsCut) {
  const std::string bytes = WriteEnvelope(
      {.kind = EnvelopeKind::kRequest, .keys = {{.target = "a"}}, .content = json::object()});
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(ReadEnvelope(bytes.substr(0, size)), StatusIs(StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace cursorwire::oct
