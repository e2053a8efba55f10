// Feeds a proxy's bytes to a tunnel, whole and in single bytes: both must come to the same, and
// nothing that a user keeps secret may be in an error.
//
// Input: byte 0 is the kind of proxy, and whether there is a user; the rest are the proxy's bytes.

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/tunnel.h"
#include "support/harness.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::proxy::MakeTunnel;
using cursorwire::proxy::Proxy;
using cursorwire::proxy::ProxyKind;
using cursorwire::proxy::ProxyUser;
using cursorwire::proxy::Tunnel;

constexpr char kSecret[] = "q9$Z";

struct Result {
  std::string sent{};
  std::string rest{};
  bool is_there = false;
  std::string error{};
};

Result Speak(const Proxy& proxy, std::string_view bytes, size_t piece_bytes) {
  const std::unique_ptr<Tunnel> tunnel = *MakeTunnel(proxy, "ample.com", 443);
  Result result{.sent = tunnel->TakeOutput()};
  while (!bytes.empty()) {
    const std::string piece(bytes.substr(0, piece_bytes));
    bytes.remove_prefix(piece.size());
    const auto rest = tunnel->Receive(piece);
    if (!rest.ok()) {
      Check(absl::IsUnavailable(rest.status()));
      result.error = std::string(rest.status().message());
      Check(result.error.starts_with("the proxy ") && result.error.size() < 400);
      Check(result.error.find(kSecret) == std::string::npos);
      return result;
    }
    result.sent += tunnel->TakeOutput();
    if (!rest->has_value()) continue;
    result.is_there = true;
    result.rest = **rest + std::string(bytes);
    break;
  }
  return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Proxy proxy{.kind = (data[0] & 1) != 0 ? ProxyKind::kSocks5h : ProxyKind::kHttp, .host = "p"};
  if ((data[0] & 2) != 0) proxy.user = ProxyUser{.name = "user", .password = kSecret};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Result whole = Speak(proxy, bytes, size);
  const Result pieces = Speak(proxy, bytes, 1);
  // What is said before an error depends on what came with it.
  Check(whole.error == pieces.error && whole.is_there == pieces.is_there);
  Check(whole.rest == pieces.rest && (!whole.is_there || whole.sent == pieces.sent));
  return 0;
}
