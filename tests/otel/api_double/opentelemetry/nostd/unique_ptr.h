#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_UNIQUE_PTR_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_UNIQUE_PTR_H_

#include <memory>

namespace opentelemetry::nostd {

template <class T>
class unique_ptr {
 public:
  unique_ptr() noexcept = default;
  explicit unique_ptr(T* pointer) noexcept : pointer_(pointer) {}
  unique_ptr(unique_ptr&&) noexcept = default;

  T& operator*() const noexcept { return *pointer_; }
  T* operator->() const noexcept { return pointer_.get(); }
  T* get() const noexcept { return pointer_.get(); }

 private:
  std::unique_ptr<T> pointer_{};
};

}  // namespace opentelemetry::nostd

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_UNIQUE_PTR_H_
