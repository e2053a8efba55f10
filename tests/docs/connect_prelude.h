// What the code of docs/connect.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_CONNECT_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_CONNECT_PRELUDE_H_

#include <connectrpc/eliza/v1/eliza.pb.h>
#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/error_info.h>
#include <cursorwire/connect/headers.h>
#include <cursorwire/connect/interceptor.h>
#include <cursorwire/connect/protobuf.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace connect = cursorwire::connect;
using connectrpc::eliza::v1::ConverseRequest;
using connectrpc::eliza::v1::ConverseResponse;
using connectrpc::eliza::v1::IntroduceRequest;
using connectrpc::eliza::v1::IntroduceResponse;
using connectrpc::eliza::v1::SayRequest;
using connectrpc::eliza::v1::SayResponse;

// Messages of other services.
using UploadRequest = SayRequest;
using UploadResponse = SayResponse;
using QuotaFailure = SayResponse;

constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{
    "/connectrpc.eliza.v1.ElizaService/Say"};
constexpr connect::ServerStreamMethod<IntroduceRequest, IntroduceResponse> kIntroduce{
    "/connectrpc.eliza.v1.ElizaService/Introduce"};
constexpr connect::BidiStreamMethod<ConverseRequest, ConverseResponse> kConverse{
    "/connectrpc.eliza.v1.ElizaService/Converse"};
constexpr connect::ClientStreamMethod<UploadRequest, UploadResponse> kUpload{
    "/files.v1.Files/Upload"};

extern const connect::Channel channel;
extern const SayRequest request;
extern const std::vector<UploadRequest> parts;
extern const std::shared_ptr<connect::CallObserver> observer;
extern const std::string token;
extern const std::string trace_bytes;
extern const std::string ca_pem;
extern const std::string certificate_pem;
extern const std::string key_pem;
void Show(const QuotaFailure& failure);

#endif  // CURSORWIRE_TESTS_DOCS_CONNECT_PRELUDE_H_
