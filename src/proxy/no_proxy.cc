#include "proxy/no_proxy.h"

#include <absl/strings/numbers.h>
#include <arpa/inet.h>

#include <algorithm>

#include "base/strings.h"

namespace cursorwire::proxy {
namespace {

constexpr int kMappedBits = 96;
constexpr size_t kIp4Bytes = 4;

std::optional<int> ParseNumber(std::string_view text, int max) {
  int number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos ||
      !absl::SimpleAtoi(ToAbsl(text), &number) || number > max) {
    return std::nullopt;
  }
  return number;
}

// nullopt: it is no "ADDRESS/BITS".
std::optional<bool> IsInNetwork(std::string_view entry, const IpAddress& address) {
  const size_t slash = entry.find('/');
  if (slash == entry.npos) return std::nullopt;
  const std::optional<IpAddress> network = IpAddress::Parse(entry.substr(0, slash));
  if (!network) return std::nullopt;
  const std::optional<int> prefix = ParseNumber(entry.substr(slash + 1), network->bits());
  return prefix && address.IsIn(*network, *prefix);
}

// Takes ":PORT" off an entry, which is not a whole address of IPv6.
std::optional<int> TakePort(std::string_view& entry) {
  const size_t colon = entry.rfind(':');
  if (colon == entry.npos || IpAddress::Parse(entry)) return std::nullopt;
  if (entry.find(':') != colon && entry[colon - 1] != ']') return std::nullopt;
  const std::optional<int> port = ParseNumber(entry.substr(colon + 1), 65535);
  if (port) entry.remove_suffix(entry.size() - colon);
  return port;
}

bool IsDomainOf(std::string_view entry, std::string_view host) {
  if (entry.starts_with("*.")) entry.remove_prefix(1);
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.ends_with('.')) entry.remove_suffix(1);
  const std::string domain = ToLower(entry);
  if (domain.empty() || !host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool Matches(std::string_view entry, std::string_view host, int port) {
  if (entry == "*") return true;
  if (const std::optional<int> of_entry = TakePort(entry); of_entry && *of_entry != port) {
    return false;
  }
  const std::optional<IpAddress> address = IpAddress::Parse(host);
  if (!address) return IsDomainOf(entry, host);
  if (const std::optional<bool> is_in = IsInNetwork(entry, *address)) return *is_in;
  const std::optional<IpAddress> same = IpAddress::Parse(entry);
  return same && address->IsIn(*same, same->bits());
}

}  // namespace

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  const std::string copy(text);
  IpAddress address;
  if (::inet_pton(AF_INET, copy.c_str(), address.bytes_.data()) == 1) {
    address.is_v4_ = true;
    return address;
  }
  if (::inet_pton(AF_INET6, copy.c_str(), address.bytes_.data()) != 1) return std::nullopt;
  IpAddress mapped;
  mapped.bytes_[10] = mapped.bytes_[11] = 0xff;
  if (!address.IsIn(mapped, kMappedBits)) return address;
  IpAddress v4;
  v4.is_v4_ = true;
  std::copy_n(address.bytes_.end() - kIp4Bytes, kIp4Bytes, v4.bytes_.begin());
  return v4;
}

bool IpAddress::IsIn(const IpAddress& network, int prefix) const {
  if (is_v4_ != network.is_v4_) return false;
  for (size_t i = 0; prefix > 0; ++i, prefix -= 8) {
    const int ignored = std::max(8 - prefix, 0);
    if ((bytes_[i] ^ network.bytes_[i]) >> ignored != 0) return false;
  }
  return true;
}

bool IpAddress::is_loopback() const {
  if (is_v4_) return bytes_[0] == 127;
  return std::all_of(bytes_.begin(), bytes_.end() - 1, [](uint8_t byte) { return byte == 0; }) &&
         bytes_.back() == 1;
}

bool IsLoopbackHost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host == "localhost" || host.ends_with(".localhost")) return true;
  const std::optional<IpAddress> address = IpAddress::Parse(host);
  return address && address->is_loopback();
}

bool IsInNoProxy(std::string_view list, std::string_view host, int port) {
  if (host.ends_with('.')) host.remove_suffix(1);
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find_first_of(", \t"));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    if (!entry.empty() && Matches(entry, host, port)) return true;
  }
  return false;
}

}  // namespace cursorwire::proxy
