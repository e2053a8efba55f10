// What OpenAI's SDK for agents makes of cursor-gateway, by both APIs. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import { Agent, OpenAIProvider, Runner, tool, user } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';

const openAIClient = new OpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: 'any', maxRetries: 0 });

// Two rounds of tools, and one more question.
async function conversation(runner, stream) {
  const cities = [];
  const agent = new Agent({
    name: 'weather',
    instructions: 'Ask for each city.',
    model: 'some-model',
    tools: [tool({
      name: 'get_weather',
      description: 'The weather',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => { cities.push(city); return `sunny in ${city}`; },
    })],
  });
  const ask = async (input) => {
    const result = await runner.run(agent, input, { stream });
    if (!stream) return result;
    let text = '';
    for await (const piece of result.toTextStream()) text += piece;
    await result.completed;
    assert(text.endsWith(result.finalOutput), text);
    return result;
  };
  const first = await ask('compare');
  assert.equal(first.finalOutput, 'The same in both.');
  assert.deepEqual(cities, ['Bern', 'Oslo']);
  const second = await ask([...first.history, user('thanks')]);
  assert.equal(second.finalOutput, 'You are welcome.');
  await assert.rejects(ask('fail'), /No such model/);
  const structured = new Agent({
    name: 'city', model: 'some-model', outputType: z.object({ city: z.string() }) });
  const { output } = await runner.run(structured, 'which city?');
  assert.equal(output.at(-1).content[0].text, '{"city": "Bern"}');
}

for (const useResponses of [false, true]) {
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ openAIClient, useResponses }), tracingDisabled: true });
  for (const stream of [false, true]) {
    try {
      await conversation(runner, stream);
    } catch (error) {
      error.message = `${JSON.stringify({ useResponses, stream })}: ${error.message}`;
      throw error;
    }
  }
}
console.log('OpenAI Agents: all as expected');
