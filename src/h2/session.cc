#include "h2/session.h"

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "base/byte_queue.h"
#include "base/error.h"
#include "base/fifo.h"
#include "base/strings.h"
#include "h2/nghttp2_api.h"
#include "h2/request_headers.h"

namespace cursorwire::h2 {
namespace {

constexpr size_t kMaxDebugDataBytes = 1024;
// nghttp2 reads no longer name or value, as it is encoded. Without it the compression of all that
// follows is lost, so that nghttp2 ends the connection and not the stream.
constexpr size_t kMaxFieldBytes = size_t{64} * 1024;
// Header blocks are bounded by their bytes; this bounds only the work on one that is over.
constexpr size_t kMaxContinuations = 1024;
constexpr size_t kFrameHeaderBytes = 9;  // RFC 9113, 4.1
// Control frames that Receive() takes out of nghttp2 ahead of TakeOutput(). Above it they stay in
// nghttp2, which has a limit of its own against a peer that makes us answer and does not read.
constexpr size_t kMaxStagedBytes = size_t{64} * 1024;

nghttp2_nv ToNv(const connect::Header& header) {
  // nghttp2 copies name and value and changes neither; its C structure is not const.
  const auto bytes = [](const std::string& text) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(header.name), bytes(header.value), header.name.size(), header.value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> ToNvs(const Headers& headers) {
  std::vector<nghttp2_nv> nvs;
  nvs.reserve(headers.size());
  for (const connect::Header& header : headers) nvs.push_back(ToNv(header));
  return nvs;
}

std::string_view View(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

absl::Status Nghttp2Error(std::string_view what, ssize_t code) {
  return ProtocolError(
      absl::StrCat("HTTP/2: ", ToAbsl(what), ": ", nghttp2_strerror(static_cast<int>(code))));
}

bool IsInformational(const Headers& headers) {
  const auto status = headers.Get(":status");
  return status && status->size() == 3 && status->front() == '1';
}

}  // namespace

class Session::Impl {
 public:
  Impl(const SessionOptions& options, SessionVisitor& visitor)
      : options_(options), visitor_(visitor) {
    nghttp2_session_callbacks* raw_callbacks = nullptr;
    nghttp2_session_callbacks_new(&raw_callbacks);
    const Nghttp2Ptr<nghttp2_session_callbacks> callbacks(raw_callbacks);
    SetCallbacks(raw_callbacks);

    nghttp2_option* raw_option = nullptr;
    nghttp2_option_new(&raw_option);
    const Nghttp2Ptr<nghttp2_option> option(raw_option);
    nghttp2_option_set_no_auto_window_update(raw_option, 1);
    nghttp2_option_set_no_closed_streams(raw_option, 1);
    nghttp2_option_set_max_send_header_block_length(raw_option, 2 * kMaxSentHeaderBytes);
    if (nghttp2_option_set_max_continuations != nullptr) {
      nghttp2_option_set_max_continuations(raw_option, kMaxContinuations);
    }

    nghttp2_session* session = nullptr;
    if (options.role == Role::kClient) {
      nghttp2_session_client_new2(&session, raw_callbacks, this, raw_option);
    } else {
      nghttp2_session_server_new2(&session, raw_callbacks, this, raw_option);
    }
    session_.reset(session);
    SubmitPreface();
  }

  struct OwnGoAway {
    uint32_t http2_code = 0;
    std::string debug_data{};
  };

  struct Stream {
    int32_t id = 0;
    StreamVisitor* visitor = nullptr;  // nullptr: detached
    ByteQueue outbox;
    Fifo<size_t> frame_bytes;  // of the outbox: how far the next DATA frames go at most
    size_t framed_bytes = 0;   // their sum
    bool finish = false;       // END_STREAM follows the outbox
    bool deferred = false;
    bool reset = false;  // by us
    bool request_sent = false;

    Headers incoming;
    size_t incoming_bytes = 0;
    bool header_limit = false;
    bool reset_by_peer = false;
  };

  Stream* Find(int32_t id) const {
    const auto entry = streams_.find(id);
    return entry == streams_.end() ? nullptr : entry->second.get();
  }

  absl::StatusOr<int32_t> SubmitRequest(const Headers& headers, EndStream end,
                                        StreamVisitor& visitor) {
    if (absl::Status status = CheckRequestHeaders(headers); !status.ok()) return status;
    if (nghttp2_session_check_request_allowed(session()) == 0) {
      return TransportError("HTTP/2: the connection takes no more streams", Replay::kSafe);
    }
    auto stream = std::make_unique<Stream>();
    stream->visitor = &visitor;
    nghttp2_data_provider body = BodyOf(*stream);
    const std::vector<nghttp2_nv> nvs = ToNvs(headers);
    const int32_t id =
        nghttp2_submit_request(session(), nullptr, nvs.data(), nvs.size(),
                               end == EndStream::kYes ? nullptr : &body, stream.get());
    if (id < 0) {
      return TransportError(absl::StrCat("HTTP/2: cannot open a stream: ", nghttp2_strerror(id)),
                            Replay::kSafe);
    }
    stream->id = id;
    stream->finish = end == EndStream::kYes;
    streams_.emplace(id, std::move(stream));
    return id;
  }

  absl::Status SubmitResponse(int32_t id, const Headers& headers, EndStream end) {
    Stream* stream = Find(id);
    if (stream == nullptr) return absl::OkStatus();  // the peer reset it meanwhile
    nghttp2_data_provider body = BodyOf(*stream);
    const std::vector<nghttp2_nv> nvs = ToNvs(headers);
    const int result = nghttp2_submit_response(session(), id, nvs.data(), nvs.size(),
                                               end == EndStream::kYes ? nullptr : &body);
    if (result != 0) return Nghttp2Error("cannot answer", result);
    if (end == EndStream::kYes) stream->finish = true;
    return absl::OkStatus();
  }

  void Write(Stream& stream, std::string_view bytes) {
    if (stream.finish) return;
    stream.outbox.Append(bytes);
    Resume(stream);
  }

  void WriteFrame(Stream& stream, std::string_view bytes) {
    if (stream.finish || bytes.empty()) return;
    const size_t unframed = stream.outbox.size() - stream.framed_bytes;
    if (unframed > 0) stream.frame_bytes.emplace_back(unframed);
    stream.frame_bytes.emplace_back(bytes.size());
    Write(stream, bytes);
    stream.framed_bytes = stream.outbox.size();
  }

  void Finish(Stream& stream) {
    if (stream.finish) return;
    stream.finish = true;
    Resume(stream);
  }

  void Reset(int32_t id, uint32_t code) {
    Stream* stream = Find(id);
    // A second reset of a request that still waits to be sent would reset a stream that is idle.
    if (stream == nullptr || std::exchange(stream->reset, true)) return;
    stream->outbox.Clear();
    stream->frame_bytes.clear();
    stream->framed_bytes = 0;
    nghttp2_submit_rst_stream(session(), NGHTTP2_FLAG_NONE, id, code);
  }

  void Feed(std::string_view bytes) {
    if (!failure_.ok()) return;
    const ssize_t taken = nghttp2_session_mem_recv(
        session(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (taken < 0) {
      failure_ = Nghttp2Error("peer broke the protocol", taken);
      nghttp2_session_terminate_session(session(), NGHTTP2_PROTOCOL_ERROR);
    }
  }

  absl::Status EndFeed() {
    if (!failure_.ok()) return failure_;
    if (absl::Status status = StageControlFrames(); !status.ok()) failure_ = status;
    if (violated_) failure_ = Violation();
    return failure_;
  }

  absl::Status TakeOutput(size_t max_bytes, std::string& out) {
    const size_t start = out.size();
    out.append(std::exchange(staged_, std::string()));
    while (out.size() - start < max_bytes) {
      const absl::StatusOr<std::string_view> frame = NextFrame();
      if (!frame.ok()) return frame.status();
      if (frame->empty()) break;
      out.append(*frame);
    }
    if (!violated_ || !failure_.ok()) return absl::OkStatus();
    // The GOAWAY waited after more than Receive() may stage.
    failure_ = Violation();
    return failure_;
  }

  bool HasFreeStream() const {
    return streams_.size() <
           nghttp2_session_get_remote_settings(session(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  }

  bool WantsOutput() const {
    return !staged_.empty() || nghttp2_session_want_write(session()) != 0;
  }

  void SendGoAway(uint32_t http2_code, std::string_view debug_data) {
    const int result = nghttp2_submit_goaway(
        session(), NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session()),
        http2_code, reinterpret_cast<const uint8_t*>(debug_data.data()), debug_data.size());
    if (result == 0) queued_goaways_.push_back({http2_code, std::string(debug_data)});
  }

  nghttp2_session* session() const { return session_.get(); }

 private:
  absl::Status Violation() const { return ProtocolError(absl::StrCat("HTTP/2: ", error_)); }

  // Bytes for the peer as nghttp2 cuts them, mostly one frame; empty: nothing now.
  absl::StatusOr<std::string_view> NextFrame() {
    const uint8_t* data = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session(), &data);
    if (size < 0) return Nghttp2Error("cannot write", size);
    return View(data, static_cast<size_t>(size));
  }

  // nghttp2 tells of most violations by nothing but a GOAWAY in its queue, which goes out ahead of
  // HEADERS and DATA. So its control frames are taken out at once, to see whether there is one.
  absl::Status StageControlFrames() {
    while (staged_.size() < kMaxStagedBytes) {
      const absl::StatusOr<std::string_view> frame = NextFrame();
      if (!frame.ok()) return frame.status();
      if (frame->empty()) break;
      staged_.append(*frame);
      if (frame->size() < kFrameHeaderBytes || frame->starts_with("PRI ")) continue;
      const auto type = static_cast<uint8_t>((*frame)[3]);
      if (type == NGHTTP2_DATA || type == NGHTTP2_HEADERS) break;
    }
    return absl::OkStatus();
  }

  // OnFrameSent() comes only at the end of a header block, which may have several frames.
  static int BeforeFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
      if (Stream* stream = From(user_data).StreamOf(frame->hd.stream_id)) {
        stream->request_sent = true;
      }
    }
    return 0;
  }

  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Impl& self = From(user_data);
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    const std::string_view debug_data =
        View(frame->goaway.opaque_data, frame->goaway.opaque_data_len);
    if (self.IsOwnGoAway(frame->goaway.error_code, debug_data)) return 0;
    self.violated_ = true;
    self.error_ = Printable(debug_data, 200);
    if (self.error_.empty()) self.error_ = nghttp2_http2_strerror(frame->goaway.error_code);
    if (frame->goaway.error_code == NGHTTP2_COMPRESSION_ERROR) {
      absl::StrAppend(&self.error_, " (a broken header block, or a header of over ", kMaxFieldBytes,
                      " bytes)");
    }
    return 0;
  }

  // They are sent in the order in which they were queued. After one of nghttp2, it takes ours and
  // drops them without a word: so what is sent must be known by what it says.
  bool IsOwnGoAway(uint32_t http2_code, std::string_view debug_data) {
    if (queued_goaways_.empty() || queued_goaways_.front().http2_code != http2_code ||
        queued_goaways_.front().debug_data != debug_data) {
      return false;
    }
    queued_goaways_.pop_front();
    return true;
  }

  static Impl& From(void* user_data) { return *static_cast<Impl*>(user_data); }

  static void SetCallbacks(nghttp2_session_callbacks* callbacks) {
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, BeforeFrameSent);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
  }

