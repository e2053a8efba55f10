#include "collab/live/socket_inbox.h"

#include <utility>

namespace cursorwire::collab {
namespace {

// An empty message takes memory, too.
size_t CostOf(const SocketInbox::Message& message) {
  return message.bytes.size() + sizeof(SocketInbox::Item);
}

}  // namespace

size_t SocketInbox::Put(Item item) {
  size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (const auto* message = std::get_if<Message>(&item)) bytes_ += CostOf(*message);
    items_.push_back(std::move(item));
    bytes = bytes_;
  }
  changed_.notify_one();
  TellReady();
  return bytes;
}

void SocketInbox::DropMessages() {
  const std::lock_guard lock(mutex_);
  std::erase_if(items_, [](const Item& item) { return std::holds_alternative<Message>(item); });
  bytes_ = 0;
}

std::optional<SocketInbox::Item> SocketInbox::Take() {
  const std::lock_guard lock(mutex_);
  if (items_.empty()) return std::nullopt;
  Item item = std::move(items_.front());
  items_.pop_front();
  if (const auto* message = std::get_if<Message>(&item)) bytes_ -= CostOf(*message);
  return item;
}

void SocketInbox::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  changed_.notify_one();
  TellReady();
}

void SocketInbox::TellReady() {
  if (on_ready_ != nullptr) on_ready_();
}

bool SocketInbox::WaitUntil(TimePoint end) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, end, [this] { return woken_ || !items_.empty(); });
  return !std::exchange(woken_, false);
}

}  // namespace cursorwire::collab
