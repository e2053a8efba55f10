// What LangChain makes of cursor-gateway by its model for Anthropic. Arguments: URL of the gateway.
import assert from 'node:assert/strict';
import { ChatAnthropic } from '@langchain/anthropic';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';

const plain = new ChatAnthropic({
  model: 'some-model', apiKey: 'any', anthropicApiUrl: process.argv[2], maxRetries: 0 });

const textOf = (message) => typeof message.content === 'string' ? message.content
  : message.content.map((block) => block.text ?? '').join('');

const whole = await plain.invoke('hello');
assert.equal(textOf(whole), 'Hello');
assert.equal(whole.usage_metadata.output_tokens, 7);

let streamed = '';
for await (const chunk of await plain.stream('hello')) streamed += textOf(chunk);
assert.equal(streamed, 'Hello');

const model = plain.bindTools([{
  name: 'get_weather',
  description: 'The weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}]);
const messages = [new HumanMessage('weather?')];
const first = await model.invoke(messages);
assert.deepEqual(first.tool_calls.map((call) => call.args.city).sort(), ['Bern', 'Oslo']);
messages.push(first, ...first.tool_calls.map((call) => new ToolMessage({
  tool_call_id: call.id, content: `sunny in ${call.args.city}` })));
assert.equal(textOf(await model.invoke(messages)), 'Sunny in both.');

await assert.rejects(plain.invoke('fail'), /No such model/);
console.log('LangChain: all as expected');
