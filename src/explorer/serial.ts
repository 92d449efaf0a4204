/**
 * Whether the sessions of a schedule run one after the other, and nothing else happens. A fault of
 * such a schedule is no race. A schedule with one session does not count.
 */
export function isOneAfterAnother(schedule: readonly string[]): boolean {
  const steps = schedule.map((choice) => /^\.?(\d+)$/.exec(choice)?.[1]);
  const turns = steps.filter((session, index) => session !== steps[index - 1]);
  return !steps.includes(undefined) && turns.length > 1 && new Set(turns).size === turns.length;
}
