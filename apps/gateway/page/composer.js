import { byId } from './dom.js';

// The field for a message, with its buttons. `send(text)` is called with what the user sends, and `stop()`
// where the answer under way is to stop.
export class Composer {
  constructor({ send, stop }) {
    this.send = send;
    byId('composer').addEventListener('submit', (event) => {
      event.preventDefault();
      this.#submit();
    });
    byId('prompt').addEventListener('keydown', (event) => this.#onKey(event));
    byId('prompt').addEventListener('input', fit);
    byId('skip').addEventListener('click', (event) => {
      event.preventDefault();
      byId('prompt').focus();
    });
    byId('stop').addEventListener('click', () => {
      stop();
      this.focus();
    });
  }

  // Whether an answer is under way: nothing is sent then. If it is that of this tab, the button stops it.
  setRunning(isRunning, isElsewhere) {
    byId('send').hidden = isRunning || isElsewhere;
    byId('stop').hidden = !isRunning;
  }

  // On a touch screen, the focus would bring a keyboard over half of the page.
  focus() {
    if (matchMedia('(pointer: fine)').matches) byId('prompt').focus();
  }

  // Adds a text for the user to send.
  put(text) {
    const prompt = byId('prompt');
    prompt.value = prompt.value.trim() === '' ? text : `${prompt.value.trimEnd()}\n${text}`;
    fit();
    prompt.focus();
  }

  // A key that ends the composition of a character is for the input method.
  #onKey(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.#submit();
  }

  #submit() {
    const text = byId('prompt').value;
    if (text.trim() === '' || byId('send').hidden) return;
    byId('prompt').value = '';
    fit();
    this.send(text);
  }
}

// The field grows with its text; the style sheet bounds it.
function fit() {
  const prompt = byId('prompt');
  prompt.style.height = 'auto';
  prompt.style.height = `${prompt.scrollHeight + 2}px`;
}
