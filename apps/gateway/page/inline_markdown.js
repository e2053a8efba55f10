import { element } from './dom.js';

// How deep emphasis and links may stand in each other; deeper marks are text.
const kMaxDepth = 8;
// Longest text between the brackets of a link, and longest address, in characters.
const kMaxLabel = 1000;
const kMaxAddress = 2000;

const kEscapable = /[!-/:-@[-`{-~]/;
const kMarks = [
  { mark: '***', tags: ['strong', 'em'] },
  { mark: '**', tags: ['strong'] },
  { mark: '__', tags: ['strong'] },
  { mark: '~~', tags: ['del'] },
  { mark: '*', tags: ['em'] },
  { mark: '_', tags: ['em'] },
];

// Makes nodes of a line or paragraph of Markdown. HTML is text. Only links to http and https become
// links, and pictures become links too: nothing is loaded.
export function inlineNodes(text, depth = 0, inLink = false) {
  return new InlineReader(text, depth, inLink).read();
}

// A link that leads out of the page; the text alone, where the address is of another kind.
function link(address, children) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return children;
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return children;
  return [element('a', { href: url.href, target: '_blank', rel: 'noopener noreferrer', title: url.href },
                  children)];
}

// Reads what stands after `[label](`, in three steps that each take all they can: a single pattern would
// try every way to share a run of blanks. null: it is not the end of a link.
function readTarget(text) {
  const [start, inBrackets, bare] = /^\s*(?:<([^<>\n]*)>|((?:[^\s()]|\([^\s()]*\))*))/.exec(text);
  const title = /^\s+(?:"[^"]*"|'[^']*')/.exec(text.slice(start.length))?.[0] ?? '';
  const end = /^\s*\)/.exec(text.slice(start.length + title.length));
  if (end === null) return null;
  return { address: inBrackets ?? bare, length: start.length + title.length + end[0].length };
}

// The text without those of the characters that it ends in.
function withoutEnd(text, characters) {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1])) --end;
  return text.slice(0, end);
}

class InlineReader {
  constructor(text, depth, inLink) {
    this.source = text;
    this.depth = depth;
    this.inLink = inLink;
    this.at = 0;
    this.nodes = [];
    this.plain = '';
    this.missing = new Set();  // marks that nothing closes from here on
  }

  read() {
    while (this.at < this.source.length) {
      if (!this.readSpecial()) this.plain += this.source[this.at++];
    }
    this.flush();
    return this.nodes;
  }

  flush() {
    if (this.plain !== '') this.nodes.push(document.createTextNode(this.plain));
    this.plain = '';
  }

  add(nodes, end) {
    this.flush();
    for (const node of nodes) this.nodes.push(node);
    this.at = end;
    return true;
  }

  readSpecial() {
    switch (this.source[this.at]) {
      case '\\': return this.readEscape();
      case '`': return this.readCode();
      case '!': case '[': return this.readLink();
      case '<': return this.readAutolink();
      case 'h': return this.readAddress();
      case '\n': return this.readBreak();
      case '*': case '_': case '~': return this.readMark();
      default: return false;
    }
  }

  readEscape() {
    const next = this.source[this.at + 1];
    if (next === undefined || !kEscapable.test(next)) return false;
    this.plain += next;
    this.at += 2;
    return true;
  }

  readCode() {
    const run = /^`+/.exec(this.source.slice(this.at))[0];
    const end = this.endOfCode(this.at, run);
    if (end < 0) {
      this.plain += run;
      this.at += run.length;
      return true;
    }
    let code = this.source.slice(this.at + run.length, end - run.length).replace(/\n/g, ' ');
    if (code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '') code = code.slice(1, -1);
    return this.add([element('code', {}, code)], end);
  }

  // After the run of backticks that closes the one at `at`; -1: none does.
  endOfCode(at, run) {
    if (this.missing.has(run)) return -1;
    for (let next = at + run.length; (next = this.source.indexOf(run, next)) >= 0;) {
      let end = next + run.length;
      while (this.source[end] === '`') ++end;
      if (end - next === run.length) return end;
      next = end;
    }
    this.missing.add(run);
    return -1;
  }

  readLink() {
    const isImage = this.source.startsWith('![', this.at);
    if (this.source[this.at] === '!' && !isImage) return false;
    if (this.inLink) return false;
    const start = this.at + (isImage ? 2 : 1);
    const close = this.endOfLabel(start);
    if (close < 0 || this.source[close + 1] !== '(') return false;
    const rest = this.source.slice(close + 2, close + 2 + kMaxAddress);
    const target = readTarget(rest);
    if (target === null) return false;
    const label = this.source.slice(start, close);
    const children = isImage || this.depth >= kMaxDepth
      ? [document.createTextNode(isImage ? `[picture: ${label}]` : label)]
      : inlineNodes(label, this.depth + 1, true);
    return this.add(link(target.address, children), close + 2 + target.length);
  }

  endOfLabel(start) {
    let open = 1;
    const last = Math.min(this.source.length, start + kMaxLabel);
    for (let at = start; at < last; ++at) {
      if (this.source[at] === '\\') ++at;
      else if (this.source[at] === '[') ++open;
      else if (this.source[at] === ']' && --open === 0) return at;
    }
    return -1;
  }

  readAutolink() {
    if (this.inLink) return false;
    const found = /^<(https?:\/\/[^\s<>]+)>/.exec(this.source.slice(this.at, this.at + kMaxAddress));
    if (found === null) return false;
    return this.add(link(found[1], [document.createTextNode(found[1])]), this.at + found[0].length);
  }

  // An address as it stands in a sentence, without what ends the sentence.
  readAddress() {
    if (/\w/.test(this.source[this.at - 1] ?? '')) return false;
    const found = /^https?:\/\/[^\s<>`*]+/.exec(this.source.slice(this.at, this.at + kMaxAddress));
    if (found === null || this.inLink) return false;
    let address = withoutEnd(found[0], '.,;:!?\'"]');
    if (address.endsWith(')') && !address.includes('(')) address = address.slice(0, -1);
    return this.add(link(address, [document.createTextNode(address)]), this.at + address.length);
  }

  readBreak() {
    this.plain = withoutEnd(this.plain, ' \\');
    return this.add([element('br')], this.at + 1);
  }

  readMark() {
    for (const { mark, tags } of kMarks) {
      if (!this.source.startsWith(mark, this.at) || this.depth >= kMaxDepth) continue;
      const end = this.endOfMark(mark);
      if (end < 0) continue;
      const inner = inlineNodes(this.source.slice(this.at + mark.length, end), this.depth + 1, this.inLink);
      const nodes = tags.reduceRight((children, tag) => [element(tag, {}, children)], inner);
      return this.add(nodes, end + mark.length);
    }
    const run = /^(.)\1*/.exec(this.source.slice(this.at, this.at + kMaxLabel))[0];
    this.plain += run;
    this.at += run.length;
    return true;
  }

  // Where the mark at this place is closed; -1: nowhere.
  endOfMark(mark) {
    const isWord = (character) => /[\p{L}\p{N}]/u.test(character ?? '');
    const start = this.at + mark.length;
    if (/\s|^$/.test(this.source[start] ?? '') || this.missing.has(mark)) return -1;
    if (mark[0] === '_' && isWord(this.source[this.at - 1])) return -1;
    for (let at = start; at < this.source.length; ++at) {
      if (this.source[at] === '\\') {
        ++at;
      } else if (this.source[at] === '`') {
        const run = /^`+/.exec(this.source.slice(at))[0];
        const end = this.endOfCode(at, run);
        at = (end < 0 ? at + run.length : end) - 1;
      } else if (this.source.startsWith(mark, at)) {
        const alone = mark.length > 1 || this.source[at + 1] !== mark;
        const closes = at > start && !/\s/.test(this.source[at - 1]) && alone &&
          (mark[0] !== '_' || !isWord(this.source[at + mark.length]));
        if (closes) return at;
        if (!alone) ++at;  // a double mark within a single one
      }
    }
    this.missing.add(mark);
    return -1;
  }
}
