import { RecruiterBox } from './recruiter-box.tsx';
import type { Recruiter } from './recruiters.ts';
import type { Person as Who } from './use-recruiter.ts';

export interface PersonProps {
  person: Who;
  onChoose(recruiter: Recruiter): void;
}

/** Shows the recruiter who claims. The person chooses a recruiter, unless a token names one. */
export function Person({ person: { id, recruiter, isFixed }, onChoose }: PersonProps) {
  if (!isFixed) return <RecruiterBox chosen={recruiter} onChoose={onChoose} />;
  return (
    <p class="field">
      <span class="label">You are</span> <strong>{recruiter?.name ?? `recruiter ${id}`}</strong>
    </p>
  );
}
