// What the official client of Anthropic's API makes of cursor-gateway. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';

const client = new Anthropic({ baseURL: process.argv[2], apiKey: 'any' });
const ask = (content, more = {}) => ({
  model: 'some-model', max_tokens: 1000, messages: [{ role: 'user', content }], ...more });

async function wholeAnswer() {
  const answer = await client.messages.create(ask('hello', { thinking: { type: 'adaptive' } }));
  assert.equal(answer.content[0].thinking, 'hm');
  assert.equal(answer.content[1].text, 'Hello');
  assert.equal(answer.stop_reason, 'end_turn');
  assert.equal(answer.usage.input_tokens, 40);
  assert.equal(answer.usage.cache_read_input_tokens, 60);
  assert.match(answer._request_id, /^req_/);
}

async function streamHelper() {
  const stream = client.messages.stream(ask('hello'));
  const deltas = [];
  stream.on('text', (delta) => deltas.push(delta));
  const final = await stream.finalMessage();
  assert.deepEqual(deltas, ['Hel', 'lo']);
  assert.equal(final.usage.output_tokens, 7);
  assert.equal(final.model, 'some-model');
}

function weather(cities) {
  return betaTool({
    name: 'get_weather',
    description: 'The weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: ({ city }) => { cities.push(city); return `sunny in ${city}`; },
  });
}

// Begins with a message thread, and goes on without when that is refused.
async function toolRunner(stream) {
  const cities = [];
  const runner = client.beta.messages.toolRunner(
    ask('weather?', { stream, tools: [weather(cities)] }));
  const last = await runner.runUntilDone();
  assert.equal(last.content.at(-1).text, 'Sunny in both.');
  assert.deepEqual(cities.sort(), ['Bern', 'Oslo']);
}

async function errors() {
  await assert.rejects(client.messages.create({ ...ask('hi'), messages: [] }),
    (error) => error instanceof Anthropic.BadRequestError && error.type === 'invalid_request_error');
  for (const stream of [false, true]) {
    await assert.rejects(client.messages.create(ask('fail', { stream })), (error) => {
      assert(error instanceof Anthropic.NotFoundError);
      assert.match(error.message, /No such model/);
      return true;
    });
  }
  const stream = await client.messages.create(ask('fail later', { stream: true }));
  await assert.rejects(async () => { for await (const event of stream) void event; },
    (error) => error instanceof Anthropic.APIError && error.type === 'api_error');
}

async function models() {
  const ids = [];
  for await (const model of client.models.list()) ids.push(model.id);
  assert(ids.includes('auto'));
  assert.equal((await client.models.retrieve('acme-5.5')).type, 'model');
  await assert.rejects(client.models.retrieve('no/such:model'), Anthropic.NotFoundError);
}

async function counts() {
  const { input_tokens: tokens } = await client.messages.countTokens(
    { model: 'some-model', messages: [{ role: 'user', content: 'x'.repeat(4000) }] });
  assert(tokens >= 1000 && tokens < 1300, `${tokens}`);
}

async function leavesEarly() {
  const stream = await client.messages.create(ask('endless', { stream: true }));
  for await (const event of stream) {
    if (event.type === 'content_block_delta') break;  // closes the connection
  }
}

for (const test of [wholeAnswer, streamHelper, () => toolRunner(false), () => toolRunner(true),
                    errors, models, counts, leavesEarly]) {
  await test();
}
console.log('Anthropic SDK: all as expected');
