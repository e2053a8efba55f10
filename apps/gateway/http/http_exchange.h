#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "http/body_budget.h"
#include "http/http_message.h"

namespace cursor_gateway {

class HttpConnection;

// One request and its answer. All functions run on the thread of the EventLoop.
//
// Order: Answer() once; or StartStream(), Write() any number of times, then EndStream() or Abort().
// Where it is destroyed without that, it is aborted. Once the client is gone, all of them do
// nothing.
class HttpExchange final : public std::enable_shared_from_this<HttpExchange> {
 public:
  // `answer`: nullptr if there is no whole answer, but a stream, an abort, or nothing.
  using AnswerHook = std::function<void(const HttpAnswer* answer, std::function<void()> send)>;

  // `share` counts the bytes of the body.
  HttpExchange(std::shared_ptr<HttpConnection> connection, HttpHead head, std::string body,
               std::shared_ptr<BodyShare> share);
  ~HttpExchange();
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  const HttpHead& head() const { return head_; }
  const std::string& body() const { return body_; }
  // Frees the body: nobody needs it any more. Its bytes still count in the bound of all bodies as
  // long as what is returned lives: keep it as long as what was made of them. Call once.
  std::shared_ptr<BodyShare> DropBody();

  // A field that its answer gets, whatever it is.
  void AddField(std::string name, std::string value);

  void Answer(HttpAnswer answer);
  // Gives a whole answer another form, right before it is sent.
  void SetForm(std::function<void(HttpAnswer& answer)> form) { form_ = std::move(form); }

  void StartStream(int status, HttpFields fields);
  void Write(const std::string& bytes);
  void EndStream();
  // Closes the connection, so that the client sees that the answer is not complete.
  void Abort();

  // What the operating system has not taken yet. A writer that can wait does so until
  // `on_writable`.
  size_t unsent_bytes() const;
  // Called when all was taken.
  void OnWritable(std::function<void()> on_writable) { on_writable_ = std::move(on_writable); }
  // Called when the client leaves before its answer is complete. Not after Answer(), EndStream() or
  // Abort().
  void OnGone(std::function<void()> on_gone) { on_gone_ = std::move(on_gone); }
  // Called at the end: the answer is complete, or the client is gone.
  void OnEnd(std::function<void()> on_end) { on_end_ = std::move(on_end); }
  // Called once, before the answer is complete. A whole answer is sent by `send`, perhaps later.
  void OnAnswer(AnswerHook on_answer) { on_answer_ = std::move(on_answer); }

  // The status that was answered; 0: none yet.
  int status() const { return status_; }

  // What the log is to say of it besides: on one line, of bounded length.
  void AddNote(const std::string& note) { note_ += note_.empty() ? note : "; " + note; }
  const std::string& note() const { return note_; }

  // The id that its answer has.
  const std::string& id() const { return id_; }
  void SetId(std::string id) { id_ = std::move(id); }

 private:
  friend class HttpConnection;

  // The client has left.
  void Gone();
  // All bytes were taken.
  void Writable();
  // The answer is on its way, or there will be none.
  void End();
  void TellOfNoAnswer();

  std::shared_ptr<HttpConnection> connection_;  // until the answer is complete
  HttpHead head_;
  std::string body_;
  std::shared_ptr<BodyShare> share_;
  HttpFields added_;
  int status_ = 0;
  std::string note_;
  std::string id_;
  std::function<void()> on_writable_;
  std::function<void()> on_gone_;
  std::function<void()> on_end_;
  AnswerHook on_answer_;
  std::function<void(HttpAnswer& answer)> form_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_HTTP_EXCHANGE_H_
