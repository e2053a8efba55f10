// curl-peer: libcurl as a client of stream-bench, with framing of its own.
#include <absl/strings/str_cat.h>
#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "cutter.h"
#include "peers/peer_main.h"
#include "text_message.h"

namespace cursorwire::bench {
namespace {

using std::chrono::steady_clock;

constexpr long kReceiveBufferBytes = 512 * 1024;  // the largest that libcurl allows

struct HandleDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One call. A ping-pong sends from within the function that receives.
class CurlCall {
 public:
  CurlCall(CURL* handle, const Work& work, Latencies& latencies)
      : handle_(handle), work_(work), latencies_(latencies) {
    ping_pong_ = work.shape.kind == ShapeKind::kPingPong;
    if (ping_pong_) Ping();
  }

  static size_t OnWrite(char* bytes, size_t, size_t size, void* self) {
    auto& call = *static_cast<CurlCall*>(self);
    call.cutter_.Feed({bytes, size}, [&call](std::string_view) { call.OnMessage(); });
    return size;
  }

  static size_t OnRead(char* buffer, size_t, size_t size, void* self) {
    auto& call = *static_cast<CurlCall*>(self);
    const size_t count = std::min(size, call.outbox_.size());
    if (count == 0) return call.pings_ < call.Pings() || call.Waiting() ? CURL_READFUNC_PAUSE : 0;
    std::copy_n(call.outbox_.begin(), count, buffer);
    call.outbox_.erase(0, count);
    return count;
  }

  size_t messages() const { return cutter_.messages(); }
  bool ended() const { return cutter_.ended(); }

 private:
  size_t Pings() const { return ping_pong_ ? work_.messages : 0; }
  bool Waiting() const { return pongs_ < pings_; }

  void OnMessage() {
    if (!ping_pong_) return;
    ++pongs_;
    latencies_.push_back(steady_clock::now() - sent_);
    if (pings_ < Pings()) Ping();
    curl_easy_pause(handle_, CURLPAUSE_CONT);  // the next ping, or the end of the request
  }

  void Ping() {
    ++pings_;
    sent_ = steady_clock::now();
    (void)wire::AppendEnvelope(0, TextMessage(work_.shape.message_bytes), outbox_);
  }

  CURL* const handle_;
  const Work& work_;
  Latencies& latencies_;
  bool ping_pong_ = false;
  Cutter cutter_;
  std::string outbox_;
  size_t pings_ = 0;
  size_t pongs_ = 0;
  steady_clock::time_point sent_;
};

class CurlPeer final : public Peer {
 public:
  explicit CurlPeer(ServerAddress server)
      : Peer("libcurl", std::move(server)), handle_(curl_easy_init()) {}

  absl::Status Run(const Work& work, Latencies& latencies) override {
    CURL* handle = handle_.get();
    curl_easy_reset(handle);  // keeps the connection
    CurlCall call(handle, work, latencies);
    const std::string url = "https://localhost:" + std::to_string(server().port) + kRunPath;
    std::string ca_pem = server().ca_pem;
    curl_blob ca{.data = ca_pem.data(), .len = ca_pem.size(), .flags = CURL_BLOB_NOCOPY};
    const std::unique_ptr<curl_slist, ListDeleter> headers(HeaderList(work));
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_IPRESOLVE, CURL_IPRESOLVE_V4);
    curl_easy_setopt(handle, CURLOPT_CAINFO_BLOB, &ca);
    curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, kReceiveBufferBytes);
    curl_easy_setopt(handle, CURLOPT_POST, 1L);
    // Without a request body, the size says so: libcurl 7.88 does not end an empty body in parts.
    const bool has_body = work.shape.kind == ShapeKind::kPingPong;
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, has_body ? nullptr : "");
    curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, has_body ? -1L : 0L);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_READFUNCTION, CurlCall::OnRead);
    curl_easy_setopt(handle, CURLOPT_READDATA, &call);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, CurlCall::OnWrite);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &call);
    const CURLcode code = curl_easy_perform(handle);
    if (code != CURLE_OK) return absl::UnavailableError(curl_easy_strerror(code));
    return call.ended() && call.messages() == work.messages ? absl::OkStatus() : OtherNumber();
  }

 private:
  static curl_slist* HeaderList(const Work& work) {
    curl_slist* list = nullptr;
    for (const char* line : {"content-type: application/connect+proto",
                             "connect-protocol-version: 1", "expect:", "transfer-encoding:"}) {
      list = curl_slist_append(list, line);
    }
    for (const auto& [name, value] : HeadersOf(work)) {
      list = curl_slist_append(list, absl::StrCat(name, ": ", value).c_str());
    }
    return list;
  }

  const std::unique_ptr<CURL, HandleDeleter> handle_;
};

}  // namespace
}  // namespace cursorwire::bench

int main(int argc, char** argv) {
  return cursorwire::bench::PeerMain<cursorwire::bench::CurlPeer>(argc, argv);
}
