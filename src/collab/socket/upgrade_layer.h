#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_UPGRADE_LAYER_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_UPGRADE_LAYER_H_

#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/websocket/error.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace cursorwire::collab {

// The status of an answer that begins with this; 0 if it is no answer of HTTP/1.x.
inline int StatusOfAnswer(std::string_view head) {
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr size_t kStatusAt = kVersion.size() + 2;
  if (!head.starts_with(kVersion) || head.size() < kStatusAt + 3) return 0;
  int status = 0;
  for (const char digit : head.substr(kStatusAt, 3)) {
    if (digit < '0' || digit > '9') return 0;
    status = status * 10 + (digit - '0');
  }
  return status;
}

// The stream below a WebSocket of Beast. Beast reads the whole answer to its handshake into memory,
// whatever it is, and reserves what its Content-Length says. So this reads the head of the answer
// first, and hands it on only if it agrees to the upgrade: then there is no body (RFC 9110, 15.2).
//
// Else the read fails: with upgrade_declined for another status, bad_version for what is no answer
// of HTTP/1.x, and header_limit.
template <typename Base>
class UpgradeLayer : public Base {
 public:
  using Error = boost::system::error_code;

  using Base::Base;

  // Of the answer; 0 before it.
  int answered_status() const { return status_; }

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_compose<Token, void(Error, size_t)>(ReadSome<Buffers>(*this, buffers),
                                                                  token, static_cast<Base&>(*this));
  }

 private:
  // As Beast's own limit.
  static constexpr size_t kMaxAnswerHeadBytes = size_t{8} * 1024;

  template <typename Buffers>
  class ReadSome {
   public:
    ReadSome(UpgradeLayer& layer, const Buffers& buffers) : layer_(layer), buffers_(buffers) {}

    template <typename Self>
    void operator()(Self& self) {
      Base& base = layer_;
      if (layer_.status_ == 0) {
        boost::asio::async_read_until(
            base, boost::asio::dynamic_buffer(layer_.unread_, kMaxAnswerHeadBytes), "\r\n\r\n",
            std::move(self));
      } else if (layer_.unread_.empty()) {
        const Buffers buffers = buffers_;  // goes away with `self`
        base.async_read_some(buffers, std::move(self));
      } else if (!std::exchange(posted_, true)) {
        boost::asio::post(base.get_executor(), std::move(self));
      } else {
        HandOn(self);
      }
    }
    template <typename Self>
    void operator()(Self& self, Error error, size_t bytes) {
      if (layer_.status_ != 0) return self.complete(error, bytes);
      if (error == boost::asio::error::not_found) error = boost::beast::http::error::header_limit;
      if (!error) error = layer_.TakeHead();
      if (error) return self.complete(error, 0);
      HandOn(self);
    }

   private:
    template <typename Self>
    void HandOn(Self& self) {
      const size_t bytes = boost::asio::buffer_copy(buffers_, boost::asio::buffer(layer_.unread_));
      layer_.unread_.erase(0, bytes);
      self.complete({}, bytes);
    }

    UpgradeLayer& layer_;
    Buffers buffers_;
    bool posted_ = false;
  };

  Error TakeHead() {
    status_ = StatusOfAnswer(unread_);
    if (status_ == 0) return boost::beast::http::error::bad_version;
    if (status_ != 101) return boost::beast::websocket::error::upgrade_declined;
    return {};
  }

  int status_ = 0;
  std::string unread_;  // the head, and what has come with it
};

// Beast finds these by the type of the layer.
template <typename Base>
void teardown(boost::beast::role_type role, UpgradeLayer<Base>& layer,
              boost::system::error_code& error) {
  using boost::beast::websocket::teardown;
  teardown(role, static_cast<Base&>(layer), error);
}
template <typename Base, typename Handler>
void async_teardown(boost::beast::role_type role, UpgradeLayer<Base>& layer, Handler&& handler) {
  using boost::beast::websocket::async_teardown;
  async_teardown(role, static_cast<Base&>(layer), std::forward<Handler>(handler));
}

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_UPGRADE_LAYER_H_
