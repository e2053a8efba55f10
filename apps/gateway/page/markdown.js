import { codeBlock } from './code_view.js';
import { checkBox, element } from './dom.js';
import { inlineNodes } from './inline_markdown.js';

// How deep lists and quotes may stand in each other; what is deeper is text.
const kMaxDepth = 12;
// Most columns and cells of a table; what is beyond is text.
const kMaxColumns = 100;
const kMaxCells = 10_000;

// No line of a model may make these try many ways of matching: where a run of characters ends is never
// a choice between two parts of a pattern.
const kHeading = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const kRule = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const kFence = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))([^`]*)$/;
const kQuote = /^ {0,3}> ?/;
const kItem = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const kTableRule = /^ {0,3}(?=[-:|])[-:| \t]+$/;

// Shows a text of Markdown within `parent`, which is the view's own. Shown again with more after it,
// only the blocks that have changed are made anew.
export function showMarkdown(parent, text) {
  const blocks = splitBlocks(text.split(/\r?\n/));
  const shown = parent.shownBlocks ?? [];
  let same = 0;
  while (same < blocks.length && same < shown.length && blocks[same].source === shown[same]) ++same;
  while (parent.childNodes.length > same) parent.lastChild.remove();
  for (const block of blocks.slice(same)) parent.append(block.node(0));
  parent.shownBlocks = blocks.map((block) => block.source);
}

function blockNodes(lines, depth) {
  if (depth > kMaxDepth) return [element('p', {}, lines.join('\n'))];
  return splitBlocks(lines).map((block) => block.node(depth));
}

// Each block has its source, and a function that makes its node.
function splitBlocks(lines) {
  const blocks = [];
  for (let at = 0; at < lines.length;) {
    if (lines[at].trim() === '') {
      ++at;
      continue;
    }
    const { end, node } = readBlock(lines, at);
    blocks.push({ source: lines.slice(at, end).join('\n'), node });
    at = end;
  }
  return blocks;
}

function readBlock(lines, at) {
  if (kHeading.test(lines[at])) return readHeading(lines, at);
  if (kRule.test(lines[at])) return { end: at + 1, node: () => element('hr') };
  if (kFence.test(lines[at])) return readFence(lines, at);
  if (kQuote.test(lines[at])) return readQuote(lines, at);
  if (isTable(lines, at)) return readTable(lines, at);
  if (kItem.test(lines[at])) return readList(lines, at);
  return readParagraph(lines, at);
}

function readHeading(lines, at) {
  const [start, marks] = kHeading.exec(lines[at]);
  const text = lines[at].slice(start.length).trim().replace(/(^|[ \t])#+$/, '').trimEnd();
  // The page has its own first heading.
  const tag = `h${Math.min(6, marks.length + 1)}`;
  return { end: at + 1, node: () => element(tag, {}, inlineNodes(text)) };
}

function readFence(lines, at) {
  const [, fence, info] = kFence.exec(lines[at]);
  const close = new RegExp(`^ {0,3}[${fence[0]}]{${fence.length},}[ \t]*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end])) ++end;
  const code = lines.slice(at + 1, end).join('\n');
  return { end: Math.min(end + 1, lines.length), node: () => codeBlock(code, info.trim().split(/\s/)[0]) };
}

function readQuote(lines, at) {
  let end = at;
  while (end < lines.length && kQuote.test(lines[end])) ++end;
  const inner = lines.slice(at, end).map((line) => line.replace(kQuote, ''));
  return { end, node: (depth) => element('blockquote', {}, blockNodes(inner, depth + 1)) };
}

function isTable(lines, at) {
  if (!lines[at].includes('|') || at + 1 >= lines.length || !kTableRule.test(lines[at + 1])) return false;
  const rules = cells(lines[at + 1]);
  return rules.length <= kMaxColumns && rules.every((rule) => /^:?-+:?$/.test(rule)) &&
    cells(lines[at]).length === rules.length;
}

