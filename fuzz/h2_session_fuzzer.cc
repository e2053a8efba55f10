// Runs one side of an HTTP/2 connection against a peer that sends anything. Its user calls every
// function of the interface.
//
// Input: byte 0 chooses the role (bit 0), whether streams are sometimes refused (bit 1) and the
// window (bits 2 and 3); byte 1 is the size of the pieces received after the steps (0: one piece);
// then the number of steps and the steps; the rest is what the peer sends. A step is an Action in
// the high half of its byte and a number in the low half.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "h2/session.h"
#include "support/fuzzed_input.h"
#include "support/harness.h"
#include "support/http2_frames.h"

namespace {

using cursorwire::connect::Headers;
using cursorwire::fuzz::BigEndian;
using cursorwire::fuzz::Check;
using cursorwire::fuzz::Frame;
using cursorwire::fuzz::FrameCounter;
using cursorwire::fuzz::FuzzedInput;
using cursorwire::fuzz::kInitialWindow;
using cursorwire::h2::EndStream;
using cursorwire::h2::Role;
using cursorwire::h2::Session;
using cursorwire::h2::SessionOptions;
using cursorwire::h2::SessionVisitor;
using cursorwire::h2::StreamClose;
using cursorwire::h2::StreamVisitor;

constexpr uint32_t kStreamWindows[] = {100, 16384, kInitialWindow, 1 << 20};
constexpr size_t kMaxHeaderBytes = 1000;
constexpr size_t kMaxTurns = 10'000;  // for loops that must end; no input can cause nearly as many
constexpr size_t kHeaderOverheadBytes = 32;

enum Action : uint8_t {
  kReceive,        // 2^number of the peer's bytes
  kOpenOrRespond,  // depends on the role; an odd number ends our side
  kWrite,          // 2^number bytes on the newest stream
  kWriteFrame,
  kFinish,  // this and the next three: on the stream of that number
  kReset,
  kDetach,
  kConsumeStream,
  kConsumeConnection,
  kPing,
  kGoAway,
  kTakeOutput,   // 2^number bytes
  kPeerRequest,  // this and the rest: a well-formed frame of the peer
  kPeerHeaders,
  kPeerData,    // of 2^number bytes on the newest stream
  kPeerWindow,  // for the stream of that number and for the connection
};

// One stream, as seen by its visitor.
class Stream final : public StreamVisitor {
 public:
  explicit Stream(size_t window) : window_(std::max<size_t>(window, kInitialWindow)) {}

  void OnHeaders(Headers headers) override {
    Check(may_speak() && ++blocks <= 2);
    size_t bytes = 0;
    for (const auto& [name, value] : headers) {
      bytes += name.size() + value.size() + kHeaderOverheadBytes;
    }
    Check(bytes <= kMaxHeaderBytes);
  }
  void OnData(std::string_view bytes) override {
    Check(may_speak() && blocks == 1 && !bytes.empty());
    unconsumed += bytes.size();
    received += bytes.size();
    Check(unconsumed <= window_);
  }
  void OnRemoteEnd() override {
    Check(may_speak() && blocks > 0);
    remote_ended = true;
  }
  void OnClosed(const StreamClose&) override {
    Check(!closed && !detached);
    closed = true;
  }

  int32_t id = 0;
  int blocks = 0;
  size_t received = 0;
  size_t unconsumed = 0;
  size_t written = 0;
  bool responded = false;
  bool finished = false;  // our side has ended
  bool reset = false;     // by our side
  bool detached = false;
  bool remote_ended = false;
  bool closed = false;

 private:
  bool may_speak() const { return !closed && !detached && !remote_ended; }

  const size_t window_;
};

class Harness final : private SessionVisitor {
 public:
  Harness(const SessionOptions& options, bool refuse, std::string_view peer_bytes)
      : options_(options),
        refuse_(refuse),
        peer_bytes_(peer_bytes),
        output_(is_client() ? cursorwire::fuzz::kClientMagic : "", FrameCounter::Strict::kYes),
        input_(is_client() ? "" : cursorwire::fuzz::kClientMagic, FrameCounter::Strict::kNo),
        session_(options, *this) {}

