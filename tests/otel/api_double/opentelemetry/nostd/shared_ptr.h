#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_SHARED_PTR_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_SHARED_PTR_H_

#include <cstddef>
#include <memory>
#include <utility>

namespace opentelemetry::nostd {

template <class T>
class shared_ptr {
 public:
  shared_ptr() noexcept = default;
  explicit shared_ptr(T* pointer) : pointer_(pointer) {}
  shared_ptr(std::shared_ptr<T> pointer) noexcept : pointer_(std::move(pointer)) {}

  shared_ptr& operator=(std::nullptr_t) noexcept {
    pointer_.reset();
    return *this;
  }
  T& operator*() const noexcept { return *pointer_; }
  T* operator->() const noexcept { return pointer_.get(); }
  operator bool() const noexcept { return pointer_ != nullptr; }
  T* get() const noexcept { return pointer_.get(); }

 private:
  std::shared_ptr<T> pointer_{};
};

}  // namespace opentelemetry::nostd

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_SHARED_PTR_H_