  void SubmitPreface() {
    std::vector<nghttp2_settings_entry> settings = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, options_.stream_window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<uint32_t>(options_.max_header_bytes)}};
    if (options_.role == Role::kClient) {
      settings.push_back({NGHTTP2_SETTINGS_ENABLE_PUSH, 0});
    } else {
      settings.push_back(
          {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, options_.max_concurrent_streams});
    }
    nghttp2_submit_settings(session(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    nghttp2_session_set_local_window_size(session(), NGHTTP2_FLAG_NONE, 0,
                                          static_cast<int32_t>(options_.connection_window));
  }

  nghttp2_data_provider BodyOf(Stream& stream) {
    nghttp2_data_provider body = {};
    body.source.ptr = &stream;
    body.read_callback = ReadBody;
    return body;
  }

  void Resume(Stream& stream) {
    if (!std::exchange(stream.deferred, false)) return;
    nghttp2_session_resume_data(session(), stream.id);
  }

  static ssize_t ReadBody(nghttp2_session*, int32_t, uint8_t* buffer, size_t length,
                          uint32_t* flags, nghttp2_data_source* source, void*) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    if (!stream.frame_bytes.empty()) length = std::min(length, stream.frame_bytes.front());
    const std::string_view bytes = stream.outbox.view().substr(0, length);
    if (bytes.empty() && !stream.finish) {
      stream.deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    std::memcpy(buffer, bytes.data(), bytes.size());
    const size_t size = bytes.size();
    stream.outbox.Consume(size);
    if (!stream.frame_bytes.empty()) {
      stream.framed_bytes -= size;
      if ((stream.frame_bytes.front() -= size) == 0) stream.frame_bytes.pop_front();
    }
    if (stream.finish && stream.outbox.empty()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
    }
    return static_cast<ssize_t>(size);
  }

  Stream* StreamOf(int32_t id) const {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session(), id));
  }

  static int OnBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user_data) {
    Impl& self = From(user_data);
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    auto stream = std::make_unique<Stream>();
    stream->id = frame->hd.stream_id;
    stream->visitor = self.visitor_.OnStreamOpened(stream->id);
    if (stream->visitor == nullptr) {
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, kRefusedStream);
      return 0;
    }
    nghttp2_session_set_stream_user_data(session, stream->id, stream.get());
    self.streams_.emplace(frame->hd.stream_id, std::move(stream));
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* user_data) {
    Impl& self = From(user_data);
    Stream* stream = self.StreamOf(frame->hd.stream_id);
    if (stream == nullptr) return 0;
    stream->incoming_bytes += name_size + value_size + kHeaderOverheadBytes;
    if (stream->incoming_bytes > self.options_.max_header_bytes) {
      stream->header_limit = true;
      stream->incoming = Headers();
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // resets the stream
    }
    stream->incoming.Add(View(name, name_size), View(value, value_size));
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user_data) {
    Impl& self = From(user_data);
    switch (frame->hd.type) {
      case NGHTTP2_HEADERS:
        self.OnHeadersFrame(*frame);
        break;
      case NGHTTP2_DATA:
        self.OnEndStreamFlag(*frame);
        break;
      case NGHTTP2_RST_STREAM:
        if (Stream* stream = self.StreamOf(frame->hd.stream_id)) stream->reset_by_peer = true;
        break;
      case NGHTTP2_SETTINGS:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) == 0) self.visitor_.OnSettings();
        break;
      case NGHTTP2_GOAWAY: {
        const auto& goaway = frame->goaway;
        const size_t size = std::min(goaway.opaque_data_len, kMaxDebugDataBytes);
        self.visitor_.OnGoAway({.last_stream_id = goaway.last_stream_id,
                                .http2_code = goaway.error_code,
                                .debug_data = std::string(View(goaway.opaque_data, size))});
        break;
      }
      default:
        break;
    }
    return 0;
  }

  void OnHeadersFrame(const nghttp2_frame& frame) {
    Stream* stream = StreamOf(frame.hd.stream_id);
    if (stream == nullptr) return;
    stream->incoming_bytes = 0;
    Headers headers = std::exchange(stream->incoming, Headers());
    if (options_.role == Role::kClient && IsInformational(headers)) return;
    if (stream->visitor != nullptr) stream->visitor->OnHeaders(std::move(headers));
    OnEndStreamFlag(frame);
  }

  void OnEndStreamFlag(const nghttp2_frame& frame) {
    if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return;
    Stream* stream = StreamOf(frame.hd.stream_id);
    if (stream != nullptr && stream->visitor != nullptr) stream->visitor->OnRemoteEnd();
  }

  static int OnData(nghttp2_session* session, uint8_t, int32_t stream_id, const uint8_t* data,
                    size_t size, void* user_data) {
    Impl& self = From(user_data);
    // Mostly a piece for the stream that got the last one: nghttp2 looks it up in a map.
    if (self.data_stream_ == nullptr || self.data_stream_->id != stream_id) {
      self.data_stream_ = self.StreamOf(stream_id);
    }
    const Stream* stream = self.data_stream_;
    if (stream != nullptr && stream->visitor != nullptr) {
      stream->visitor->OnData(View(data, size));
    } else {
      nghttp2_session_consume(session, stream_id, size);
    }
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, int32_t stream_id, uint32_t error_code,
                           void* user_data) {
    Impl& self = From(user_data);
    const auto entry = self.streams_.find(stream_id);
    if (entry == self.streams_.end()) return 0;
    // nghttp2 drops the pending body of a closed stream before it calls us.
    const std::unique_ptr<Stream> stream = std::move(entry->second);
    self.streams_.erase(entry);
    if (self.data_stream_ == stream.get()) self.data_stream_ = nullptr;
    if (stream->visitor == nullptr) return 0;
    stream->visitor->OnClosed(
        {.http2_code = error_code,
         .by_peer = stream->reset_by_peer,
         .header_limit = stream->header_limit,
         .unsent = self.options_.role == Role::kClient && !stream->request_sent});
    return 0;
  }

  const SessionOptions options_;
  SessionVisitor& visitor_;
  absl::flat_hash_map<int32_t, std::unique_ptr<Stream>> streams_;
  Stream* data_stream_ = nullptr;         // got the last DATA
  std::string staged_;                    // taken out of nghttp2 by Receive(), for TakeOutput()
  absl::Status failure_;                  // of Receive(), which stays failed
  std::deque<OwnGoAway> queued_goaways_;  // of SendGoAway()
  bool violated_ = false;                 // nghttp2 ended the session because of the peer
  std::string error_;                     // why
  Nghttp2Ptr<nghttp2_session> session_;
};

