#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_FRAME_CLIENT_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_FRAME_CLIENT_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "apps/gateway/raw_client.h"
#include "http/http2_frames.h"
#include "support/frame_script.h"

namespace cursor_gateway {

// A client of HTTP/2 on a socket, made of raw frames.
class FrameClient {
 public:
  explicit FrameClient(uint16_t port) : client_(port) {
    client_.Send(std::string(kHttp2Preface) + cursorwire::test::FrameScript::Settings());
  }

  RawClient& raw() { return client_; }
  void Send(std::string_view bytes) { client_.Send(bytes); }
  // With "POST" the body is said to be JSON.
  void Ask(int32_t id, std::string_view path, std::string_view method = "GET",
           uint8_t flags = cursorwire::test::kFlagEndStream) {
    Send(script_.Headers(id, RequestOf(path, method), flags));
  }
  static cursorwire::connect::Headers RequestOf(std::string_view path, std::string_view method) {
    cursorwire::connect::Headers headers = {{":method", std::string(method)},
                                            {":scheme", "http"},
                                            {":authority", "localhost"},
                                            {":path", std::string(path)}};
    if (method == "POST") headers.Add("content-type", "application/json");
    return headers;
  }
  cursorwire::test::FrameScript& script() { return script_; }

  cursorwire::test::Frame Read() {
    std::string bytes = client_.ReadSize(cursorwire::test::kFrameHeaderBytes);
    if (bytes.size() < cursorwire::test::kFrameHeaderBytes) {
      ADD_FAILURE() << "the connection has ended";
      return {};
    }
    bytes += client_.ReadSize(cursorwire::test::ReadBigEndian(bytes.substr(0, 3)));
    return script_.Read(bytes).at(0);
  }
  // The next of that type, on that stream; those before it are lost.
  cursorwire::test::Frame ReadTo(cursorwire::test::FrameType type, int32_t id) {
    for (;;) {
      const cursorwire::test::Frame frame = Read();
      const bool is_wanted = frame.type == type && frame.stream_id == id;
      if (is_wanted || ::testing::Test::HasFailure()) return frame;
    }
  }
  // The whole body of an answer.
  std::string ReadBody(int32_t id) {
    std::string body;
    for (;;) {
      const cursorwire::test::Frame frame = ReadTo(cursorwire::test::FrameType::kData, id);
      body += frame.payload;
      if (frame.has(cursorwire::test::kFlagEndStream) || ::testing::Test::HasFailure()) return body;
    }
  }

 private:
  RawClient client_;
  cursorwire::test::FrameScript script_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_FRAME_CLIENT_H_
