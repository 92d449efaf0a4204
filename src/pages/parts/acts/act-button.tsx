import type { Attempt } from './use-acts.ts';

export interface ActButtonProps {
  act: string;
  /** The words of the button, and its words while the act is under way. */
  words: readonly [string, string];
  /** The name of the thing. Screen readers read it after the words. */
  subject: string;
  /** The act that is under way on the thing. */
  attempt: Attempt | undefined;
  isPrimary?: boolean;
  onPress(): void;
}

export function ActButton({ act, words, subject, attempt, isPrimary, onPress }: ActButtonProps) {
  const isUnderWay = attempt?.act === act;
  return (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      // A `disabled` button would lose the focus.
      aria-disabled={attempt ? 'true' : undefined}
      onClick={(event: MouseEvent) => {
        // The second click of a double click was meant for the button that was here before.
        if (!attempt && event.detail <= 1) onPress();
      }}
    >
      {words[isUnderWay ? 1 : 0]}
      <span class="unseen"> {subject}</span>
    </button>
  );
}