function cells(line) {
  const inner = line.trim().replace(/^\|/, '').replace(/(^|[^\\])\|$/, '$1');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function readTable(lines, at) {
  const names = cells(lines[at]);
  const sides = cells(lines[at + 1]).map((rule) =>
    rule.endsWith(':') ? (rule.startsWith(':') ? 'center' : 'right') : 'left');
  const rows = [];
  let end = at + 2;
  for (let count = names.length; end < lines.length && lines[end].includes('|'); ++end) {
    const row = cells(lines[end]).slice(0, names.length);
    count += row.length;
    if (count > kMaxCells) break;
    rows.push(row);
  }
  const rowNode = (row, tag) => element('tr', {}, row.map((text, column) =>
    element(tag, { className: sides[column] }, inlineNodes(text))));
  const node = () => element('div', { className: 'table' }, element('table', {},
    element('thead', {}, rowNode(names, 'th')),
    element('tbody', {}, rows.map((row) => rowNode(row, 'td')))));
  return { end, node };
}

function readList(lines, at) {
  const first = kItem.exec(lines[at]);
  const isOrdered = /\d/.test(first[2]);
  const items = [];
  let isLoose = false;
  let end = at;
  while (end < lines.length) {
    const item = kItem.exec(lines[end]);
    if (item === null || kRule.test(lines[end]) || item[2].at(-1) !== first[2].at(-1)) break;
    const next = endOfItem(lines, end, item[0].length);
    items.push(contentOfItem(lines.slice(end, next), item[0].length));
    isLoose ||= items.at(-1).some((line, index, all) => line.trim() === '' && index + 1 < all.length);
    end = next;
    let behind = end;
    while (behind < lines.length && lines[behind].trim() === '') ++behind;
    if (behind === end || behind === lines.length) continue;
    const another = kItem.exec(lines[behind]);
    if (another === null || another[2].at(-1) !== first[2].at(-1)) break;
    isLoose = true;
    end = behind;
  }
  const node = (depth) => element(isOrdered ? 'ol' : 'ul',
    { start: isOrdered ? Number.parseInt(first[2], 10) : undefined },
    items.map((item) => itemNode(item, isLoose, depth)));
  return { end, node };
}

// An item has the lines that are indented as its text is, and those that go on its paragraph.
function endOfItem(lines, start, indent) {
  let end = start + 1;
  let afterBlank = false;
  for (let at = end; at < lines.length; ++at) {
    if (lines[at].trim() === '') {
      afterBlank = true;
      continue;
    }
    const spaces = /^[ \t]*/.exec(lines[at])[0].replace(/\t/g, '    ').length;
    const isInner = spaces >= Math.min(indent, 2) && spaces > 0 && (spaces >= indent || !kItem.test(lines[at]));
    if (!isInner && (afterBlank || beginsBlock(lines, at))) break;
    afterBlank = false;
    end = at + 1;
  }
  return end;
}

function contentOfItem(lines, indent) {
  return lines.map((line, index) => index === 0
    ? line.slice(indent)
    : line.replace(/\t/g, '    ').replace(new RegExp(`^ {1,${indent}}`), ''));
}

function itemNode(lines, isLoose, depth) {
  const task = /^\[([ xX])\][ \t]+/.exec(lines[0]);
  if (task !== null) lines = [lines[0].slice(task[0].length), ...lines.slice(1)];
  let nodes = blockNodes(lines, depth + 1);
  if (!isLoose) {
    nodes = nodes.flatMap((node) => node.tagName === 'P' ? [...node.childNodes] : [node]);
  }
  if (task === null) return element('li', {}, nodes);
  const box = checkBox(task[1] === ' ' ? 'pending' : 'completed');
  return element('li', { className: 'task' }, box, ' ', nodes);
}

function beginsBlock(lines, at) {
  return kHeading.test(lines[at]) || kRule.test(lines[at]) || kFence.test(lines[at]) ||
    kQuote.test(lines[at]) || isTable(lines, at) || kItem.test(lines[at]);
}

function readParagraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() !== '' && !beginsBlock(lines, end)) ++end;
  const text = lines.slice(at, end).map((line) => line.trimStart()).join('\n').trimEnd();
  return { end, node: () => element('p', {}, inlineNodes(text)) };
}
