// How far from its end a transcript counts as being at its end, in pixels.
const kNear = 48;

// Keeps the end of the transcript in sight while it grows, unless the user has scrolled away from it.
export class Scroller {
  constructor(box, content) {
    this.box = box;
    this.follows = true;
    box.addEventListener('scroll', () => {
      this.follows = box.scrollHeight - box.scrollTop - box.clientHeight < kNear;
    }, { passive: true });
    new ResizeObserver(() => this.update()).observe(content);
    new ResizeObserver(() => this.update()).observe(box);
  }

  // The content has changed.
  update() {
    if (this.follows) this.box.scrollTop = this.box.scrollHeight;
  }

  // Goes to the end, and stays there.
  follow() {
    this.follows = true;
    this.update();
  }
}
