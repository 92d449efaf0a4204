import { Recorder, type Slice } from './recorder.ts';

/** One event of the Chrome trace-event format. `ts` and `dur` are in microseconds. */
interface TraceEvent {
  name: string;
  ph: 'X' | 'M' | 's' | 'f';
  ts: number;
  dur?: number;
  pid: number;
  tid: number;
  cat?: string;
  id?: number;
  bp?: 'e';
  args?: Record<string, unknown>;
}

/**
 * Records a race as a timeline. In the timeline, each round is a process, and each session is a
 * thread. Statements and waits are slices. An arrow leads from the session with the lock to the
 * session that waits.
 */
export class Trace {
  readonly #events: TraceEvent[] = [];
  readonly #recorder = new Recorder((slice) => this.#draw(slice));
  readonly around = this.#recorder.around;
  readonly open = this.#recorder.open;
  #round = 0;
  #arrows = 0;

  /** Begins a round with this name. */
  readonly startRound = (name: string) => {
    this.#round++;
    const ts = microseconds(performance.now());
    this.#add({ name: 'process_name', ph: 'M', tid: 0, ts, args: { name } });
  };

  /** Starts to record waits in the database at `url`. */
  watch(url: string) {
    this.#recorder.watch(url);
  }

  /** Stops recording waits, and returns the whole timeline. */
  async end(): Promise<{ traceEvents: TraceEvent[] }> {
    await this.#recorder.end();
    return { traceEvents: this.#events };
  }

  #draw(slice: Slice) {
    const { session: tid, from, to } = slice;
    const ts = microseconds(from);
    const drawn = { ph: 'X', tid, ts, dur: microseconds(to) - ts } as const;
    if (slice.kind === 'request') {
      const args = { name: `Session ${tid}` };
      this.#add({ name: 'thread_name', ph: 'M', tid, ts, args });
      this.#add({ ...drawn, name: 'request' });
    } else if (slice.kind === 'statement') {
      const statement = slice.statement.text.trim();
      this.#add({ ...drawn, name: statement.split(/\s+/, 2).join(' '), args: { statement } });
    } else {
      const { blocker } = slice;
      this.#add({ ...drawn, name: `waits for session ${blocker}` });
      const arrow = { name: 'lock', cat: 'wait', id: ++this.#arrows, ts };
      this.#add({ ...arrow, ph: 's', tid: blocker });
      this.#add({ ...arrow, ph: 'f', bp: 'e', tid });
    }
  }

  #add(event: Omit<TraceEvent, 'pid'>) {
    this.#events.push({ ...event, pid: this.#round });
  }
}

const microseconds = (milliseconds: number) => Math.round(milliseconds * 1000);
