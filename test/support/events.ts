import { onTestFinished, vi } from 'vitest';

export interface JobEvent {
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of events.
  data: any;
}

/** A client of `/jobs/events`, and the events that the client has received so far. */
export interface Following {
  response: Response;
  events: JobEvent[];
  /** The whole received text, with comments and `retry`. */
  text(): string;
  /** The latest event of each job, by job id. */
  latest(): Map<number, JobEvent>;
  /** Resolves when the full state has come `times` times. */
  isComplete(times?: number): Promise<void>;
  /** Resolves to the whole received text when the server ends the stream. */
  ended: Promise<string>;
  leave(): void;
}

/** Follows jobs with a client that reads every event. The client leaves when the test ends. */
export async function follow(
  request: (init: RequestInit) => Response | Promise<Response>,
): Promise<Following> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = await request({ signal: leaving.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  leaving.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  const events: JobEvent[] = [];
  let text = '';
  const ended = (async () => {
    const decoder = new TextDecoder();
    let parsed = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
      const end = text.lastIndexOf('\n\n');
      if (end < parsed) continue;
      events.push(...parseEvents(text.slice(parsed, end)));
      parsed = end + 2;
    }
  })();
  ended.catch(() => undefined);
  return {
    response,
    events,
    text: () => text,
    latest: () => new Map(events.filter(isAboutJob).map((each) => [each.data.id, each])),
    isComplete: (times = 1) =>
      vi.waitFor(
        () => {
          const ends = events.filter(({ name }) => name === 'end').length;
          if (ends < times) throw new Error(`the full state has come ${ends} of ${times} times`);
        },
        { timeout: 20_000 },
      ),
    ended,
    leave: () => leaving.abort(),
  };
}

/** The data of the events with this name. */
export const newsOf = ({ events }: Following, wanted: string) =>
  events.filter(({ name }) => name === wanted).map(({ data }) => data);

const isAboutJob = ({ name }: JobEvent) => name === 'job' || name === 'gone';

function parseEvents(text: string): JobEvent[] {
  return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name = '', data = '']) => ({
    name,
    data: JSON.parse(data),
  }));
}
