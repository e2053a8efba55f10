#include "stress/raw_peer.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "support/frame_script.h"
#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::test {
namespace {

constexpr int kPollMilliseconds = 20;
constexpr uint32_t kRefused = 7;
constexpr uint32_t kCancelCode = 8;
constexpr uint32_t kInternal = 2;

bool Await(const net::Socket& socket, short events) {
  pollfd ready{.fd = socket.fd(), .events = events, .revents = 0};
  return ::poll(&ready, 1, kPollMilliseconds) > 0;
}

std::string EnvelopeOf(uint8_t flags, std::string_view payload) {
  std::string out;
  (void)wire::AppendEnvelope(flags, payload, out);
  return out;
}

// One connection of the peer.
class PeerConnection {
 public:
  PeerConnection(net::Socket socket, uint32_t seed, const std::atomic<bool>& stop)
      : socket_(std::move(socket)), dice_(seed), stop_(stop) {}

  void Run() {
    FrameScript::SettingList settings;
    if (dice_.OneIn(4)) settings.emplace_back(kSettingMaxConcurrentStreams, 1 + dice_.Below(16));
    if (dice_.OneIn(10)) return socket_.Abort();
    Write(FrameScript::Settings(settings));
    while (open_ && !stop_) {
      if (!Fill()) continue;
      while (std::optional<Frame> frame = Take()) Answer(*frame);
      if (!later_.empty() && dice_.OneIn(2)) Write(std::exchange(later_, {}));
    }
  }

 private:
  // False: nothing came now.
  bool Fill() {
    if (!Await(socket_, POLLIN)) {
      Write(std::exchange(later_, {}));
      return false;
    }
    std::array<char, 65536> buffer;
    const auto count = socket_.Read(buffer);
    if (!count.ok() || (*count && **count == 0)) open_ = false;
    if (!count.ok() || !*count) return false;
    input_.append(buffer.data(), **count);
    return true;
  }

  void Write(std::string_view bytes) {
    while (!bytes.empty() && open_ && !stop_) {
      const auto count = socket_.Write(bytes);
      if (!count.ok()) {
        open_ = false;
        return;
      }
      bytes.remove_prefix(*count);
      if (*count == 0) (void)Await(socket_, POLLOUT);
    }
  }

  std::optional<Frame> Take() {
    if (!script_.saw_magic()) {
      if (input_.size() < kClientMagic.size()) return std::nullopt;
      (void)script_.Read(input_.substr(0, kClientMagic.size()));
      input_.erase(0, kClientMagic.size());
    }
    if (input_.size() < kFrameHeaderBytes) return std::nullopt;
    const size_t size = kFrameHeaderBytes + ReadBigEndian(std::string_view(input_).substr(0, 3));
    if (input_.size() < size) return std::nullopt;
    std::vector<Frame> frames = script_.Read(input_.substr(0, size));
    input_.erase(0, size);
    return std::move(frames.front());
  }

  void Answer(const Frame& frame) {
    switch (frame.type) {
      case FrameType::kSettings:
        if (!frame.has(kFlagAck)) Write(FrameScript::SettingsAck());
        return;
      case FrameType::kPing:
        if (!frame.has(kFlagAck)) Write(FrameScript::Ping(frame.payload, kFlagAck));
        return;
      case FrameType::kRstStream:
        gone_.insert(frame.stream_id);
        return;
      case FrameType::kData:
        return TakeData(frame);
      case FrameType::kHeaders:
        if (!refusing_) return AnswerRequest(frame.stream_id, frame.headers);
        return;
      default:
        return;
    }
  }

  // Credit goes back for all but one of eight uploads, which then stand still.
  void TakeData(const Frame& frame) {
    if (frame.payload.empty()) return;
    const auto size = static_cast<uint32_t>(frame.payload.size());
    std::string credit = FrameScript::WindowUpdate(0, size);
    const bool open = !frame.has(kFlagEndStream) && !gone_.contains(frame.stream_id);
    if (open && frame.stream_id % 16 != 1) {
      credit += FrameScript::WindowUpdate(frame.stream_id, size);
    }
    Write(credit);
  }

  void AnswerRequest(int32_t stream, const connect::Headers& headers) {
    switch (dice_.Below(24)) {
      case 0:
        return Reset(stream, kRefused);
      case 1:
        return Reset(stream, dice_.OneIn(2) ? kCancelCode : kInternal);
      case 2:
        if (dice_.OneIn(2)) return;  // not a word
        break;
      case 3:
        if (dice_.OneIn(3)) return GoAway(stream);
        break;
      case 4:
        if (dice_.OneIn(4)) return Leave();
        break;
      case 5:
        Write(FrameScript::Settings({{kSettingMaxConcurrentStreams, 1 + dice_.Below(100)}}));
        break;
      case 6:
        return AnswerHttpError(stream);
      case 7:
        Write(FrameScript::Ping("01234567"));
        break;
      default:
        break;
    }
    const std::string path(headers.Get(":path").value_or(""));
    if (path == "/unary") return AnswerUnary(stream);
    AnswerStream(stream);
  }

