import { element, visibleText } from './dom.js';
import { lineDiff } from './line_diff.js';

// Unchanged lines that are shown around a change.
const kContext = 3;

const kSigns = { added: '+', removed: '-', same: ' ', skipped: '\u2026' };
const kWords = { added: 'added: ', removed: 'removed: ' };

// The change from one text to another.
export function changeView(before, after) {
  // The ends of lines are no news where all are CR LF, before and after.
  if ([before, after].every((text) => !/(?:^|[^\r])\n/.test(text))) {
    [before, after] = [before, after].map((text) => text.replaceAll('\r\n', '\n'));
  }
  return diffView(withoutDistantLines(lineDiff(before, after)));
}

// A unified diff, as the gateway has it. Anything else is shown as the text that it is.
export function unifiedDiffView(diff) {
  const lines = diff.replace(/\n$/, '').split('\n')
    .filter((line, index) => !(index < 2 && /^(---|\+\+\+) /.test(line)))
    .map((line) => {
      if (line.startsWith('@@')) return { kind: 'skipped', text: line };
      if (line.startsWith('+')) return { kind: 'added', text: line.slice(1) };
      if (line.startsWith('-')) return { kind: 'removed', text: line.slice(1) };
      return { kind: 'same', text: line.startsWith(' ') ? line.slice(1) : line };
    });
  return diffView(lines);
}

function diffView(lines) {
  const count = (kind) => lines.filter((line) => line.kind === kind).length;
  const view = element('pre', {
    className: 'diff', tabIndex: 0, role: 'group',
    ariaLabel: `Change: ${count('added')} lines added, ${count('removed')} removed`,
  });
  for (const { kind, text } of lines) {
    view.append(element('span', { className: `line ${kind}` },
      element('span', { className: 'sign', aria: { hidden: 'true' } }, kSigns[kind]),
      kWords[kind] ? element('span', { className: 'hidden' }, kWords[kind]) : null,
      `${visibleText(text)}\n`));
  }
  return view;
}

function withoutDistantLines(lines) {
  const near = lines.map(() => false);
  lines.forEach(({ kind }, index) => {
    if (kind !== 'same') near.fill(true, Math.max(0, index - kContext), index + kContext + 1);
  });
  const shown = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && !near[end]) ++end;
    if (end > at) shown.push({ kind: 'skipped', text: `${end - at} unchanged lines` });
    while (end < lines.length && near[end]) shown.push(lines[end++]);
    at = end;
  }
  return shown;
}
