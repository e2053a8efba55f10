#include "http/http2_session.h"

#include <nghttp2/nghttp2.h>

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "http/event_count.h"
#include "http/http2_fields.h"
#include "http/http2_frames.h"
#include "http/http2_stream.h"
#include "http/http_date.h"
#include "http/nghttp2_server.h"

namespace cursor_gateway {

namespace {

constexpr uint32_t kHttp2StreamWindow = 256 * 1024;
// Larger than a stream's, whose credit may be withheld while this one's never is.
constexpr int32_t kHttp2ConnectionWindow = 1024 * 1024;

}  // namespace

class Http2Session::Impl final : public Http2StreamOwner, private Nghttp2Events {
 public:
  Impl(HttpHandler& handler, BodyBudget bodies, Clock clock, std::function<void()> on_output)
      : handler_(handler),
        bodies_(std::move(bodies)),
        clock_(std::move(clock)),
        on_output_(std::move(on_output)),
        session_(NewNghttp2Server(*this)) {
    SubmitSettings();
    idle_since_ = clock_();
    WatchFrames();
  }
  ~Impl() { Leave(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Receive(std::string_view bytes) {
    if (failed_ || IsOver()) return;
    const Busy busy(*this);
    now_ = clock_();
    scanner_.Feed(bytes, [this](const Http2FrameScanner::Frame& frame) { CountFrame(frame); });
    if (empty_frames_.is_over() || resets_.is_over()) {
      Fail(NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    }
    const ssize_t taken = nghttp2_session_mem_recv(
        session(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0) {
      const bool floods = taken == NGHTTP2_ERR_FLOODED || block_bytes_ > kMaxHttp2BlockBytes;
      Fail(floods ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
    } else if (resets_.is_over() ||
               nghttp2_session_get_outbound_queue_size(session()) > kMaxHttp2QueuedFrames) {
      Fail(NGHTTP2_ENHANCE_YOUR_CALM);
    } else {
      WatchFrames();
      Settle();
    }
  }

  void TakeOutput(size_t max_bytes, std::string& out) {
    const Busy busy(*this);
    now_ = clock_();
    const size_t start = out.size();
    for (bool more = true; more;) {
      more = false;
      while (out.size() - start < max_bytes) {
        const uint8_t* bytes = nullptr;
        const ssize_t size = nghttp2_session_mem_send(session(), &bytes);
        if (size < 0) Fail(NGHTTP2_INTERNAL_ERROR);
        if (size <= 0) break;
        out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
        more = true;
      }
      Settle();
      TellWriters();
      more = more && out.size() - start < max_bytes;
    }
    // nghttp2 has ended the connection because of what the client sent.
    if (IsOver()) LeaveStreams();
  }

  void Drain() {
    if (std::exchange(draining_, true) || failed_) return;
    RefuseUnfinished();
    nghttp2_submit_goaway(session(), NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session()), NGHTTP2_NO_ERROR,
                          nullptr, 0);
    Changed();
  }

  void Leave() {
    const Busy busy(*this);
    failed_ = true;
    LeaveStreams();
  }

  bool IsOver() const {
    return failed_ || (draining_ && streams_.empty()) || nghttp2_session_want_read(session()) == 0;
  }
  size_t open_streams() const { return streams_.size(); }

  std::optional<TimePoint> NextDeadline() const {
    if (IsOver()) return std::nullopt;
    std::optional<TimePoint> next = frame_deadline_;
    const auto take = [&next](std::optional<TimePoint> time) {
      if (time && (!next || *time < *next)) next = time;
    };
    for (const auto& [id, stream] : streams_) take(stream->deadline);
    if (streams_.empty()) take(idle_since_ + kIdleTimeout);
    return next;
  }

  void OnDeadline() {
    if (IsOver()) return;
    const Busy busy(*this);
    now_ = clock_();
    if (frame_deadline_ && *frame_deadline_ <= now_) {
      Fail(NGHTTP2_NO_ERROR);
      return;
    }
    for (const auto& [id, stream] : std::map(streams_)) {
      if (!failed_ && stream->deadline && *stream->deadline <= now_) OnStreamDeadline(stream);
    }
    Settle();
    if (!failed_ && streams_.empty() && idle_since_ + kIdleTimeout <= now_) Drain();
  }

 private:
  using StreamPtr = std::shared_ptr<Http2Stream>;  // shared with its exchange

  // What a callback of nghttp2 leaves to do, since a session must not be called from within.
  struct Event {
    enum class Kind { kHead, kBodyRefused, kRemoteEnd, kEndSent, kClosed } kind{};
    StreamPtr stream{};
  };

  // While a function of the session works, its caller looks for output behind it.
  class Busy {
   public:
    explicit Busy(Impl& impl) : impl_(impl) { ++impl_.busy_; }
    ~Busy() { --impl_.busy_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    Impl& impl_;
  };

  nghttp2_session* session() const { return session_.get(); }

  void SubmitSettings() {
    const std::array<nghttp2_settings_entry, 3> settings = {
        {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, kMaxHttp2Streams},
         {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kHttp2StreamWindow},
         {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(kMaxHeadBytes)}}};
    nghttp2_submit_settings(session(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session(), NGHTTP2_FLAG_NONE, 0, kHttp2ConnectionWindow);
  }

  // --- bounds against clients that only make work

  void CountFrame(const Http2FrameScanner::Frame& frame) {
    switch (frame.type) {
      case NGHTTP2_HEADERS:
      case NGHTTP2_WINDOW_UPDATE:  // may come with each DATA that was sent
        return;
      case NGHTTP2_RST_STREAM:
        resets_.Add(now_);
        return;
      case NGHTTP2_DATA:
      case NGHTTP2_CONTINUATION:
        if (frame.payload_bytes > 0 || frame.flags != 0) return;
        break;
      default:
        break;
    }
    empty_frames_.Add(now_);
  }

  // The time for what has begun runs from its first byte.
  void WatchFrames() {
    const std::optional<uint64_t> unfinished = scanner_.Unfinished();
    if (unfinished == unfinished_ && unfinished) return;
    unfinished_ = unfinished;
    frame_deadline_.reset();
    if (unfinished) frame_deadline_ = clock_() + kHeadTimeout;
  }

  // The connection ends with a GOAWAY.
  void Fail(uint32_t code) {
    if (std::exchange(failed_, true)) return;
    nghttp2_session_terminate_session(session(), code);
    LeaveStreams();
  }

  // nghttp2 may still point to them, so that they stay.
  void LeaveStreams() {
    events_.clear();
    for (auto& [id, stream] : std::exchange(streams_, {})) {
      stream->Detach();
      left_.push_back(stream);
      EndExchange(*stream);
    }
  }

  static void EndExchange(Http2Stream& stream) {
    const auto exchange = stream.exchange.lock();
    if (exchange == nullptr) return;
    exchange->Gone();
    exchange->End();
  }

  // --- what the callbacks have left

  void Settle() {
    while (!events_.empty() && !failed_) {
      for (const Event& event : std::exchange(events_, {})) {
        if (!failed_) OnEvent(event);
      }
    }
    if (failed_) return;
    GiveCredit();
  }

  void OnEvent(const Event& event) {
    const StreamPtr& stream = event.stream;
    if (event.kind == Event::Kind::kClosed) {
      Forget(stream);
      return;
    }
    if (stream->closed) return;
    switch (event.kind) {
      case Event::Kind::kHead:
        OnHead(*stream);
        return;
      case Event::Kind::kBodyRefused:
        if (stream->state == Http2Stream::State::kBody) Refuse(*stream, *stream->body_refusal);
        return;
      case Event::Kind::kRemoteEnd:
        if (stream->state == Http2Stream::State::kBody) HandOut(stream);
        return;
      default:
        // The answer was complete before the request. A reset at once would be within its rights
        // (RFC 9113, 8.1), but curl 7.88 then drops the answer.
        if (!stream->remote_ended) stream->deadline = now_ + kHttp2RestTimeout;
    }
  }

  void OnHead(Http2Stream& stream) {
    if (stream.incoming.is_too_large()) return Refuse(stream, Unreadable::kHeadTooLarge);
    std::optional<HttpHead> head = stream.incoming.Take();
    if (!head) return Refuse(stream, Unreadable::kMalformed);
    stream.request = *std::move(head);
    const uint64_t length = ContentLengthOf(stream.request).value_or(0);
    if (length > kMaxBodyBytes) return Refuse(stream, Unreadable::kBodyTooLarge);
    if (const std::optional<HttpAnswer> refusal = handler_.OnHead(stream.request)) {
      return Refuse(stream, *refusal);
    }
    if (!bodies_.Fits(length) || UnsentBytes() > kMaxHttp2UnsentBytes)
      return Refuse(stream, Unreadable::kNoRoom);
    stream.state = Http2Stream::State::kBody;
    stream.deadline = now_ + kBodyTimeout;
    const std::string* expect = stream.request.Find("expect");
    if (expect != nullptr && SameWord(*expect, "100-continue") && !stream.remote_ended &&
        stream.body.empty()) {
      Http2Fields fields;
      fields.Add(":status", "100");
      const std::vector<nghttp2_nv> nvs = fields.ToNvs();
      nghttp2_submit_headers(session(), NGHTTP2_FLAG_NONE, stream.id, nullptr, nvs.data(),
                             nvs.size(), nullptr);
    }
  }

  size_t UnsentBytes() const {
    size_t bytes = 0;
    for (const auto& [id, stream] : streams_) bytes += stream->kept_bytes();
    return bytes;
  }

  void HandOut(const StreamPtr& stream) {
    stream->state = Http2Stream::State::kAnswering;
    stream->deadline.reset();
    stream->handed = true;
    handed_bytes_ += stream->body_bytes;
    const auto exchange =
        std::make_shared<ServerExchange>(stream, std::move(stream->request),
                                         std::exchange(stream->body, {}), std::move(stream->share));
    stream->exchange = exchange;
    handler_.OnRequest(exchange);
  }

  void Refuse(Http2Stream& stream, Unreadable why) { Refuse(stream, handler_.OnUnreadable(why)); }

  void Refuse(Http2Stream& stream, const HttpAnswer& answer) {
    ReleaseBody(stream);
    stream.state = Http2Stream::State::kAnswering;
    stream.deadline.reset();  // the answer has a time of its own
    const std::string& method =
        stream.request.method.empty() ? stream.incoming.method() : stream.request.method;
    stream.SendAnswer({.method = method}, answer);
  }

  void RefuseUnfinished() {
    const Busy busy(*this);
    for (const auto& [id, stream] : streams_) {
      if (stream->state != Http2Stream::State::kBody) continue;
      if (const auto refusal = handler_.OnHead(stream->request)) Refuse(*stream, *refusal);
    }
  }

  void Forget(const StreamPtr& stream) {
    ReleaseBody(*stream);
    stream->Detach();
    streams_.erase(stream->id);
    if (streams_.empty()) idle_since_ = now_;
    EndExchange(*stream);
  }

  void OnStreamDeadline(const StreamPtr& stream) {
    if (stream->state == Http2Stream::State::kBody) {
      // It waits for us, not we for it.
      if (stream->withheld_credit > 0) {
        stream->deadline = now_ + kBodyTimeout;
      } else {
        Refuse(*stream, Unreadable::kTooSlow);
      }
    } else if (stream->cut_by_us || stream->state == Http2Stream::State::kHead) {
      Fail(NGHTTP2_NO_ERROR);  // the client does not even read the reset of the stream
    } else {
      Reset(*stream, stream->end_sent ? NGHTTP2_NO_ERROR : NGHTTP2_CANCEL);
    }
  }

  void Reset(Http2Stream& stream, uint32_t code) {
    if (stream.closed || std::exchange(stream.cut_by_us, true)) return;
    stream.deadline = now_ + kIdleTimeout;
    nghttp2_submit_rst_stream(session(), NGHTTP2_FLAG_NONE, stream.id, code);
  }

  // Writers may write at once: so not before all is settled.
  void TellWriters() {
    std::vector<std::shared_ptr<ServerExchange>> writers;
    for (const auto& [id, stream] : streams_) {
      const bool drained = std::exchange(stream->drained, false);
      if (drained && stream->unsent_bytes() == 0) writers.push_back(stream->exchange.lock());
    }
    for (const auto& writer : writers) {
      if (writer != nullptr) writer->Writable();
    }
  }

  // --- bodies

  // They stay until the handler drops them.
  void ReleaseBody(Http2Stream& stream) {
    const size_t bytes = std::exchange(stream.body_bytes, 0);
    bodies_bytes_ -= bytes;
    if (stream.handed) handed_bytes_ -= bytes;
    stream.body = std::string();
    stream.share.Free();
  }

  void GiveCredit() {
    if (connection_credit_ > 0) {
      nghttp2_session_consume_connection(session(), std::exchange(connection_credit_, 0));
    }
    bool is_first = true;
    for (const auto& [id, stream] : streams_) {
      if (stream->remote_ended || stream->state == Http2Stream::State::kHead) continue;
      size_t kept = 0;  // where it was refused, its body is dropped
      if (stream->state == Http2Stream::State::kBody) {
        kept = std::exchange(is_first, false) ? handed_bytes_ : bodies_bytes_;
      }
      if (stream->withheld_credit == 0 || kept >= kMaxHttp2BodiesBytes) continue;
      nghttp2_session_consume_stream(session(), id, std::exchange(stream->withheld_credit, 0));
    }
  }

  // --- Http2StreamOwner

  void Respond(Http2Stream& stream, int status, const HttpFields& fields,
               std::optional<size_t> length, bool body_follows) override {
    Http2Fields answer;
    answer.Add(":status", std::to_string(status));
    answer.Add("date", HttpDateNow());
    for (const auto& [name, value] : fields) answer.Add(name, value);
    if (length) answer.Add("content-length", std::to_string(*length));
    nghttp2_data_provider body{};
    body.source.ptr = &stream;
    body.read_callback = [](nghttp2_session*, int32_t, uint8_t* buffer, size_t size,
                            uint32_t* flags, nghttp2_data_source* source, void*) {
      return static_cast<Http2Stream*>(source->ptr)->TakeOutbox(buffer, size, flags);
    };
    const std::vector<nghttp2_nv> nvs = answer.ToNvs();
    nghttp2_submit_response(session(), stream.id, nvs.data(), nvs.size(),
                            body_follows ? &body : nullptr);
    Changed();
  }

  void OnOutbox(Http2Stream& stream) override {
    if (stream.complete && !stream.deadline) stream.deadline = clock_() + kIdleTimeout;
    if (std::exchange(stream.deferred, false)) nghttp2_session_resume_data(session(), stream.id);
    Changed();
  }

  void Abort(Http2Stream& stream) override {
    now_ = clock_();
    Reset(stream, NGHTTP2_INTERNAL_ERROR);
    Changed();
  }

  void OnBodyDropped(Http2Stream& stream) override {
    ReleaseBody(stream);
    Changed();
  }

  void Changed() {
    if (busy_ > 0 || failed_) return;
    GiveCredit();
    on_output_();
  }

  // --- Nghttp2Events: they only record

  StreamPtr Find(int32_t id) const {
    const auto found = streams_.find(id);
    return found == streams_.end() ? nullptr : found->second;
  }

  void OnBeginHeaders(const nghttp2_frame& frame) override {
    block_bytes_ = 0;
    if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return;
    const int32_t id = frame.hd.stream_id;
    if (draining_) {
      nghttp2_submit_rst_stream(session(), NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
      return;
    }
    const auto stream = std::make_shared<Http2Stream>(*this, id, bodies_);
    // For one that nghttp2 resets because of its head: its client may not read that.
    stream->deadline = now_ + kIdleTimeout;
    streams_.emplace(id, stream);
  }

  // A block that is too large is read on, since others need what it leaves in the table of the
  // connection: but one byte of it may stand for 4 KiB. Trailers have no meaning here.
  bool OnField(const nghttp2_frame& frame, std::string_view name, std::string_view value) override {
    block_bytes_ += name.size() + value.size() + kFieldOverheadBytes;
    if (block_bytes_ > kMaxHttp2BlockBytes) return false;
    if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return true;
    if (const StreamPtr stream = Find(frame.hd.stream_id)) stream->incoming.Add(name, value);
    return true;
  }

  void OnFrame(const nghttp2_frame& frame) override {
    const StreamPtr stream = Find(frame.hd.stream_id);
    if (stream == nullptr) return;
    if (frame.hd.type == NGHTTP2_RST_STREAM) stream->cut_by_client = true;
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    if (frame.hd.type == NGHTTP2_HEADERS && frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
      events_.push_back({Event::Kind::kHead, stream});
    }
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
      stream->remote_ended = true;
      events_.push_back({Event::Kind::kRemoteEnd, stream});
    }
  }

  void OnData(int32_t id, std::string_view bytes) override {
    connection_credit_ += bytes.size();
    const StreamPtr stream = Find(id);
    if (stream == nullptr) return;
    stream->withheld_credit += bytes.size();
    if (stream->state == Http2Stream::State::kAnswering || stream->body_refusal) return;
    if (stream->state == Http2Stream::State::kBody) stream->deadline = now_ + kBodyTimeout;
    if (bytes.size() > kMaxBodyBytes - stream->body.size()) {
      stream->body_refusal = Unreadable::kBodyTooLarge;
    } else if (!stream->share.Add(bytes.size())) {
      stream->body_refusal = Unreadable::kNoRoom;
    }
    if (stream->body_refusal) {
      events_.push_back({Event::Kind::kBodyRefused, stream});
      return;
    }
    stream->body += bytes;
    stream->body_bytes += bytes.size();
    bodies_bytes_ += bytes.size();
  }

  void OnFrameSent(const nghttp2_frame& frame) override {
    const bool refused = frame.hd.type == NGHTTP2_RST_STREAM &&
                         frame.rst_stream.error_code == NGHTTP2_REFUSED_STREAM;
    if (refused) resets_.Add(now_);
    if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return;
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
    if (const StreamPtr stream = Find(frame.hd.stream_id)) {
      stream->end_sent = true;
      events_.push_back({Event::Kind::kEndSent, stream});
    }
  }

  void OnStreamClose(int32_t id) override {
    const StreamPtr stream = Find(id);
    if (stream == nullptr) return;
    stream->closed = true;
    // The client made nghttp2 reset it, which costs as much as a reset of its own.
    if (!stream->end_sent && !stream->cut_by_us && !stream->cut_by_client) resets_.Add(now_);
    events_.push_back({Event::Kind::kClosed, stream});
  }

  HttpHandler& handler_;
  const BodyBudget bodies_;
  const Clock clock_;
  const std::function<void()> on_output_;
  Nghttp2SessionPtr session_;
  int busy_ = 0;
  TimePoint now_;
  bool failed_ = false;
  bool draining_ = false;

  Http2FrameScanner scanner_;
  std::optional<uint64_t> unfinished_;
  std::optional<TimePoint> frame_deadline_;
  EventCount resets_{kMaxHttp2Resets, kHttp2CountTime};
  EventCount empty_frames_{kMaxHttp2EmptyFrames, kHttp2CountTime};

  std::map<int32_t, StreamPtr> streams_;  // that are open
  std::vector<StreamPtr> left_;
  TimePoint idle_since_;  // where none is
  std::vector<Event> events_;

  size_t block_bytes_ = 0;  // of the fields of the last header block
  size_t connection_credit_ = 0;
  size_t bodies_bytes_ = 0;  // kept, of all streams
  size_t handed_bytes_ = 0;  // of them, those that the handler has
};

Http2Session::Http2Session(HttpHandler& handler, BodyBudget bodies, Clock clock,
                           std::function<void()> on_output)
    : impl_(std::make_unique<Impl>(handler, std::move(bodies), std::move(clock),
                                   std::move(on_output))) {}
Http2Session::~Http2Session() = default;

void Http2Session::Receive(std::string_view bytes) { impl_->Receive(bytes); }
void Http2Session::TakeOutput(size_t max_bytes, std::string& out) {
  impl_->TakeOutput(max_bytes, out);
}
void Http2Session::Drain() { impl_->Drain(); }
void Http2Session::Leave() { impl_->Leave(); }
bool Http2Session::IsOver() const { return impl_->IsOver(); }
size_t Http2Session::open_streams() const { return impl_->open_streams(); }
std::optional<TimePoint> Http2Session::NextDeadline() const { return impl_->NextDeadline(); }
void Http2Session::OnDeadline() { impl_->OnDeadline(); }

}  // namespace cursor_gateway
