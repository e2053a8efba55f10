import { byId } from './dom.js';

let last = Promise.resolve();  // the question before

// Asks the user in a dialog, one question at a time. Resolves to the text of the field, or to '' where there is none; null: the
// user does not want to. `field` is the type of the field: 'text', 'password', or '' for none.
export function askUser(question) {
  last = last.then(() => ask(question));
  return last;
}

function ask({ title, text = '', field = '', value = '', confirm }) {
  const dialog = byId('dialog');
  byId('dialog-title').textContent = title;
  byId('dialog-text').textContent = text;
  byId('dialog-text').hidden = text === '';
  byId('dialog-field').hidden = field === '';
  byId('dialog-field').type = field || 'text';
  byId('dialog-field').value = value;
  byId('dialog-confirm').textContent = confirm;
  return new Promise((resolve) => {
    const finish = (answer) => {
      listeners.abort();
      byId('dialog-field').value = '';
      dialog.close();
      resolve(answer);
    };
    const listeners = new AbortController();
    const { signal } = listeners;
    byId('dialog-form').addEventListener('submit', (event) => {
      event.preventDefault();
      finish(field === '' ? '' : byId('dialog-field').value.trim());
    }, { signal });
    byId('dialog-cancel').addEventListener('click', () => finish(null), { signal });
    dialog.addEventListener('cancel', (event) => {
      event.preventDefault();
      finish(null);
    }, { signal });
    dialog.showModal();
    (field === '' ? byId('dialog-cancel') : byId('dialog-field')).focus();
  });
}
