#ifndef CURSORWIRE_BENCH_CUTTER_H_
#define CURSORWIRE_BENCH_CUTTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/envelope.h"

namespace cursorwire::bench {

// The least that cuts a body into envelopes: in place unless one is split, and without limits.
class Cutter {
 public:
  size_t messages() const { return messages_; }
  bool ended() const { return ended_; }

  // Calls `on_message` with the payload of each complete envelope.
  template <typename OnMessage>
  void Feed(std::string_view bytes, OnMessage on_message) {
    if (!partial_.empty()) {
      partial_.append(bytes);
      const size_t used = Cut(partial_, on_message);
      partial_.erase(0, used);
      return;
    }
    partial_.assign(bytes.substr(Cut(bytes, on_message)));
  }

 private:
  // Length of the whole envelopes at the front.
  template <typename OnMessage>
  size_t Cut(std::string_view bytes, OnMessage& on_message) {
    size_t used = 0;
    while (bytes.size() - used >= wire::kEnvelopePrefixBytes) {
      const auto* prefix = reinterpret_cast<const uint8_t*>(bytes.data() + used);
      const size_t length = (size_t{prefix[1]} << 24) | (size_t{prefix[2]} << 16) |
                            (size_t{prefix[3]} << 8) | prefix[4];
      if (bytes.size() - used - wire::kEnvelopePrefixBytes < length) break;
      if ((prefix[0] & wire::kEnvelopeEndStream) != 0) {
        ended_ = true;
      } else {
        ++messages_;
        on_message(bytes.substr(used + wire::kEnvelopePrefixBytes, length));
      }
      used += wire::kEnvelopePrefixBytes + length;
    }
    return used;
  }

  std::string partial_;
  size_t messages_ = 0;
  bool ended_ = false;
};

}  // namespace cursorwire::bench

#endif  // CURSORWIRE_BENCH_CUTTER_H_
