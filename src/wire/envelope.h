#ifndef CURSORWIRE_SRC_WIRE_ENVELOPE_H_
#define CURSORWIRE_SRC_WIRE_ENVELOPE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_queue.h"

namespace cursorwire::wire {

// Flag bits of an envelope. Source: Connect protocol, "Streaming RPCs"; docs/protocol.md, framing.
constexpr uint8_t kEnvelopeCompressed = 0x01;
constexpr uint8_t kEnvelopeEndStream = 0x02;

// Flags (1 byte) and length (4 bytes, big-endian) before each payload.
constexpr size_t kEnvelopePrefixBytes = 5;
constexpr size_t kDefaultMaxMessageBytes = size_t{64} * 1024 * 1024;

// Appends one envelope to `out`.
//   kResourceExhausted  the payload does not fit the 32-bit length
absl::Status AppendEnvelope(uint8_t flags, std::string_view payload, std::string& out);

struct EnvelopeView {
  uint8_t flags = 0;
  std::string_view payload{};
  // Size of the whole envelope: the flow-control credit to return to the peer once the consumer is
  // done with the payload.
  size_t credit = 0;
};

// Cuts a Connect body into envelopes, wherever the body is split.
//
// Order: Feed() any number of times; after each, Next() until it returns nullopt; Finish() once.
// After an error the decoder stays failed.
//
// Memory: the bytes that were fed and not yet taken by Next(). An incomplete envelope takes at most
// `max_message_bytes` + 5 bytes, plus `compressed_slack` if it is compressed; a larger length is
// refused as soon as the prefix is complete. Time: linear in the bytes, however they arrive.
// Thread-compatible. Source: Connect protocol, "Streaming RPCs".
class EnvelopeDecoder {
 public:
  // `compressed_slack`: how much longer a compressed payload may be, since incompressible data
  // grows a little.
  explicit EnvelopeDecoder(size_t max_message_bytes = kDefaultMaxMessageBytes,
                           size_t compressed_slack = 0)
      : max_message_bytes_(max_message_bytes), compressed_slack_(compressed_slack) {}

  // Takes the next bytes of the body. Returns the size of the envelopes that these bytes complete;
  // Next() hands it out as EnvelopeView::credit.
  size_t Feed(std::string_view bytes);

  // The next complete envelope, or nullopt if more bytes are needed. The view is valid until the
  // next Feed() or Next().
  //   kResourceExhausted  length over the limit
  absl::StatusOr<std::optional<EnvelopeView>> Next();

  // The same for an envelope without flags alone: nullopt if the next one has some, if there is
  // none, and after an error; then Next() says more.
  std::optional<EnvelopeView> NextPlain();

  // Call once, when the body has ended and Next() has returned nullopt.
  //   kInternal  the body ended inside an envelope
  absl::Status Finish() const;

  // Bytes that were fed and not yet taken, without the envelope that Next() returned last.
  size_t buffered_bytes() const { return queue_.size() - taken_bytes_; }

 private:
  bool IsOneEnvelope(std::string_view bytes) const;
  size_t ScanPrefix(std::string_view bytes);
  size_t ScanPayload(std::string_view bytes);
  void CompleteEnvelope();
  void DropTaken();
  // The envelope at the front of queue_, which is complete.
  EnvelopeView Take();

  size_t LengthLimit(uint8_t flags) const;

  const size_t max_message_bytes_;
  const size_t compressed_slack_;
  ByteQueue queue_;
  size_t taken_bytes_ = 0;  // size of the envelope that Next() returned last, at the front of
                            // queue_
  size_t complete_ = 0;     // complete envelopes after that one

  // The incomplete envelope at the end of what was fed.
  char prefix_[kEnvelopePrefixBytes] = {};
  size_t prefix_size_ = 0;
  size_t payload_missing_ = 0;
  size_t completed_in_feed_ = 0;  // bytes of envelopes that the running Feed() completed
  absl::Status error_;
};

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_ENVELOPE_H_