  void Reset(int32_t stream, uint32_t code) {
    gone_.insert(stream);
    Write(FrameScript::RstStream(stream, code));
  }

  // The connection goes on with those that it has, or none; or is closed after it.
  void GoAway(int32_t stream) {
    const int32_t last = dice_.OneIn(2) ? stream : (dice_.OneIn(2) ? std::max(stream - 2, 0) : 0);
    refusing_ = true;
    Write(FrameScript::GoAway(last, 0));
    if (last == stream && dice_.OneIn(2)) AnswerStream(stream);
    if (dice_.OneIn(4)) Leave();
  }

  // FIN, after which it may read on; or a reset of TCP.
  void Leave() {
    if (dice_.OneIn(3)) {
      open_ = false;
      return socket_.Abort();
    }
    socket_.CloseWrite();
    refusing_ = true;
    open_ = dice_.OneIn(2);
  }

  void AnswerHttpError(int32_t stream) {
    Write(script_.Headers(stream, {{":status", "503"}, {"content-type", "text/plain"}}));
    Write(FrameScript::Data(stream, "come back later", kFlagEndStream));
    gone_.insert(stream);
  }

  void AnswerUnary(int32_t stream) {
    Write(script_.Headers(stream, {{":status", "200"}, {"content-type", "application/proto"}}));
    Write(FrameScript::Data(stream, RawPeer::kUnaryAnswer, kFlagEndStream));
    gone_.insert(stream);
  }

  void AnswerStream(int32_t stream) {
    Write(script_.Headers(stream, {{":status", "200"},
                                   {"content-type", "application/connect+proto"},
                                   {"connect-content-encoding", "gzip"}}));
    const std::string body = Body();
    const bool whole = !dice_.OneIn(8);
    const size_t size = whole ? body.size() : dice_.Below(static_cast<uint32_t>(body.size()) + 1);
    const bool ends = !dice_.OneIn(3);
    std::string frames;
    const size_t piece = 1 + dice_.Below(12'000);
    for (size_t at = 0; at < size; at += piece) {
      frames += FrameScript::Data(stream, body.substr(at, std::min(piece, size - at)));
    }
    if (ends) frames += FrameScript::Data(stream, "", kFlagEndStream);
    if (ends) gone_.insert(stream);
    // The rest of an answer may come after that of others.
    const size_t now = dice_.OneIn(3) ? 0 : frames.size();
    Write(frames.substr(0, now));
    later_ += frames.substr(now);
  }

  // Within a window: what is compressed is tiny.
  std::string Body() {
    static const std::string large =
        EnvelopeOf(wire::kEnvelopeCompressed,
                   wire::Gzip(std::string(RawPeer::kLargeBytes, RawPeer::kLargeText)));
    std::string body;
    if (dice_.OneIn(12)) {
      for (int i = 0; i < 4000; ++i) body += EnvelopeOf(0, "");
    }
    for (uint32_t i = dice_.Below(7); i > 0; --i) {
      const size_t size = dice_.Below(RawPeer::kMaxSmallBytes);
      body += dice_.OneIn(3) ? large : EnvelopeOf(0, std::string(size, RawPeer::kSmallText));
    }
    if (!dice_.OneIn(10)) body += EnvelopeOf(wire::kEnvelopeEndStream, "{}");
    return body;
  }

  net::Socket socket_;
  Dice dice_;
  const std::atomic<bool>& stop_;
  FrameScript script_;
  std::string input_;
  std::string later_;       // frames that are held back
  std::set<int32_t> gone_;  // streams that are over, for one side at least
  bool open_ = true;
  bool refusing_ = false;  // nothing new is answered
};

net::LoopbackListener OpenListener() {
  auto listener = net::LoopbackListener::Open();
  if (!listener.ok()) {
    std::cout << "stress: " << listener.status() << "\n" << std::flush;
    std::abort();
  }
  return *std::move(listener);
}

}  // namespace

RawPeer::RawPeer(uint32_t seed)
    : dice_(seed), listener_(OpenListener()), accepting_([this] { Accept(); }) {}

RawPeer::~RawPeer() {
  stop_ = true;
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
}

std::string RawPeer::url() const { return "http://127.0.0.1:" + std::to_string(listener_.port()); }

void RawPeer::AwaitNoConnections() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return open_ == 0; });
}

void RawPeer::Accept() {
  while (!stop_) {
    pollfd ready{.fd = listener_.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, kPollMilliseconds) <= 0) continue;
    std::optional<net::Socket> socket = listener_.Accept();
    if (!socket) continue;
    {
      const std::lock_guard lock(mutex_);
      ++open_;
    }
    threads_.emplace_back([this, socket = *std::move(socket), seed = dice_.Seed()]() mutable {
      Serve(std::move(socket), seed);
    });
  }
}

void RawPeer::Serve(net::Socket socket, uint32_t seed) {
  PeerConnection(std::move(socket), seed, stop_).Run();
  const std::lock_guard lock(mutex_);
  --open_;
  changed_.notify_all();
}

}  // namespace cursorwire::test
