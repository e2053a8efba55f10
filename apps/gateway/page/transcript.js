import { byId } from './dom.js';
import { AnswerView, userMessage } from './message_view.js';
import { Scroller } from './scroller.js';

// The messages of one conversation. `context` is that of AnswerView.
export class Transcript {
  constructor(context) {
    this.context = context;
    this.node = byId('transcript');
    this.scroller = new Scroller(byId('scroller'), this.node);
    this.views = [];         // of the answers
    this.stale = new Map();  // answers by their parts that the next frame shows anew
  }

  // Shows these turns instead of others.
  show(turns) {
    this.stale.clear();
    this.views = [];
    this.node.replaceChildren();
    for (const turn of turns) this.#add(turn);
    this.views.at(-1)?.updateEnd(true);
    this.node.classList.toggle('empty', turns.length === 0);
    this.scroller.follow();
  }

  // Shows the last of the turns, which has begun. What the user has opened in others stays open.
  begin(turns) {
    if (this.views.length !== turns.length - 1) {
      this.show(turns);
      return;
    }
    this.views.at(-1)?.updateEnd(false);
    this.#add(turns.at(-1));
    this.node.classList.remove('empty');
    this.scroller.follow();
  }

  // A part of an answer has changed: the next frame shows it.
  change(answer, part) {
    if (this.stale.size === 0) requestAnimationFrame(() => this.#showParts());
    this.stale.set(part, answer);
  }

  // The answer has ended.
  end(answer) {
    this.#showParts();
    this.#viewOf(answer)?.updateEnd(answer === this.views.at(-1).answer);
    this.scroller.update();
  }

  setBusy(isBusy) {
    this.node.setAttribute('aria-busy', String(isBusy));
  }

  #viewOf(answer) {
    return this.views.find((view) => view.answer === answer);
  }

  #add({ text, answer }) {
    const view = new AnswerView(answer, this.context);
    this.views.push(view);
    this.node.append(userMessage(text), view.node);
  }

  #showParts() {
    for (const [part, answer] of this.stale) this.#viewOf(answer)?.update(part);
    this.stale.clear();
    this.scroller.update();
  }
}