  void Do(uint8_t step) {
    const auto action = static_cast<Action>(step >> 4);
    const uint8_t number = step & 15;
    switch (action) {
      case kReceive:
        return ReceivePeerBytes(size_t{1} << number);
      case kOpenOrRespond:
        return is_client() ? Open(number) : Respond(number);
      case kConsumeConnection:
        return ConsumeConnection(received_of_connection_);
      case kPing:
        return session_.Ping();
      case kGoAway:
        said_goaway_ = true;
        return session_.SendGoAway(number, "bye");
      case kTakeOutput:
        return TakeOutput(size_t{1} << number);
      case kPeerRequest:
        return is_client() ? void() : Receive(RequestOfPeer(number));
      default:
        break;
    }
    if (streams_.empty()) return;
    // If the number is a size, it cannot choose the stream as well.
    const bool sized = action == kWrite || action == kWriteFrame || action == kPeerData;
    DoOnStream(action, number, sized ? *streams_.back() : *streams_[number % streams_.size()]);
  }

  void ReceiveRest(size_t piece) {
    while (!peer_bytes_.empty()) ReceivePeerBytes(piece == 0 ? peer_bytes_.size() : piece);
  }

  void End() {
    for (const auto& stream : streams_) ConsumeStream(*stream);
    ConsumeConnection(received_of_connection_);
    TakeAllOutput();
    // None of the connection's window may be lost: the credit still due must be less than half of
    // the window, which would be worth a frame. A side that has sent GOAWAY and has no streams left
    // owes no credit.
    if (ok_ && !IsOver()) {
      Check(input_.data_bytes() <=
            output_.stream(0).credited_bytes - initial_credit() + options_.connection_window / 2);
    }
    for (const auto& stream : streams_) session_.Reset(stream->id, cursorwire::h2::kCancel);
    TakeAllOutput();
    Check(output_.between_frames());
    if (!ok_) return;
    for (const auto& stream : streams_) Check(IsGone(*stream));
  }

 private:
  bool is_client() const { return options_.role == Role::kClient; }
  size_t initial_credit() const { return options_.connection_window - kInitialWindow; }

  bool IsGone(const Stream& stream) {
    // A request that waits for the peer's limit of streams is not opened yet.
    const bool held_back = is_client() && !output_.stream(stream.id).opened;
    return stream.closed || stream.detached || held_back;
  }
  bool IsOver() {
    return said_goaway_ &&
           std::ranges::all_of(streams_, [this](const auto& stream) { return IsGone(*stream); });
  }

  // SessionVisitor
  StreamVisitor* OnStreamOpened(int32_t id) override {
    Check(!is_client());
    if (refuse_ && id % 3 == 0) return nullptr;
    return &AddStream(id);
  }
  void OnGoAway(cursorwire::h2::GoAway goaway) override {
    Check(goaway.debug_data.size() <= 1024);
    ++connection_events_;
  }
  void OnSettings() override { ++connection_events_; }

  Stream& AddStream(int32_t id) {
    streams_.push_back(std::make_unique<Stream>(options_.stream_window));
    streams_.back()->id = id;
    return *streams_.back();
  }

  void DoOnStream(Action action, uint8_t number, Stream& stream) {
    const size_t size = size_t{1} << number;
    switch (action) {
      case kWrite:
      case kWriteFrame:
        return Write(stream, size, action == kWriteFrame);
      case kFinish:
        return Finish(stream);
      case kReset:
        stream.reset = true;
        return session_.Reset(stream.id, number);
      case kDetach:
        stream.detached = true;
        return session_.Detach(stream.id);
      case kConsumeStream:
        return ConsumeStream(stream);
      case kPeerHeaders:
        return Receive(HeadersOfPeer(stream.id, number));
      case kPeerData:
        return Receive(cursorwire::fuzz::DataFrames(stream.id, std::string(size, 'x'), 0));
      default:
        Receive(Frame(cursorwire::fuzz::kWindowUpdate, 0, stream.id, BigEndian(1 << 15, 4)));
        return Receive(Frame(cursorwire::fuzz::kWindowUpdate, 0, 0, BigEndian(1 << 15, 4)));
    }
  }

  void Open(uint8_t number) {
    auto stream = std::make_unique<Stream>(options_.stream_window);
    const auto id =
        session_.SubmitRequest({{":method", "POST"},
                                {":scheme", "https"},
                                {":authority", "example.com"},
                                {":path", "/a.v1.S/M"}},
                               number % 2 == 0 ? EndStream::kNo : EndStream::kYes, *stream);
    if (!id.ok()) return;
    stream->id = *id;
    stream->finished = number % 2 != 0;
    streams_.push_back(std::move(stream));
  }

  void Respond(uint8_t number) {
    if (streams_.empty()) return;
    Stream& stream = *streams_[number % streams_.size()];
    if (std::exchange(stream.responded, true)) return;
    const bool end = number % 2 != 0;
    if (!session_
             .SubmitResponse(stream.id, {{":status", "200"}},
                             end ? EndStream::kYes : EndStream::kNo)
             .ok()) {
      return;
    }
    stream.finished = stream.finished || end;
  }

