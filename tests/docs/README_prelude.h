// What the code of README.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_

#include <connectrpc/eliza/v1/eliza.pb.h>
#include <cursorwire/action_policy.h>
#include <cursorwire/client.h>
#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/protobuf.h>
#include <cursorwire/local_exec_handler.h>
#include <cursorwire/local_upstream.h>
#include <cursorwire/tool_registry.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using connectrpc::eliza::v1::SayRequest;
using connectrpc::eliza::v1::SayResponse;

extern const std::optional<cursorwire::Client> client;

#endif  // CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_
