export interface PagesProps {
  /** The listed things, such as `jobs`. */
  of: string;
  /** The number of pages before this page. */
  depth: number;
  isFirst: boolean;
  /** The cursor for the next page. Null on the last page. */
  next: string | null;
  onFirst(): void;
  onBack(): void;
  onNext(after: string): void;
}

/** Shows the buttons that lead to the other pages. */
export function Pages({ of, depth, isFirst, next, onFirst, onBack, onNext }: PagesProps) {
  return (
    <nav class="pages" aria-label={`Pages of ${of}`}>
      <Way words="First" isOpen={!isFirst} onGo={onFirst} />
      <Way words="Previous" isOpen={depth > 0} onGo={onBack} />
      <Way words="Next" isOpen={next !== null} onGo={() => next !== null && onNext(next)} />
    </nav>
  );
}

/**
 * Shows a button that leads to another page. The button is never `disabled`, since a disabled
 * button loses the focus.
 */
const Way = ({ words, isOpen, onGo }: { words: string; isOpen: boolean; onGo(): void }) => (
  <button
    type="button"
    aria-disabled={isOpen ? undefined : 'true'}
    onClick={() => isOpen && onGo()}
  >
    {words}
  </button>
);
