/** Long work in short slices, so that the page stays alive: the newest work replaces what is left. */

const SLICE = 10;

export class Work {
  constructor() {
    this.number = 0;
  }

  /**
   * Do the steps of a generator, unless newer work comes.
   * @param {Iterator<void>} steps
   */
  start(steps) {
    const number = ++this.number;
    const go = () => {
      const end = performance.now() + SLICE;
      while (performance.now() < end) {
        if (number !== this.number || steps.next().done) return;
      }
      setTimeout(go);
    };
    setTimeout(go);
  }
}
