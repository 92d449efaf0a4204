/**
 * Moves the focus to an element, so that keyboards and screen readers go on from there. Waits for a
 * frame, because the element may not be on the page yet.
 */
export const focusOn = (id: string, look: (found: HTMLElement) => void = () => {}) =>
  requestAnimationFrame(() => {
    const found = document.getElementById(id);
    if (!found) return;
    found.focus({ preventScroll: true });
    look(found);
  });

/** Moves the focus to an element, if no element has the focus. */
export const focusOnIfLost = (id: string) =>
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) focusOn(id);
  });

/** Moves the focus to an element, and scrolls the element to the top of the screen. */
export const goTo = (id: string) =>
  focusOn(id, (found) => found.scrollIntoView({ block: 'start' }));
