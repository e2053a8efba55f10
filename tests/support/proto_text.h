#ifndef CURSORWIRE_TESTS_SUPPORT_PROTO_TEXT_H_
#define CURSORWIRE_TESTS_SUPPORT_PROTO_TEXT_H_

#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::test {

// A message from protobuf text. A text that does not parse fails the test.
template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// "" if both are equal, else what differs. Unknown fields count.
template <typename Message>
std::string Difference(const Message& expected, const Message& actual) {
  std::string report;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.ReportDifferencesToString(&report);
  return differencer.Compare(expected, actual) ? "" : report;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_PROTO_TEXT_H_
