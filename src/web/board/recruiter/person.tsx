import { RecruiterBox } from './recruiter-box.tsx';
import type { Recruiter } from './recruiters.ts';
import type { Person as Who } from './use-recruiter.ts';

export interface PersonProps {
  person: Who;
  onChoose(recruiter: Recruiter): void;
}

/** The recruiter who claims. The person chooses one, unless a token fixes the recruiter. */
export function Person({ person: { id, recruiter, isFixed }, onChoose }: PersonProps) {
  if (!isFixed) return <RecruiterBox chosen={recruiter} onChoose={onChoose} />;
  return (
    <p class="field">
      <span class="label">You are</span> <strong>{recruiter?.name ?? `recruiter ${id}`}</strong>
    </p>
  );
}
