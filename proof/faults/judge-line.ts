import type { Finding, Promised } from './ledger.ts';

/** A committed event of a job. */
export interface LineEvent {
  number: number;
  kind: string;
  recruiterId: string | null;
  capacity: number;
  /** The id of the transaction that appended the event. */
  xid: string;
}

/** The line and the holders after the last event, and the broken promises. */
export interface JudgedLine {
  line: string[];
  holders: Set<string>;
  findings: Finding[];
}

/**
 * Reads the events of one job in their order, and finds each broken promise of its line. The events
 * are in the order in which the transactions had the lock of the job.
 */
export function judgeLine(events: LineEvent[]): JudgedLine {
  const line: string[] = [];
  const holders = new Set<string>();
  const offers = new Set<string>();
  const findings: Finding[] = [];
  for (const [index, event] of events.entries()) {
    const { number, kind, capacity, xid } = event;
    const recruiter = event.recruiterId ?? '';
    const find = (promise: Promised, what: string) =>
      findings.push({ promise, what: `${what}, at event ${number}` });
    /** Takes the recruiter out of the line. Returns the place from 0, or -1 if there was none. */
    const leave = () => {
      const place = line.indexOf(recruiter);
      if (place >= 0) line.splice(place, 1);
      return place;
    };
    switch (kind) {
      case 'joined':
        if (line.includes(recruiter) || holders.has(recruiter))
          find('nobody waits twice, or waits and holds', `recruiter ${recruiter} joined`);
        line.push(recruiter);
        break;
      case 'left':
        if (leave() < 0) find('only requested changes are made', `recruiter ${recruiter} left`);
        break;
      // A job that does not ask gives a claim to the first in line.
      case 'offered':
      case 'claimed': {
        const [first] = line;
        const place = leave();
        if (kind === 'offered' ? place !== 0 : first !== undefined && place !== 0)
          find('first come, first served', `recruiter ${recruiter} overtook recruiter ${first}`);
        if (holders.has(recruiter)) find('capacity', `recruiter ${recruiter} got two slots`);
        holders.add(recruiter);
        if (kind === 'offered') offers.add(recruiter);
        break;
      }
      case 'accepted':
      case 'declined':
      case 'lapsed':
        if (!offers.delete(recruiter))
          find(
            'only requested changes are made',
            `recruiter ${recruiter} had no offer to be ${kind}`,
          );
        if (kind !== 'accepted') holders.delete(recruiter);
        break;
      case 'released':
      case 'expired':
        if (offers.delete(recruiter))
          find(
            'only requested changes are made',
            `the offer of recruiter ${recruiter} was ${kind}`,
          );
        holders.delete(recruiter);
        break;
    }
    if (holders.size > capacity)
      find('capacity', `${holders.size} recruiters hold ${capacity} slots`);
    const isLastOfTransaction = events[index + 1]?.xid !== xid;
    if (isLastOfTransaction && line.length > 0 && holders.size < capacity)
      find(
        'no slot is idle while somebody waits',
        `${holders.size} of ${capacity} slots are taken, and ${line.length} wait`,
      );
  }
  return { line, holders, findings };
}
