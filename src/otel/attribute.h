#ifndef CURSORWIRE_SRC_OTEL_ATTRIBUTE_H_
#define CURSORWIRE_SRC_OTEL_ATTRIBUTE_H_

#include <opentelemetry/common/attribute_value.h>
#include <opentelemetry/nostd/string_view.h>

#include <string_view>
#include <utility>

namespace cursorwire::otel {

// A name and its value. Both are views: who makes one keeps the text.
using Attribute =
    std::pair<opentelemetry::nostd::string_view, opentelemetry::common::AttributeValue>;

// OpenTelemetry's string view is a type of its own in most builds, and std::string_view in others.
inline opentelemetry::nostd::string_view ToOtel(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace cursorwire::otel

#endif  // CURSORWIRE_SRC_OTEL_ATTRIBUTE_H_
