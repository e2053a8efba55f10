#include "http/client.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "base/url.h"
#include "cursorwire/connect/version.h"
#include "http/curl_library.h"
#include "proxy/proxy_choice.h"

namespace cursorwire::http {
namespace {

using connect::TimePoint;

constexpr int kMaxRedirects = 5;
// Bodies that nobody has taken yet, at which no more are read.
constexpr size_t kMaxBodiesBytes = size_t{1024} * 1024;

// Only once Create() has found that it is there.
const CurlLibrary& Curl() { return **CurlLibrary::Get(); }

struct EasyDeleter {
  void operator()(CURL* easy) const { Curl().easy_cleanup(easy); }
};
struct MultiDeleter {
  void operator()(CURLM* multi) const { Curl().multi_cleanup(multi); }
};
struct ListDeleter {
  void operator()(curl_slist* list) const { Curl().slist_free_all(list); }
};
struct UrlDeleter {
  void operator()(CURLU* url) const { Curl().url_cleanup(url); }
};

// Scheme, host and port. Empty: this is no URL.
std::string OriginOf(const std::string& text) {
  const std::unique_ptr<CURLU, UrlDeleter> url(Curl().url());
  if (url == nullptr || Curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return "";
  }
  std::string origin;
  for (const CURLUPart part : {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT}) {
    char* value = nullptr;
    if (Curl().url_get(url.get(), part, &value, CURLU_DEFAULT_PORT) != CURLUE_OK) return "";
    absl::StrAppend(&origin, value, " ");
    Curl().free(value);
  }
  return absl::AsciiStrToLower(origin);
}

// As libcurl reads it, which takes more for a URL than this client's own. Of an origin.
Url TargetOf(const std::string& url) {
  const std::vector<std::string> pieces = absl::StrSplit(OriginOf(url), ' ');
  Url target{.https = pieces[0] == "https", .host = pieces[1]};
  if (target.host.starts_with('[')) target.host = target.host.substr(1, target.host.size() - 2);
  if (!absl::SimpleAtoi(pieces[2], &target.port)) target.port = target.https ? 443 : 80;
  return target;
}

bool IsHttp(const std::string& origin) {
  return origin.starts_with("http ") || origin.starts_with("https ");
}

// In words of libcurl, without the login.
std::string UrlOf(const proxy::Proxy& proxy) {
  switch (proxy.kind) {
    case proxy::ProxyKind::kHttp:
      return absl::StrCat("http://", proxy.address());
    case proxy::ProxyKind::kHttps:
      return absl::StrCat("https://", proxy.address());
    case proxy::ProxyKind::kSocks5:
      return absl::StrCat("socks5://", proxy.address());
    case proxy::ProxyKind::kSocks5h:
      break;
  }
  return absl::StrCat("socks5h://", proxy.address());
}

bool IsRedirect(long status) { return status == 307 || status == 308; }

}  // namespace

class Client::Impl {
 public:
  Impl(ClientOptions options, std::optional<proxy::Proxy> proxy, CURLM* multi)
      : options_(std::move(options)), proxy_(std::move(proxy)), multi_(multi) {
    Curl().multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &Impl::OnSocket);
    Curl().multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
    Curl().multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &Impl::OnTimer);
    Curl().multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  }
  ~Impl() {
    while (!transfers_.empty()) Abort(transfers_.begin()->first);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Start(const Request& request) {
    auto transfer = std::make_unique<Transfer>();
    transfer->id = request.id;
    transfer->owner = this;
    transfer->easy.reset(Curl().easy_init());
    transfer->body = request.body;
    if (transfer->easy == nullptr) return Finish(request.id, NoMemory());
    if (!SetUp(*transfer, request) ||
        Curl().multi_add_handle(multi_.get(), transfer->easy.get()) != CURLM_OK) {
      return Finish(request.id, NoMemory());
    }
    transfers_.emplace(request.id, std::move(transfer));
  }

  void Abort(uint64_t id) {
    const auto it = transfers_.find(id);
    if (it == transfers_.end()) return;
    Curl().multi_remove_handle(multi_.get(), it->second->easy.get());
    transfers_.erase(it);
    std::erase_if(events_, [this, id](const Event& event) {
      if (event.id != id) return false;
      if (const auto* body = std::get_if<Body>(&event.what)) {
        bodies_bytes_ -= body->bytes.size();
      }
      return true;
    });
  }

  void Watch(net::Poller& poller, bool wants_output) {
    wants_output_ = wants_output;
    watched_.clear();
    for (const auto& [fd, what] : sockets_) {
      if (what != CURL_POLL_IN && what != CURL_POLL_OUT && what != CURL_POLL_INOUT) continue;
      const auto interest =
          what == CURL_POLL_IN ? net::Poller::Interest::kRead : net::Poller::Interest::kReadWrite;
      watched_.emplace_back(fd, poller.Add(fd, interest));
    }
  }

  void Handle(const net::Poller& poller) {
    if (CanRead()) Unpause();
    int running = 0;
    for (const auto& [fd, index] : std::exchange(watched_, {})) {
      const int mask = (poller.readable(index) ? CURL_CSELECT_IN : 0) |
                       (poller.writable(index) ? CURL_CSELECT_OUT : 0);
      if (mask != 0) Curl().multi_socket_action(multi_.get(), fd, mask, &running);
    }
    if (timer_ && *timer_ <= net::Now()) {
      timer_.reset();
      Curl().multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
    }
    TakeEnded();
  }

  std::optional<Event> NextEvent() {
    if (events_.empty()) return std::nullopt;
    Event event = std::move(events_.front());
    events_.pop_front();
    if (const auto* body = std::get_if<Body>(&event.what)) bodies_bytes_ -= body->bytes.size();
    return event;
  }

  std::optional<TimePoint> deadline() const {
    const bool unpauses = CanRead() && std::any_of(transfers_.begin(), transfers_.end(),
                                                   [](const auto& t) { return t.second->paused; });
    if (unpauses || !events_.empty()) return TimePoint{};
    return timer_;
  }

 private:
  struct Transfer {
    uint64_t id = 0;
    Impl* owner = nullptr;
    std::string body{};
    std::array<char, CURL_ERROR_SIZE> error{};
    Head head{};
    bool head_told = false;
    bool paused = false;
    int redirects = 0;
    std::unique_ptr<curl_slist, ListDeleter> headers{};
    std::unique_ptr<CURL, EasyDeleter> easy{};  // before what it uses is gone
  };

  static absl::Status NoMemory() {
    return LocalError(absl::StatusCode::kResourceExhausted, "there is no memory for it");
  }

  bool CanRead() const { return wants_output_ && bodies_bytes_ < kMaxBodiesBytes; }

  // False: there is no memory for it.
  bool SetUp(Transfer& transfer, const Request& request) {
    for (const auto& [name, value] : request.headers) {
      // This form is that of a header with an empty value.
      const std::string line = value.empty() ? name + ";" : absl::StrCat(name, ": ", value);
      if (!AddHeader(transfer, line)) return false;
    }
    // No extra round trip for long bodies.
    if (!AddHeader(transfer, "Expect:")) return false;
    CURL* easy = transfer.easy.get();
    if (Curl().easy_setopt(easy, CURLOPT_URL, options_.url.c_str()) != CURLE_OK) return false;
    // libcurl makes a request again if a connection that it has used before ends without a byte.
    if (request.once) Curl().easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    // Nobody waits for a look-up of its name that hangs.
    Curl().easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
    Curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    UseProxy(easy);
    Curl().easy_setopt(easy, CURLOPT_HTTPHEADER, transfer.headers.get());
    if (request.method == "POST") {
      Curl().easy_setopt(easy, CURLOPT_POST, 1L);
      Curl().easy_setopt(easy, CURLOPT_POSTFIELDS, transfer.body.data());
      Curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(transfer.body.size()));
    } else {
      Curl().easy_setopt(easy, CURLOPT_HTTPGET, 1L);
      Curl().easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
    }
    Curl().easy_setopt(easy, CURLOPT_USERAGENT,
                       absl::StrCat("cursorwire/", ToAbsl(connect::Version())).c_str());
    Curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    Curl().easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    Curl().easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    Curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                       static_cast<long>(options_.connect_timeout.count()));
    if (!Trust(easy)) return false;
    Curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error.data());
    Curl().easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Impl::OnHeader);
    Curl().easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
    Curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Impl::OnBody);
    Curl().easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
    Curl().easy_setopt(easy, CURLOPT_PRIVATE, &transfer);
    return true;
  }

  // What was decided, and not what libcurl makes of the environment.
  void UseProxy(CURL* easy) {
    Curl().easy_setopt(easy, CURLOPT_NOPROXY, "");
    Curl().easy_setopt(easy, CURLOPT_PROXY, proxy_ ? UrlOf(*proxy_).c_str() : "");
    if (!proxy_ || !proxy_->user) return;
    Curl().easy_setopt(easy, CURLOPT_PROXYUSERNAME, proxy_->user->name.c_str());
    Curl().easy_setopt(easy, CURLOPT_PROXYPASSWORD, proxy_->user->password.c_str());
  }

  bool Trust(CURL* easy) {
    if (options_.ca_pem.empty()) return TrustEnvironment(easy);
    curl_blob certificates{
        .data = options_.ca_pem.data(), .len = options_.ca_pem.size(), .flags = CURL_BLOB_NOCOPY};
    return Curl().easy_setopt(easy, CURLOPT_CAINFO_BLOB, &certificates) == CURLE_OK &&
           Curl().easy_setopt(easy, CURLOPT_PROXY_CAINFO_BLOB, &certificates) == CURLE_OK;
  }

  // As OpenSSL does, and curl, but not libcurl.
  static bool TrustEnvironment(CURL* easy) {
    const auto trust = [easy](const char* variable, CURLoption of_host, CURLoption of_proxy) {
      const std::string place = proxy::OwnEnvironment(variable);
      return place.empty() || (Curl().easy_setopt(easy, of_host, place.c_str()) == CURLE_OK &&
                               Curl().easy_setopt(easy, of_proxy, place.c_str()) == CURLE_OK);
    };
    return trust("SSL_CERT_FILE", CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO) &&
           trust("SSL_CERT_DIR", CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH);
  }

  static bool AddHeader(Transfer& transfer, const std::string& line) {
    curl_slist* list = Curl().slist_append(transfer.headers.get(), line.c_str());
    if (list == nullptr) return false;
    (void)transfer.headers.release();  // it is part of `list`
    transfer.headers.reset(list);
    return true;
  }

  static long StatusOf(const Transfer& transfer) {
    long status = 0;
    Curl().easy_getinfo(transfer.easy.get(), CURLINFO_RESPONSE_CODE, &status);
    return status;
  }

  static size_t OnHeader(char* bytes, size_t /*one*/, size_t size, void* data) {
    auto& transfer = *static_cast<Transfer*>(data);
    std::string_view line(bytes, size);
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    if (transfer.head_told) return size;  // a trailer
    const size_t colon = line.find(':');
    if (line.empty()) {
      const long status = StatusOf(transfer);
      if (status >= 200 && !IsRedirect(status)) transfer.owner->TellHead(transfer);
    } else if (line.starts_with("HTTP/")) {
      transfer.head = {};
    } else if (colon != line.npos) {
      TakeHeader(transfer.head, line.substr(0, colon), line.substr(colon + 1));
    }
    return size;
  }

  static void TakeHeader(Head& head, std::string_view name, std::string_view value) {
    const std::string text(absl::StripAsciiWhitespace(ToAbsl(value)));
    if (absl::EqualsIgnoreCase(ToAbsl(name), "content-type")) {
      head.content_type = absl::AsciiStrToLower(
          absl::StripAsciiWhitespace(absl::string_view(text).substr(0, text.find(';'))));
    } else if (absl::EqualsIgnoreCase(ToAbsl(name), "mcp-session-id")) {
      head.session_id = text;
    } else if (absl::EqualsIgnoreCase(ToAbsl(name), "location")) {
      head.location = text;
    } else if (absl::EqualsIgnoreCase(ToAbsl(name), "www-authenticate")) {
      // Several are one list. Source: RFC 9110, 5.3.
      absl::StrAppend(&head.authenticate, head.authenticate.empty() ? "" : ", ", text);
    }
  }

  void TellHead(Transfer& transfer) {
    transfer.head_told = true;
    transfer.head.status = static_cast<int>(StatusOf(transfer));
    events_.push_back({.id = transfer.id, .what = transfer.head});
  }

  static size_t OnBody(char* bytes, size_t /*one*/, size_t size, void* data) {
    auto& transfer = *static_cast<Transfer*>(data);
    Impl& impl = *transfer.owner;
    if (!transfer.head_told) return size;  // of a redirect
    if (!impl.CanRead()) {
      transfer.paused = true;
      return CURL_WRITEFUNC_PAUSE;
    }
    impl.bodies_bytes_ += size;
    impl.events_.push_back({.id = transfer.id, .what = Body{std::string(bytes, size)}});
    return size;
  }

  void Unpause() {
    for (const auto& [id, transfer] : transfers_) {
      if (std::exchange(transfer->paused, false)) {
        Curl().easy_pause(transfer->easy.get(), CURLPAUSE_CONT);
      }
    }
  }

  void TakeEnded() {
    int left = 0;
    while (const CURLMsg* message = Curl().multi_info_read(multi_.get(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      Transfer* transfer = nullptr;
      const CURLcode code = message->data.result;
      Curl().easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
      Curl().multi_remove_handle(multi_.get(), message->easy_handle);
      if (code == CURLE_OK && Redirect(*transfer)) continue;
      if (code == CURLE_OK && !transfer->head_told) TellHead(*transfer);
      const std::string text = transfer->error[0] != '\0' ? std::string(transfer->error.data())
                                                          : Curl().easy_strerror(code);
      const uint64_t id = transfer->id;
      transfers_.erase(id);
      Finish(id, code == CURLE_OK ? absl::OkStatus() : TransportError(text, Replay::kUnsafe));
    }
  }

  // True: it was begun again at another URL.
  bool Redirect(Transfer& transfer) {
    char* url = nullptr;
    CURL* easy = transfer.easy.get();
    if (!IsRedirect(StatusOf(transfer)) || transfer.redirects >= kMaxRedirects) return false;
    if (Curl().easy_getinfo(easy, CURLINFO_REDIRECT_URL, &url) != CURLE_OK || url == nullptr) {
      return false;
    }
    const std::string target = url;
    if (OriginOf(target) != OriginOf(options_.url)) return false;
    ++transfer.redirects;
    transfer.head = {};
    return Curl().easy_setopt(easy, CURLOPT_URL, target.c_str()) == CURLE_OK &&
           Curl().multi_add_handle(multi_.get(), easy) == CURLM_OK;
  }

  void Finish(uint64_t id, absl::Status status) {
    events_.push_back({.id = id, .what = End{std::move(status)}});
  }

  static int OnSocket(CURL* /*easy*/, curl_socket_t fd, int what, void* data, void* /*of_socket*/) {
    auto& sockets = static_cast<Impl*>(data)->sockets_;
    if (what == CURL_POLL_REMOVE) {
      sockets.erase(fd);
    } else {
      sockets[fd] = what;
    }
    return 0;
  }

  static int OnTimer(CURLM* /*multi*/, long milliseconds, void* data) {
    auto& timer = static_cast<Impl*>(data)->timer_;
    timer.reset();
    if (milliseconds >= 0) timer = net::Now() + std::chrono::milliseconds(milliseconds);
    return 0;
  }

  ClientOptions options_;
  const std::optional<proxy::Proxy> proxy_;
  // Before `multi_`, whose end calls back.
  std::map<curl_socket_t, int> sockets_;
  std::optional<TimePoint> timer_;
  std::deque<Event> events_;
  size_t bodies_bytes_ = 0;
  bool wants_output_ = true;
  std::vector<std::pair<curl_socket_t, size_t>> watched_;  // with their indices in the poller
  const std::unique_ptr<CURLM, MultiDeleter> multi_;
  std::map<uint64_t, std::unique_ptr<Transfer>> transfers_;
};

absl::StatusOr<std::unique_ptr<Client>> Client::Create(ClientOptions options) {
  const absl::StatusOr<const CurlLibrary*> library = CurlLibrary::Get();
  if (!library.ok()) return library.status();
  if (!IsHttp(OriginOf(options.url)))
    return InvalidArgument("its \"url\" is no URL of http or https");
  absl::StatusOr<std::optional<proxy::Proxy>> proxy =
      proxy::ChooseProxy(TargetOf(options.url), options.proxy);
  if (!proxy.ok()) return proxy.status();
  CURLM* multi = Curl().multi_init();
  if (multi == nullptr) {
    return LocalError(absl::StatusCode::kResourceExhausted, "there is no memory for it");
  }
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(std::move(options), *std::move(proxy), multi)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

void Client::Start(const Request& request) { impl_->Start(request); }
void Client::Abort(uint64_t id) { impl_->Abort(id); }
void Client::Watch(net::Poller& poller, bool wants_output) { impl_->Watch(poller, wants_output); }
void Client::Handle(const net::Poller& poller) { impl_->Handle(poller); }
std::optional<Event> Client::NextEvent() { return impl_->NextEvent(); }
std::optional<TimePoint> Client::deadline() const { return impl_->deadline(); }

}  // namespace cursorwire::http
