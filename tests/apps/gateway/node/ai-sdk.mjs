// What the AI SDK makes of cursor-gateway, by both of its providers. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

const baseURL = `${process.argv[2]}/v1`;
const models = {
  'chat completions': createOpenAICompatible({ name: 'gateway', baseURL, includeUsage: true })('some-model'),
  // The default of this provider is the Responses API.
  responses: createOpenAI({ baseURL, apiKey: 'any' })('some-model'),
};

async function answers(model) {
  const { text, usage, reasoningText, finishReason } = await generateText({ model, prompt: 'hello' });
  assert.equal(text, 'Hello');
  assert.equal(reasoningText, 'hm');
  assert.equal(finishReason, 'stop');
  assert.equal(usage.inputTokens, 100);
  assert.equal(usage.outputTokens, 7);
}

async function streams(model) {
  const result = streamText({ model, prompt: 'hello' });
  const pieces = [];
  for await (const piece of result.textStream) pieces.push(piece);
  assert.deepEqual(pieces, ['Hel', 'lo']);
  assert.equal((await result.totalUsage).inputTokens, 100);
}

async function callsTools(model) {
  const cities = [];
  const tools = {
    get_weather: tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }) => { cities.push(city); return `sunny in ${city}`; },
    }),
  };
  const { text, steps } = await generateText({ model, prompt: 'weather?', tools, stopWhen: stepCountIs(3) });
  assert.equal(text, 'Sunny in both.');
  assert.equal(steps.length, 2);
  assert.deepEqual(cities.sort(), ['Bern', 'Oslo']);
}

async function fails(model) {
  await assert.rejects(generateText({ model, prompt: 'fail' }), (error) => {
    assert.equal(error.statusCode, 404);
    assert.match(error.message, /No such model/);
    return true;
  });
  const result = streamText({ model, prompt: 'fail later', onError: () => {} });
  const types = [];
  for await (const part of result.fullStream) types.push(part.type);
  assert(types.includes('error'), types.join());
}

for (const [name, model] of Object.entries(models)) {
  for (const test of [answers, streams, callsTools, fails]) {
    try {
      await test(model);
    } catch (error) {
      error.message = `${name}, ${test.name}: ${error.message}`;
      throw error;
    }
  }
}
console.log('AI SDK: all as expected');
