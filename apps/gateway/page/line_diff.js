// Most pairs of lines that are compared; beyond that, all lines count as changed.
const kMaxPairs = 4_000_000;

// What makes `after` of `before`, line by line: {kind: 'same' | 'removed' | 'added', text} in order.
export function lineDiff(before, after) {
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) ++head;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head &&
         old[old.length - 1 - tail] === now[now.length - 1 - tail]) ++tail;
  const kind = (name) => (text) => ({ kind: name, text });
  return [
    ...old.slice(0, head).map(kind('same')),
    ...middle(old.slice(head, old.length - tail), now.slice(head, now.length - tail)),
    ...old.slice(old.length - tail).map(kind('same')),
  ];
}

function linesOf(text) {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

// By the longest common subsequence.
function middle(old, now) {
  const width = now.length + 1;
  const lengths = old.length * now.length > kMaxPairs ? null : commonLengths(old, now, width);
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (lengths !== null && i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++] });
      ++j;
    } else if (i < old.length &&
               (j >= now.length || lengths === null || lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      lines.push({ kind: 'removed', text: old[i++] });
    } else {
      lines.push({ kind: 'added', text: now[j++] });
    }
  }
  return lines;
}

// At [i * width + j]: the length of the longest common part of old[i...] and now[j...].
function commonLengths(old, now, width) {
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; --i) {
    for (let j = now.length - 1; j >= 0; --j) {
      lengths[i * width + j] = old[i] === now[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  return lengths;
}
