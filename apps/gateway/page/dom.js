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

// Shows characters that are not seen, or that change the order of others, by their numbers. For what
// a user decides on: it must read as it will be done.
export function visibleText(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\u27e8U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);
}
