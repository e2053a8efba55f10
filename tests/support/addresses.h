#ifndef CURSORWIRE_TESTS_SUPPORT_ADDRESSES_H_
#define CURSORWIRE_TESTS_SUPPORT_ADDRESSES_H_

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/file_descriptor.h"
#include "net/poller.h"
#include "net/socket.h"

namespace cursorwire::test {

// An IPv4 address; 127.0.0.1 unless another is given.
inline net::Address Ipv4(int port, uint32_t host = INADDR_LOOPBACK) {
  net::Address address;
  auto& raw = reinterpret_cast<sockaddr_in&>(address.storage);
  raw.sin_family = AF_INET;
  raw.sin_addr.s_addr = htonl(host);
  raw.sin_port = htons(static_cast<uint16_t>(port));
  address.size = sizeof(raw);
  return address;
}

// A port of 127.0.0.1 that nobody listens on.
inline net::Address RefusingAddress() { return Ipv4(net::LoopbackListener::Open()->port()); }

// A port of 127.0.0.1 on which attempts to connect get no answer at all: its queue is full.
class MuteListener {
 public:
  MuteListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP)) {
    net::Address any = Ipv4(0);
    auto* raw = reinterpret_cast<sockaddr*>(&any.storage);
    EXPECT_EQ(::bind(fd_.get(), raw, any.size), 0);
    EXPECT_EQ(::listen(fd_.get(), 0), 0);
    EXPECT_EQ(::getsockname(fd_.get(), raw, &any.size), 0);
    address_ = any;
    // The first fill the queue; the one that is not connected says that it is full.
    for (int i = 0; i < 8; ++i) {
      fillers_.push_back(*net::Socket::Connect(address_));
      net::Poller poller;
      poller.Add(fillers_.back().fd(), net::Poller::Interest::kReadWrite);
      poller.Wait(net::Now() + std::chrono::milliseconds(50));
      if (!poller.writable(0)) return;
    }
    ADD_FAILURE() << "the kernel takes every connection";
  }

  const net::Address& address() const { return address_; }

 private:
  FileDescriptor fd_;
  net::Address address_;
  std::vector<net::Socket> fillers_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_ADDRESSES_H_
