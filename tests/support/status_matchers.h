#ifndef CURSORWIRE_TESTS_SUPPORT_STATUS_MATCHERS_H_
#define CURSORWIRE_TESTS_SUPPORT_STATUS_MATCHERS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <gmock/gmock.h>

#include <ostream>
#include <string>
#include <type_traits>
#include <utility>

namespace cursorwire::test {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

// A Status, or StatusOr, that is OK.
MATCHER(IsOk, negation ? "is not OK" : "is OK") {
  *result_listener << "whose status is " << StatusOf(arg).ToString();
  return StatusOf(arg).ok();
}

// A Status, or StatusOr, of that code.
MATCHER_P(StatusIs, code,
          (negation ? "has not the code " : "has the code ") + absl::StatusCodeToString(code)) {
  *result_listener << "whose status is " << StatusOf(arg).ToString();
  return StatusOf(arg).code() == code;
}

// The same, whose message, a std::string, matches too.
MATCHER_P2(StatusIs, code, message,
           (negation ? "has not the code " : "has the code ") + absl::StatusCodeToString(code) +
               " and a message that " + ::testing::DescribeMatcher<const std::string&>(message)) {
  const absl::Status& status = StatusOf(arg);
  *result_listener << "whose status is " << status.ToString();
  return status.code() == code &&
         ::testing::ExplainMatchResult(::testing::SafeMatcherCast<const std::string&>(message),
                                       std::string(status.message()), result_listener);
}

template <typename Inner>
class IsOkAndHoldsMatcher {
 public:
  explicit IsOkAndHoldsMatcher(Inner inner) : inner_(std::move(inner)) {}

  template <typename StatusOr>
  operator ::testing::Matcher<StatusOr>() const {  // NOLINT(google-explicit-constructor)
    return ::testing::Matcher<StatusOr>(new Impl<StatusOr>(inner_));
  }

 private:
  template <typename StatusOr>
  class Impl : public ::testing::MatcherInterface<StatusOr> {
   public:
    using Value = typename std::remove_cv_t<std::remove_reference_t<StatusOr>>::value_type;

    explicit Impl(const Inner& inner) : matcher_(::testing::SafeMatcherCast<const Value&>(inner)) {}

    bool MatchAndExplain(StatusOr status_or,
                         ::testing::MatchResultListener* listener) const override {
      if (!status_or.ok()) {
        *listener << "whose status is " << status_or.status().ToString();
        return false;
      }
      *listener << "whose value is " << ::testing::PrintToString(*status_or) << ", ";
      return matcher_.MatchAndExplain(*status_or, listener);
    }
    void DescribeTo(std::ostream* out) const override {
      *out << "is OK and holds a value that ";
      matcher_.DescribeTo(out);
    }
    void DescribeNegationTo(std::ostream* out) const override {
      *out << "is not OK or holds a value that ";
      matcher_.DescribeNegationTo(out);
    }

   private:
    const ::testing::Matcher<const Value&> matcher_;
  };

  const Inner inner_;
};

// A StatusOr that is OK and whose value matches.
template <typename Inner>
IsOkAndHoldsMatcher<std::decay_t<Inner>> IsOkAndHolds(Inner&& inner) {
  return IsOkAndHoldsMatcher<std::decay_t<Inner>>(std::forward<Inner>(inner));
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_STATUS_MATCHERS_H_
