import { byId, element } from './dom.js';

const kChoiceName = 'cursor-gateway.choice';

// The pickers of the mode and the model. What was chosen last is kept.
export class Pickers {
  constructor() {
    const choice = this.#kept();
    if ([...byId('mode').options].some((option) => option.value === choice.mode)) {
      byId('mode').value = choice.mode;
    }
    this.wanted = typeof choice.model === 'string' ? choice.model : 'auto';
    this.#show([]);
    for (const id of ['mode', 'model']) byId(id).addEventListener('change', () => this.#keep());
  }

  get mode() { return byId('mode').value; }
  get model() { return byId('model').value; }

  // Offers these models, and the one that was chosen.
  setModels(ids) {
    this.#show(ids);
  }

  #show(ids) {
    const all = [...new Set(['auto', ...ids, this.wanted])];
    byId('model').replaceChildren(...all.map((id) => element('option', { value: id }, id)));
    byId('model').value = this.wanted;
  }

  #keep() {
    this.wanted = this.model;
    try {
      localStorage.setItem(kChoiceName, JSON.stringify({ mode: this.mode, model: this.model }));
    } catch {
      // No room: the choice holds for this visit.
    }
  }

  #kept() {
    try {
      return JSON.parse(localStorage.getItem(kChoiceName)) ?? {};
    } catch {
      return {};
    }
  }
}