  void Finish(Stream& stream) {
    stream.finished = true;
    session_.FinishWrite(stream.id);
  }

  void Write(Stream& stream, size_t size, bool own_frame) {
    const std::string bytes(size, 'w');
    if (!stream.finished) stream.written += size;
    own_frame ? session_.WriteFrame(stream.id, bytes) : session_.Write(stream.id, bytes);
  }

  void ConsumeStream(Stream& stream) {
    session_.ConsumeStream(stream.id, std::exchange(stream.unconsumed, 0));
  }
  void ConsumeConnection(size_t all) {
    session_.ConsumeConnection(all - std::exchange(consumed_of_connection_, all));
  }

  static std::string RequestOfPeer(uint8_t number) {
    return Frame(cursorwire::fuzz::kHeaders,
                 static_cast<uint8_t>(cursorwire::fuzz::kEndHeadersFlag | (number & 1)), number | 1,
                 cursorwire::fuzz::RequestBlock());
  }

  // The headers of a response if the number is even and we are the client, otherwise trailers. A
  // number of 8 or more ends the stream.
  std::string HeadersOfPeer(int32_t id, uint8_t number) const {
    const auto flags = static_cast<uint8_t>(cursorwire::fuzz::kEndHeadersFlag | number >> 3);
    return Frame(cursorwire::fuzz::kHeaders, flags, id,
                 is_client() && number % 2 == 0 ? cursorwire::fuzz::ResponseBlock("text/plain")
                                                : cursorwire::fuzz::TrailerBlock());
  }

  void ReceivePeerBytes(size_t size) {
    const std::string_view piece = peer_bytes_.substr(0, size);
    peer_bytes_.remove_prefix(piece.size());
    Receive(std::string(piece));  // a temporary: the session must keep no view of it
  }

  void Receive(const std::string& bytes) {
    const size_t events = EventCount();
    input_.Feed(bytes);
    const absl::Status status = session_.Receive(bytes);
    if (!ok_) {
      Check(!status.ok() && EventCount() == events);  // a failed session stays failed
    }
    ok_ = status.ok();
    received_of_connection_ = 0;
    for (const auto& stream : streams_) received_of_connection_ += stream->received;
  }

  // All events of the peer that were reported so far.
  size_t EventCount() const {
    size_t count = connection_events_ + streams_.size();
    for (const auto& stream : streams_) {
      count += stream->received + static_cast<size_t>(stream->blocks) +
               (stream->remote_ended ? 1 : 0) + (stream->closed ? 1 : 0);
    }
    return count;
  }

  void TakeOutput(size_t max_bytes) {
    std::string bytes;
    const absl::Status status = session_.TakeOutput(max_bytes, bytes);
    Check(status.ok() || ok_);  // a violation is reported only once
    ok_ = ok_ && status.ok();
    output_.Feed(bytes);
    for (const auto& stream : streams_) {
      const size_t known =
          output_.stream(stream->id).data_bytes + session_.unsent_bytes(stream->id);
      Check(known <= stream->written);
      const bool open = !stream->closed && !stream->reset && !stream->detached;
      Check(!open || known == stream->written);
    }
  }

  void TakeAllOutput() {
    for (size_t turn = 0; session_.WantsOutput(); ++turn) {
      Check(turn < kMaxTurns);
      TakeOutput(cursorwire::fuzz::kMaxFrameBytes);
    }
  }

  const SessionOptions options_;
  const bool refuse_;
  std::string_view peer_bytes_;
  FrameCounter output_;
  FrameCounter input_;
  std::vector<std::unique_ptr<Stream>> streams_;
  size_t received_of_connection_ = 0;
  size_t consumed_of_connection_ = 0;
  size_t connection_events_ = 0;
  bool said_goaway_ = false;
  bool ok_ = true;   // the result of Receive()
  Session session_;  // last, since its visitors are members above
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedInput input(data, size);
  const uint8_t options = input.TakeByte();
  const uint8_t piece = input.TakeByte();
  FuzzedInput steps(input.TakeShortString());
  Harness harness({.role = (options & 1) == 0 ? Role::kClient : Role::kServer,
                   .stream_window = kStreamWindows[options >> 2 & 3],
                   .connection_window = (options & 16) == 0 ? kInitialWindow : 1U << 20,
                   .max_header_bytes = kMaxHeaderBytes,
                   .max_concurrent_streams = 100},
                  (options & 2) != 0, input.TakeRest());
  while (!steps.empty()) harness.Do(steps.TakeByte());
  harness.ReceiveRest(piece);
  harness.End();
  return 0;
}