Session::Session(const SessionOptions& options, SessionVisitor& visitor)
    : impl_(std::make_unique<Impl>(options, visitor)) {}
Session::~Session() = default;

absl::StatusOr<int32_t> Session::SubmitRequest(const Headers& headers, EndStream end,
                                               StreamVisitor& visitor) {
  return impl_->SubmitRequest(headers, end, visitor);
}

absl::Status Session::SubmitResponse(int32_t stream_id, const Headers& headers, EndStream end) {
  return impl_->SubmitResponse(stream_id, headers, end);
}

void Session::Write(int32_t stream_id, std::string_view bytes) {
  if (auto* stream = impl_->Find(stream_id)) impl_->Write(*stream, bytes);
}

void Session::WriteFrame(int32_t stream_id, std::string_view bytes) {
  if (auto* stream = impl_->Find(stream_id)) impl_->WriteFrame(*stream, bytes);
}

void Session::FinishWrite(int32_t stream_id) {
  if (auto* stream = impl_->Find(stream_id)) impl_->Finish(*stream);
}

void Session::Reset(int32_t stream_id, uint32_t http2_code) { impl_->Reset(stream_id, http2_code); }

void Session::Detach(int32_t stream_id) {
  if (auto* stream = impl_->Find(stream_id)) stream->visitor = nullptr;
}

