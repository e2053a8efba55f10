#include "crdt/bytes/byte_writer.h"

namespace cursorwire::crdt {
namespace {

constexpr unsigned kBits = 7;
constexpr uint8_t kContinued = 0x80;
constexpr int64_t kSignBit = 0x40;

}  // namespace

void AppendLongUint(std::string& out, uint64_t value) {
  while (value >= kContinued) {
    out.push_back(static_cast<char>(static_cast<uint8_t>(value) | kContinued));
    value >>= kBits;
  }
  out.push_back(static_cast<char>(value));
}

void AppendLongInt(std::string& out, int64_t value) {
  while (value < -kSignBit || value >= kSignBit) {
    out.push_back(static_cast<char>(static_cast<uint8_t>(value) | kContinued));
    value >>= kBits;
  }
  out.push_back(static_cast<char>(static_cast<uint8_t>(value) & ~kContinued));
}

}  // namespace cursorwire::crdt
