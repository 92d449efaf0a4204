export interface ServerEvent {
  name: string;
  /** What its `data` holds, parsed. */
  data: unknown;
}

/**
 * The server-sent events of an answer, as they come; undefined for a comment, which says that the
 * stream lives. Read by `fetch` rather than by an EventSource, which can send no token and does not
 * say why it was refused.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>) {
  const reader = body.pipeThrough<string>(new TextDecoderStream()).getReader();
  try {
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) yield parseEvent(part);
    }
  } finally {
    // Also when the loop around it was left: a connection that nobody reads is one of six.
    await reader.cancel().catch(() => undefined);
  }
}

function parseEvent(text: string): ServerEvent | undefined {
  const name = text.match(/^event: (.*)$/m)?.[1];
  const data = text.match(/^data: (.*)$/m)?.[1];
  return name && data ? { name, data: JSON.parse(data) } : undefined;
}
