import { useRef } from 'hono/jsx/dom';
import { leases } from './leases.ts';

export interface LeaseChoiceProps {
  seconds: number;
  onChoose(seconds: number): void;
}

/** Shows a field in which a person chooses how long the next claims last. */
export function LeaseChoice({ seconds, onChoose }: LeaseChoiceProps) {
  const field = useRef<HTMLSelectElement>(null);
  return (
    <div class="field">
      <label for="lease">Claims last</label>
      <select id="lease" ref={field} onChange={() => onChoose(Number(field.current?.value))}>
        {leases.map((lease) => (
          <option key={lease.seconds} value={lease.seconds} selected={lease.seconds === seconds}>
            {lease.words}
          </option>
        ))}
      </select>
    </div>
  );
}
