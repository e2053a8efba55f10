#include <cursorwire/connect/channel.h>
#include <cursorwire/connect/error_info.h>

#include <chrono>
#include <iostream>

int main() {
  auto channel = cursorwire::connect::Channel::Create("http://127.0.0.1:1");
  const auto reply =
      channel->Unary("/some.v1.Service/Method", "", {.timeout = std::chrono::seconds(10)});
  std::cout << reply.status() << "\n";
  const auto info = cursorwire::connect::GetErrorInfo(reply.status());
  return info && info->replay_safe ? 0 : 1;
}
