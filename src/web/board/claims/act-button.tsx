import type { ActName, Attempt } from './use-acts.ts';

const words = {
  claim: ['Claim', 'Claiming…'],
  release: ['Release', 'Releasing…'],
  renew: ['Renew', 'Renewing…'],
} as const satisfies Record<ActName, readonly [string, string]>;

export interface ActButtonProps {
  act: ActName;
  /** The name of the job. Screen readers read it after the word of the button. */
  subject: string;
  attempt: Attempt | undefined;
  isPrimary?: boolean;
  onPress(): void;
}

export function ActButton({ act, subject, attempt, isPrimary, onPress }: ActButtonProps) {
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
      {words[act][isUnderWay ? 1 : 0]}
      <span class="unseen"> {subject}</span>
    </button>
  );
}
