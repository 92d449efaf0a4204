import type { Finding } from '../ledger.ts';

/** A message as an endpoint received it. */
export interface Message {
  /** The name of the endpoint. */
  endpoint: string;
  /** The header `webhook-id`. */
  id: string;
  body: string;
}

/** The messages that arrived at the receiver, and the messages that the receiver accepted. */
export class Inbox {
  /** The number of messages that arrived, including repeats. */
  arrivals = 0;
  readonly findings: Finding[] = [];
  readonly #messages = new Map<string, Message>();
  readonly #accepted = new Set<string>();

  /** Records a message that has arrived completely. Returns whether the message is a repeat. */
  record(message: Message): boolean {
    this.arrivals++;
    const name = nameOf(message);
    const first = this.#messages.get(name);
    if (first === undefined) this.#messages.set(name, message);
    else if (first.body !== message.body)
      this.findings.push({
        promise: 'each repeat is the same',
        what: `${name} came again, with another body`,
      });
    return first !== undefined;
  }

  /** Records that the receiver accepts a message. */
  accept(message: Message) {
    this.#accepted.add(nameOf(message));
  }

  hasAccepted(message: Pick<Message, 'endpoint' | 'id'>): boolean {
    return this.#accepted.has(nameOf(message));
  }

  /** All messages, without repeats. */
  get messages(): Message[] {
    return [...this.#messages.values()];
  }
}

const nameOf = ({ endpoint, id }: Pick<Message, 'endpoint' | 'id'>) =>
  `message ${id} at endpoint ${endpoint}`;
