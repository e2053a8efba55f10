// What the AI SDK makes of cursor-gateway by its provider for Anthropic. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import { createAnthropic } from '@ai-sdk/anthropic';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const model = createAnthropic({ baseURL: `${process.argv[2]}/v1`, apiKey: 'any' })('some-model');

const whole = await generateText({
  model, prompt: 'hello', providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } });
assert.equal(whole.text, 'Hello');
assert.equal(whole.reasoningText, 'hm');
assert.equal(whole.finishReason, 'stop');

const streamed = streamText({ model, prompt: 'hello' });
const pieces = [];
for await (const piece of streamed.textStream) pieces.push(piece);
assert.deepEqual(pieces, ['Hel', 'lo']);
assert.equal((await streamed.totalUsage).outputTokens, 7);

for (const stream of [false, true]) {
  const cities = [];
  const tools = {
    get_weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => { cities.push(city); return `sunny in ${city}`; },
    }),
  };
  const request = { model, prompt: 'weather?', tools, stopWhen: stepCountIs(3) };
  const text = stream ? await streamText(request).text : (await generateText(request)).text;
  assert.equal(text, 'Sunny in both.');
  assert.deepEqual(cities.sort(), ['Bern', 'Oslo']);
}

await assert.rejects(generateText({ model, prompt: 'fail' }), (error) => {
  assert.equal(error.statusCode, 404);
  assert.match(error.message, /No such model/);
  return true;
});
const broken = streamText({ model, prompt: 'fail later', onError: () => {} });
const types = [];
for await (const part of broken.fullStream) types.push(part.type);
assert(types.includes('error'), types.join());
console.log('AI SDK: all as expected');
