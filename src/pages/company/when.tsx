import { api } from '../parts/api.ts';

/** Puts a time into words. Leaves out the date if the time is today. */
export function timeInWords(iso: string, now: number): string {
  const at = new Date(iso);
  const isToday = at.toDateString() === new Date(now).toDateString();
  const form = isToday
    ? ({ timeStyle: 'medium' } as const)
    : ({ dateStyle: 'medium', timeStyle: 'short' } as const);
  return at.toLocaleString(undefined, form);
}

export const When = ({ at }: { at: string }) => (
  <time dateTime={at}>{timeInWords(at, api.now())}</time>
);
