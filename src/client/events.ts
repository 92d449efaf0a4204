export interface ServerEvent {
  name: string;
  /** The parsed `data` of the event. */
  data: unknown;
}

/**
 * Yields the server-sent events of an answer as they arrive. Yields undefined for a comment, which
 * shows that the stream is alive. The client uses `fetch`, because an EventSource cannot send a
 * token and hides the reason of a refusal.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) yield parseEvent(part);
    }
  } finally {
    // This code also runs if the caller leaves its loop. A stream that nobody reads would block one
    // of the six connections that a browser opens to a server over HTTP/1.1.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(text: string): ServerEvent | undefined {
  const name = text.match(/^event: (.*)$/m)?.[1];
  const data = text.match(/^data: (.*)$/m)?.[1];
  return name && data ? { name, data: JSON.parse(data) } : undefined;
}
