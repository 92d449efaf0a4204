import type { PendingAct } from './use-acts.ts';

export interface ActButtonProps {
  act: string;
  /** The label of the button, and the label while the request of the button is under way. */
  words: readonly [string, string];
  /**
   * The name of the thing that the button is about. Screen readers read this name after the label.
   */
  subject: string;
  /** The request that is under way about the thing. Undefined if no request is under way. */
  attempt: PendingAct | undefined;
  isPrimary?: boolean;
  onPress(): void;
}

export function ActButton({ act, words, subject, attempt, isPrimary, onPress }: ActButtonProps) {
  const isUnderWay = attempt?.act === act;
  return (
    <button
      type="button"
      class={isPrimary ? 'primary' : ''}
      // We do not use `disabled`, because a disabled button loses the focus.
      aria-disabled={attempt ? 'true' : undefined}
      onClick={(event: MouseEvent) => {
        // A second click of a double click does nothing. The person meant the button that was at
        // this position before.
        if (!attempt && event.detail <= 1) onPress();
      }}
    >
      {words[isUnderWay ? 1 : 0]}
      <span class="unseen"> {subject}</span>
    </button>
  );
}
