import { Answer } from './answer.js';

// Stands in each text. What a later page writes in another way is not read.
const kVersion = 1;

// The text that the browser keeps of a conversation.
export function writeConversation({ id, title, used, serviceId, knownTurns, turns }) {
  return JSON.stringify({
    version: kVersion, id, title, used, serviceId, knownTurns,
    turns: turns.map((turn) => ({ id: turn.id, text: turn.text, answer: turn.answer.kept() })),
  });
}

// The conversation with this id, from such a text; null: the text is none.
export function readConversation(text, id) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isConversation(value) || value.id !== id) return null;
  const { title, used, serviceId, knownTurns } = value;
  // Turns had no ids at first; they stand at the same places in every tab.
  const turns = value.turns.map((turn, index) =>
    ({ id: turn.id ?? String(index), text: turn.text, answer: new Answer(turn.answer) }));
  return { id, title, used, serviceId, knownTurns, turns };
}

const isText = (value) => typeof value === 'string';
const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const isMissing = (value) => value === null || value === undefined;

function isConversation(value) {
  return isObject(value) && (value.version ?? kVersion) === kVersion && isText(value.title) &&
    isText(value.serviceId) && Number.isFinite(value.used) && Number.isInteger(value.knownTurns) &&
    Array.isArray(value.turns) && value.turns.length > 0 && value.turns.every(isTurn);
}

function isTurn(value) {
  return isObject(value) && (isText(value.id) || isMissing(value.id)) && isText(value.text) && isAnswer(value.answer);
}

function isAnswer(value) {
  if (!isObject(value) || !Array.isArray(value.parts) || !value.parts.every(isPart)) return false;
  const { status, model, mode, error, usage, duration } = value;
  return [status, model, mode].every(isText) &&
    (isMissing(error) || (isObject(error) && isText(error.message) && isText(error.advice))) &&
    (isMissing(usage) || (isObject(usage) && [usage.totalTokens, usage.promptTokens, usage.completionTokens].every(Number.isFinite))) &&
    (isMissing(duration) || Number.isFinite(duration));
}

// The metadata of a document is looked at where it is shown.
function isPart(value) {
  if (!isObject(value)) return false;
  switch (value.kind) {
    case 'document':
      return isText(value.id) && isText(value.type) && isObject(value.metadata) &&
        (isText(value.content) || isMissing(value.content));
    case 'thinking':
      return isText(value.text);
    case 'approval':
      return [value.id, value.toolName, value.documentId, value.state].every(isText) &&
        isObject(value.arguments) && (isText(value.arguments.diff) || isMissing(value.arguments.diff));
    default:
      return false;
  }
}
