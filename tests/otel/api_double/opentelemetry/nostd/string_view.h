#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_STRING_VIEW_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_STRING_VIEW_H_

#include <cstddef>
#include <cstring>
#include <string>

namespace opentelemetry::nostd {

// A type of its own, as in most builds of the package: neither made of a std::string_view nor one.
class string_view {
 public:
  string_view() noexcept = default;
  string_view(const char* text) noexcept : size_(std::strlen(text)), data_(text) {}
  string_view(const std::string& text) noexcept : size_(text.size()), data_(text.data()) {}
  string_view(const char* text, std::size_t size) noexcept : size_(size), data_(text) {}

  explicit operator std::string() const { return {data_, size_}; }
  const char* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

 private:
  std::size_t size_ = 0;
  const char* data_ = nullptr;
};

}  // namespace opentelemetry::nostd

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_NOSTD_STRING_VIEW_H_
