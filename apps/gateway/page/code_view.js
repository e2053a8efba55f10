import { element } from './dom.js';

// Code with its language, and a button that copies it.
export function codeBlock(code, language, name = language) {
  const text = element('code', {}, code);
  return element('figure', { className: 'code' },
    element('figcaption', {},
      element('span', { className: 'language' }, name || 'text'),
      copyButton(() => text.textContent)),
    element('pre', { tabIndex: 0 }, text));
}

function copyButton(read) {
  const button = element('button', { className: 'button quiet small', type: 'button' }, 'Copy');
  button.addEventListener('click', async () => {
    const copied = await copy(read());
    button.textContent = copied ? 'Copied' : 'Not copied';
    setTimeout(() => { button.textContent = 'Copy'; }, 2000);
  });
  return button;
}

// The clipboard of a page that has come over plain HTTP from another machine has the old way alone.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element('textarea', { value: text, className: 'hidden' });
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}
