export interface PagesProps {
  /** How many pages lie before this one. */
  depth: number;
  isFirst: boolean;
  /** Where the next page begins; null after the last. */
  next: string | null;
  onFirst(): void;
  onBack(): void;
  onNext(after: string): void;
}

/** Ways to the other pages. */
export function Pages({ depth, isFirst, next, onFirst, onBack, onNext }: PagesProps) {
  return (
    <nav class="pages" aria-label="Pages of jobs">
      <button type="button" disabled={isFirst} onClick={onFirst}>
        First
      </button>
      <button type="button" disabled={depth === 0} onClick={onBack}>
        Previous
      </button>
      <button type="button" disabled={next === null} onClick={() => next !== null && onNext(next)}>
        Next
      </button>
    </nav>
  );
}
