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
      <Way words="First" isOpen={!isFirst} onGo={onFirst} />
      <Way words="Previous" isOpen={depth > 0} onGo={onBack} />
      <Way words="Next" isOpen={next !== null} onGo={() => next !== null && onNext(next)} />
    </nav>
  );
}

/** Not `disabled` where it leads nowhere: who came here by it keeps the focus. */
const Way = ({ words, isOpen, onGo }: { words: string; isOpen: boolean; onGo(): void }) => (
  <button
    type="button"
    aria-disabled={isOpen ? undefined : 'true'}
    onClick={() => {
      if (!isOpen) return;
      onGo();
      scrollTo({ top: 0 });
    }}
  >
    {words}
  </button>
);
