// What LangChain makes of cursor-gateway by its model for OpenAI. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import { AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const weather = tool(({ city }) => `sunny in ${city}`, {
  name: 'get_weather', description: 'The weather', schema: z.object({ city: z.string() }) });

async function ask(model, messages, stream) {
  if (!stream) return model.invoke(messages);
  let whole;
  for await (const chunk of await model.stream(messages)) whole = whole?.concat(chunk) ?? chunk;
  assert(whole instanceof AIMessageChunk);
  return whole;
}

// Two rounds of tools, and one more question.
async function conversation(model, stream) {
  const messages = [new HumanMessage('compare')];
  const cities = [];
  let answer;
  while ((answer = await ask(model, messages, stream)).tool_calls.length > 0) {
    messages.push(answer);
    for (const call of answer.tool_calls) {
      cities.push(call.args.city);
      messages.push(await weather.invoke(call));
    }
    assert(messages.at(-1) instanceof ToolMessage);
  }
  assert.equal(answer.text, 'The same in both.');
  assert.deepEqual(cities, ['Bern', 'Oslo']);
  assert.equal(answer.usage_metadata.total_tokens, 12);
  messages.push(answer, new HumanMessage('thanks'));
  assert.equal((await ask(model, messages, stream)).text, 'You are welcome.');
}

for (const useResponsesApi of [false, true]) {
  const options = {
    model: 'some-model', apiKey: 'any', configuration: { baseURL: `${process.argv[2]}/v1` },
    useResponsesApi, maxRetries: 0 };
  const plain = new ChatOpenAI(options);
  const model = plain.bindTools([weather]);
  for (const stream of [false, true]) {
    try {
      await conversation(model, stream);
    } catch (error) {
      error.message = `${JSON.stringify({ useResponsesApi, stream })}: ${error.message}`;
      throw error;
    }
  }
  await assert.rejects(plain.invoke('fail'), /No such model/);
  // A stream of the newer API, of which it reads the format from the response.
  const structured = new ChatOpenAI({ ...options, streaming: useResponsesApi })
    .withStructuredOutput(z.object({ city: z.string() }), { method: 'jsonSchema' });
  assert.deepEqual(await structured.invoke('which city?'), { city: 'Bern' });
}
console.log('LangChain: all as expected');
