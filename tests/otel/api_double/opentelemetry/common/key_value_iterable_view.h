#ifndef CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_VIEW_H_
#define CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_VIEW_H_

#include <opentelemetry/common/key_value_iterable.h>

#include <cstddef>
#include <iterator>

namespace opentelemetry::common {

namespace detail {

template <class T>
concept is_key_value_iterable = requires(const T& pairs) {
  nostd::string_view(std::begin(pairs)->first);
  AttributeValue(std::begin(pairs)->second);
  std::size(pairs);
};

}  // namespace detail

template <class T>
class KeyValueIterableView final : public KeyValueIterable {
 public:
  explicit KeyValueIterableView(const T& pairs) noexcept : pairs_(&pairs) {}

  bool ForEachKeyValue(nostd::function_ref<bool(nostd::string_view, AttributeValue)> callback)
      const noexcept override {
    for (const auto& pair : *pairs_) {
      if (!callback(pair.first, pair.second)) return false;
    }
    return true;
  }
  std::size_t size() const noexcept override { return std::size(*pairs_); }

 private:
  const T* pairs_ = nullptr;
};

}  // namespace opentelemetry::common

#endif  // CURSORWIRE_TESTS_OTEL_API_DOUBLE_OPENTELEMETRY_COMMON_KEY_VALUE_ITERABLE_VIEW_H_
