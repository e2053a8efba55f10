// What the official client of OpenAI's API makes of cursor-gateway. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const client = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'any' });
const ask = (content, more = {}) => ({
  model: 'some-model', messages: [{ role: 'user', content }], ...more });

async function wholeAnswer() {
  const answer = await client.chat.completions.create(ask('hello'));
  assert.equal(answer.choices[0].message.content, 'Hello');
  assert.equal(answer.choices[0].message.reasoning_content, 'hm');
  assert.equal(answer.choices[0].finish_reason, 'stop');
  assert.equal(answer.usage.prompt_tokens, 100);
  assert.equal(answer.usage.prompt_tokens_details.cached_tokens, 60);
  assert.match(answer._request_id, /^req_/);
}

async function rawStream() {
  const stream = await client.chat.completions.create(
    ask('hello', { stream: true, stream_options: { include_usage: true } }));
  let text = '';
  let usage;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage ?? usage;
  }
  assert.equal(text, 'Hello');
  assert.equal(usage.total_tokens, 107);
}

async function streamHelper() {
  const runner = client.chat.completions.stream(ask('hello'));
  const deltas = [];
  runner.on('content', (delta) => deltas.push(delta));
  const final = await runner.finalChatCompletion();
  assert.deepEqual(deltas, ['Hel', 'lo']);
  assert.equal(final.choices[0].message.content, 'Hello');
}

async function runTools(stream) {
  const cities = [];
  const runner = client.chat.completions.runTools(ask('weather?', {
    stream,
    tools: [{
      type: 'function',
      function: {
        name: 'get_weather',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
        parse: JSON.parse,
        function: ({ city }) => { cities.push(city); return `sunny in ${city}`; },
      },
    }],
  }));
  assert.equal(await runner.finalContent(), 'Sunny in both.');
  assert.deepEqual(cities.sort(), ['Bern', 'Oslo']);
  assert.equal((await runner.totalUsage()).total_tokens, stream ? 0 : 12);
}

async function errors() {
  await assert.rejects(client.chat.completions.create(ask('hi', { n: 2 })), (error) => {
    assert(error instanceof OpenAI.BadRequestError);
    assert.equal(error.param, 'n');
    return true;
  });
  for (const stream of [false, true]) {
    await assert.rejects(client.chat.completions.create(ask('fail', { stream })), (error) => {
      assert(error instanceof OpenAI.NotFoundError);
      assert.equal(error.code, 'model_not_found');
      assert.match(error.message, /No such model/);
      return true;
    });
  }
  const stream = await client.chat.completions.create(ask('fail later', { stream: true }));
  await assert.rejects(async () => { for await (const chunk of stream) void chunk; },
    (error) => error instanceof OpenAI.APIError && error.code === 'upstream_internal');
}

async function models() {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert(ids.includes('auto'));
  assert.equal((await client.models.retrieve('acme-5.5')).owned_by, 'cursor');
  await assert.rejects(client.models.retrieve('no/such:model'), OpenAI.NotFoundError);
}

async function responses() {
  const first = await client.responses.create({ model: 'some-model', input: 'hello' });
  assert.equal(first.output_text, 'Hello');
  assert.equal(first.usage.total_tokens, 107);
  let text = '';
  const stream = client.responses.stream({ model: 'some-model', input: 'hello' });
  stream.on('response.output_text.delta', ({ delta }) => { text += delta; });
  const final = await stream.finalResponse();
  assert.equal(text, 'Hello');
  assert.equal(final.output_text, 'Hello');
  assert.equal(final.status, 'completed');
}

async function leavesEarly() {
  const stream = await client.chat.completions.create(ask('endless', { stream: true }));
  for await (const chunk of stream) {
    if (chunk.choices[0].delta.content) break;  // closes the connection
  }
}

for (const test of [wholeAnswer, rawStream, streamHelper, () => runTools(false),
                    () => runTools(true), errors, models, responses, leavesEarly]) {
  await test();
}
console.log('OpenAI SDK: all as expected');
