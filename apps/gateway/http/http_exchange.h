#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "http/http_message.h"

namespace cursor_gateway {

// One request and its answer. All functions run on the thread of the EventLoop.
//
// Order: Answer() once; or StartStream(), Write() any number of times, then EndStream() or Abort().
// Where it is destroyed without that, it is aborted. Once the client is gone, all of them do
// nothing.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  virtual const HttpHead& head() const = 0;
  virtual const std::string& body() const = 0;
  // Frees the body: nobody needs it any more.
  virtual void DropBody() = 0;

  // A field that its answer gets, whatever it is.
  virtual void AddField(std::string name, std::string value) = 0;

  virtual void Answer(HttpAnswer answer) = 0;

  virtual void StartStream(int status, HttpFields fields) = 0;
  virtual void Write(std::string bytes) = 0;
  virtual void EndStream() = 0;
  // Closes the connection, so that the client sees that the answer is not complete.
  virtual void Abort() = 0;

  // What the operating system has not taken yet. A writer that can wait does so until
  // `on_writable`.
  virtual size_t unsent_bytes() const = 0;
  // Called when all was taken.
  virtual void OnWritable(std::function<void()> on_writable) = 0;
  // Called when the client leaves before its answer is complete. Not after Answer(), EndStream() or
  // Abort().
  virtual void OnGone(std::function<void()> on_gone) = 0;
  // Called at the end: the answer is complete, or the client is gone.
  virtual void OnEnd(std::function<void()> on_end) = 0;

  // The status that was answered; 0: none yet.
  virtual int status() const = 0;

  // What the log is to say of it besides.
  virtual void AddNote(std::string note) { note_ = std::move(note); }
  const std::string& note() const { return note_; }

 private:
  std::string note_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_
