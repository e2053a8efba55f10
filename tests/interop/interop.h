#ifndef CURSORWIRE_TESTS_INTEROP_INTEROP_H_
#define CURSORWIRE_TESTS_INTEROP_INTEROP_H_

#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/headers.h>
#include <cursorwire/connect/protobuf.h>
#include <gtest/gtest.h>
#include <interop/v1/interop.pb.h>

#include <string>

namespace cursorwire::test {

namespace pb = ::interop::v1;

enum class Transport { kTls, kH2c };

inline constexpr connect::UnaryMethod<pb::EchoRequest, pb::EchoResponse> kEcho{
    "/interop.v1.InteropService/Echo"};
inline constexpr connect::ServerStreamMethod<pb::CountRequest, pb::CountResponse> kCount{
    "/interop.v1.InteropService/Count"};
inline constexpr connect::ClientStreamMethod<pb::SumRequest, pb::SumResponse> kSum{
    "/interop.v1.InteropService/Sum"};
inline constexpr connect::BidiStreamMethod<pb::TalkRequest, pb::TalkResponse> kTalk{
    "/interop.v1.InteropService/Talk"};
inline constexpr connect::UnaryMethod<pb::AwaitCancelRequest, pb::AwaitCancelResponse> kAwaitCancel{
    "/interop.v1.InteropService/AwaitCancel"};
// That the service does not have.
inline constexpr connect::UnaryMethod<pb::EchoRequest, pb::EchoResponse> kNothing{
    "/interop.v1.InteropService/Nothing"};
inline constexpr connect::BidiStreamMethod<pb::TalkRequest, pb::TalkResponse> kTalkOfNothing{
    "/interop.v1.InteropService/Nothing"};

// A test with a channel to the server that run.sh has started; it names the server in
// INTEROP_H2C_URL, INTEROP_TLS_URL and INTEROP_CA. Each file gives its suite a name and both
// transports.
class Interop : public testing::TestWithParam<Transport> {
 protected:
  Interop();

  // Another channel of the same kind.
  static connect::Channel NewChannel();
  // Names a call of this test, on this transport, for AwaitCancel.
  static std::string Key();
  // Waits until the server has seen the end of the call that Key() names.
  void AwaitCancel() const;

  connect::Channel channel_;
};

std::string TransportName(const testing::TestParamInfo<Transport>& info);

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_INTEROP_INTEROP_H_
