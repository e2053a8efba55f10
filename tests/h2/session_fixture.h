#ifndef CURSORWIRE_TESTS_H2_SESSION_FIXTURE_H_
#define CURSORWIRE_TESTS_H2_SESSION_FIXTURE_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "h2/session.h"
#include "support/frame_script.h"
#include "support/status_matchers.h"

namespace cursorwire::h2 {

using connect::Header;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::IsOk;
using test::IsOkAndHolds;
using ::testing::AllOf;
using ::testing::Field;
using ::testing::Property;

inline constexpr size_t kEverything = std::numeric_limits<size_t>::max();
inline constexpr uint32_t kFlowControlError = 0x3;

// What happened, one line a call. DATA is joined, since a split may cut it anywhere.
class Recorder : public StreamVisitor {
 public:
  void OnHeaders(Headers headers) override {
    EndData();
    std::string line = "headers";
    for (const Header& field : headers) line += " " + field.name + "=" + field.value;
    log_.push_back(std::move(line));
  }
  void OnData(std::string_view bytes) override {
    EXPECT_FALSE(bytes.empty());
    data_ += bytes;
    data_bytes_ += bytes.size();
  }
  void OnRemoteEnd() override {
    EndData();
    log_.push_back("end");
  }
  void OnClosed(const StreamClose& close) override {
    EndData();
    log_.push_back("closed " + std::to_string(close.http2_code) +
                   (close.by_peer ? " by peer" : "") + (close.header_limit ? " header limit" : ""));
  }

  const std::vector<std::string>& log() {
    EndData();
    return log_;
  }
  size_t data_bytes() const { return data_bytes_; }

 private:
  void EndData() {
    if (data_.empty()) return;
    log_.push_back("data " + std::exchange(data_, std::string()));
  }

  std::vector<std::string> log_;
  std::string data_;
  size_t data_bytes_ = 0;
};

// A session under test and the frames of its peer.
class Fixture : private SessionVisitor {
 public:
  explicit Fixture(const SessionOptions& options) : session_(options, *this) {}

  Session& session() { return session_; }
  FrameScript& peer() { return peer_; }
  Recorder& stream(int32_t id) { return streams_[id]; }
  const std::vector<std::string>& log() const { return log_; }
  void RefuseStreams() { refuse_ = true; }

  int32_t Open(const Headers& headers, EndStream end) {
    const int32_t id = next_id_;
    next_id_ += 2;
    EXPECT_THAT(session_.SubmitRequest(headers, end, streams_[id]), IsOkAndHolds(id));
    return id;
  }

  void Receive(std::string_view bytes) { EXPECT_THAT(session_.Receive(bytes), IsOk()); }

  std::string TakeBytes() {
    std::string bytes;
    EXPECT_THAT(session_.TakeOutput(kEverything, bytes), IsOk());
    return bytes;
  }
  std::vector<Frame> Take() { return peer_.Read(TakeBytes()); }

 private:
  StreamVisitor* OnStreamOpened(int32_t stream_id) override {
    log_.push_back("opened " + std::to_string(stream_id));
    return refuse_ ? nullptr : &streams_[stream_id];
  }
  void OnGoAway(GoAway goaway) override {
    log_.push_back("goaway " + std::to_string(goaway.last_stream_id) + " " +
                   std::to_string(goaway.http2_code) + " " + goaway.debug_data);
  }
  void OnSettings() override { log_.push_back("settings"); }

  FrameScript peer_;
  std::map<int32_t, Recorder> streams_;
  std::vector<std::string> log_;
  int32_t next_id_ = 1;
  bool refuse_ = false;
  Session session_;
};

const Headers kRequest = {{":method", "POST"},
                          {":scheme", "https"},
                          {":authority", "example.com"},
                          {":path", "/a.v1.S/M"},
                          {"content-type", "application/connect+proto"}};
const char kRequestLine[] =
    "headers :method=POST :scheme=https :authority=example.com :path=/a.v1.S/M "
    "content-type=application/connect+proto";

// A client whose preface and settings are out of the way.
class ClientFixture : public Fixture {
 public:
  explicit ClientFixture(const SessionOptions& options = {},
                         const std::string& settings = FrameScript::Settings())
      : Fixture(options) {
    Receive(settings + FrameScript::SettingsAck());
    Take();
  }
  // Opens a stream whose request is sent.
  int32_t OpenAndSend(EndStream end = EndStream::kNo) {
    const int32_t id = Open(kRequest, end);
    Take();
    return id;
  }
};

inline SessionOptions ServerOptions() { return {.role = Role::kServer}; }

// The same for a server.
class ServerFixture : public Fixture {
 public:
  explicit ServerFixture(const SessionOptions& options = ServerOptions(),
                         const std::string& settings = FrameScript::Settings())
      : Fixture(options) {
    Receive(std::string(test::kClientMagic) + settings + FrameScript::SettingsAck());
    Take();
  }
};

inline auto IsFrame(FrameType type, int32_t stream_id) {
  return AllOf(Field("type", &Frame::type, type), Field("stream_id", &Frame::stream_id, stream_id));
}
inline auto IsReset(int32_t stream_id, uint32_t code) {
  return AllOf(IsFrame(FrameType::kRstStream, stream_id),
               Property("error_code", &Frame::error_code, code));
}
inline auto IsGoAway(uint32_t code) {
  return AllOf(IsFrame(FrameType::kGoAway, 0), Property("error_code", &Frame::error_code, code));
}
inline auto IsWindowUpdate(int32_t stream_id, uint32_t increment) {
  return AllOf(IsFrame(FrameType::kWindowUpdate, stream_id),
               Property("first_word", &Frame::first_word, increment));
}

// The payload of all DATA frames of that stream.
inline std::string DataOf(const std::vector<Frame>& frames, int32_t stream_id) {
  std::string data;
  for (const Frame& frame : frames) {
    if (frame.type == FrameType::kData && frame.stream_id == stream_id) data += frame.payload;
  }
  return data;
}
inline size_t Count(const std::vector<Frame>& frames, FrameType type) {
  size_t count = 0;
  for (const Frame& frame : frames) count += frame.type == type ? 1 : 0;
  return count;
}
inline std::map<uint32_t, uint32_t> SettingsOf(const Frame& frame) {
  std::map<uint32_t, uint32_t> settings;
  for (std::string_view rest = frame.payload; rest.size() >= 6; rest.remove_prefix(6)) {
    settings[test::ReadBigEndian(rest.substr(0, 2))] = test::ReadBigEndian(rest.substr(2, 4));
  }
  return settings;
}

}  // namespace cursorwire::h2

#endif  // CURSORWIRE_TESTS_H2_SESSION_FIXTURE_H_
