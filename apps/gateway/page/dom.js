// Makes an element. `properties` are those of the node, except for `dataset` and `aria`; a value that
// is undefined is left out. Children are nodes, texts, or lists of them: a text never becomes markup.
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name === 'aria') {
      for (const [word, text] of Object.entries(value)) node.setAttribute(`aria-${word}`, text);
    } else if (name === 'dataset') {
      Object.assign(node.dataset, value);
    } else {
      node[name] = value;
    }
  }
  // One by one: a call with a hundred thousand arguments overflows the stack.
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

export const byId = (id) => document.getElementById(id);

// A box of a check list; it shows the status, and is nothing to click on.
export function checkBox(status) {
  return element('span', { className: `box ${status}`, role: 'img', ariaLabel: status.replace('_', ' ') });
}

// What is not seen, or changes the order of others: controls, halves of characters, what programs may
// ignore, all blanks but the space, and the braille pattern without dots.
const kUnseen = /(?![ \t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu;

// Shows such characters by their numbers. For what a user decides on: it must read as it will be done.
export function visibleText(text) {
  return String(text).replace(kUnseen, (character) =>
    `\u27e8U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);
}
