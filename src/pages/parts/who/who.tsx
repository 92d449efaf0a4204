import type { Directory, Named } from './named.ts';
import { SearchBox } from './search-box.tsx';
import type { Person } from './use-who.ts';

export interface WhoProps {
  directory: Directory;
  person: Person;
  onChoose(chosen: Named): void;
}

/**
 * Shows the recruiter or the company for whom the page acts. If the token does not name this
 * recruiter or company, the visitor chooses in a search box.
 */
export function Who({ directory, person: { id, known, isFixed }, onChoose }: WhoProps) {
  if (!isFixed) return <SearchBox directory={directory} chosen={known} onChoose={onChoose} />;
  return (
    <p class="field">
      <span class="label">You are</span> <strong>{known?.name ?? `${directory.role} ${id}`}</strong>
    </p>
  );
}
