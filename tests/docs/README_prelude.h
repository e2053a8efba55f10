// What the code of README.md uses and does not declare.
#ifndef CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_
#define CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_

#include <connectrpc/eliza/v1/eliza.pb.h>
#include <cursorwire/client.h>
#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/protobuf.h>

#include <chrono>
#include <iostream>
#include <string>

using connectrpc::eliza::v1::SayRequest;
using connectrpc::eliza::v1::SayResponse;

#endif  // CURSORWIRE_TESTS_DOCS_README_PRELUDE_H_