bool Session::request_sent(int32_t stream_id) const {
  const auto* stream = impl_->Find(stream_id);
  return stream == nullptr || stream->request_sent;
}

bool Session::accepts_requests() const {
  return nghttp2_session_check_request_allowed(impl_->session()) != 0;
}

bool Session::has_free_stream() const { return impl_->HasFreeStream(); }

size_t Session::unsent_bytes(int32_t stream_id) const {
  const auto* stream = impl_->Find(stream_id);
  return stream == nullptr ? 0 : stream->outbox.size();
}

bool Session::is_open(int32_t stream_id) const { return impl_->Find(stream_id) != nullptr; }

size_t Session::room(int32_t stream_id) const {
  const auto* stream = impl_->Find(stream_id);
  if (stream == nullptr) return 0;
  const int32_t window =
      std::min(nghttp2_session_get_stream_remote_window_size(impl_->session(), stream_id),
               nghttp2_session_get_remote_window_size(impl_->session()));
  const size_t bytes = static_cast<size_t>(std::max(window, 0));
  return bytes - std::min(bytes, stream->outbox.size());
}

void Session::ConsumeConnection(size_t bytes) {
  nghttp2_session_consume_connection(impl_->session(), bytes);
}

void Session::ConsumeStream(int32_t stream_id, size_t bytes) {
  nghttp2_session_consume_stream(impl_->session(), stream_id, bytes);
}

void Session::Ping() { nghttp2_submit_ping(impl_->session(), NGHTTP2_FLAG_NONE, nullptr); }

void Session::SendGoAway(uint32_t http2_code, std::string_view debug_data) {
  impl_->SendGoAway(http2_code, debug_data);
}

absl::Status Session::Receive(std::string_view bytes) {
  impl_->Feed(bytes);
  return impl_->EndFeed();
}

void Session::Feed(std::string_view bytes) { impl_->Feed(bytes); }

absl::Status Session::EndFeed() { return impl_->EndFeed(); }

absl::Status Session::TakeOutput(size_t max_bytes, std::string& out) {
  return impl_->TakeOutput(max_bytes, out);
}

bool Session::WantsOutput() const { return impl_->WantsOutput(); }

}  // namespace cursorwire::h2
