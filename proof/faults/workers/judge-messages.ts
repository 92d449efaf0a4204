import { z } from 'zod';
import { type MessageType, messageTypes } from '../../../src/service/webhooks/tables.ts';
import type { Finding } from '../ledger.ts';
import type { Inbox, Message } from './inbox.ts';

/** A committed event. */
export interface EventRow {
  jobId: string;
  companyId: string;
  /** The sequence number of the event within its job. */
  number: number;
  kind: string;
  recruiterId: string | null;
  /** The job's slots, and the number of its claims, after the event. */
  capacity: number;
  claimed: number;
}

/** An endpoint that gets messages of all types. The endpoint was added before the first event. */
export interface EndpointRow {
  /** The path of the endpoint's address. */
  name: string;
  companyId: string;
}

const about = z.object({ recruiter: z.object({ id: z.coerce.string() }) });
const body = z.object({
  type: z.string(),
  data: z.object({
    number: z.int(),
    job: z.object({ id: z.coerce.string() }),
    claim: about.optional(),
    line: about.optional(),
  }),
});

/**
 * Compares the messages that arrived with the committed events. Each event must arrive at each
 * endpoint of its company. Nothing else may arrive.
 */
export function judgeMessages(
  messages: Message[],
  events: EventRow[],
  endpoints: EndpointRow[],
): Finding[] {
  const findings: Finding[] = [];
  const due = dueMessages(events, endpoints);
  const arrived = new Map<string, string>();
  for (const { endpoint, id, body } of messages) {
    const name = nameIn(endpoint, body);
    const former = arrived.get(name);
    if (!due.has(name))
      findings.push({ promise: 'only committed events arrive', what: `${name} came as ${id}` });
    if (former !== undefined && former !== id)
      findings.push({
        promise: 'each repeat is the same',
        what: `${name} came as ${former}, and again as ${id}`,
      });
    arrived.set(name, id);
  }
  for (const name of due)
    if (!arrived.has(name))
      findings.push({ promise: 'every committed event arrives', what: `${name} never came` });
  return findings;
}

/** Finds the types without a message. A long run has messages of all types. */
export function judgeTypes(messages: Message[]): Finding[] {
  const came = new Set(messages.map(({ body: text }) => body.safeParse(parse(text)).data?.type));
  return messageTypes
    .filter((type) => !came.has(type))
    .map((type) => ({ promise: 'every committed event arrives', what: `no ${type} came` }));
}

/** Finds the deliveries that count as done although their endpoint never accepted the message. */
export const judgeDelivered = (delivered: Pick<Message, 'endpoint' | 'id'>[], inbox: Inbox) =>
  delivered
    .filter((message) => !inbox.hasAccepted(message))
    .map(
      ({ endpoint, id }): Finding => ({
        promise: 'every committed event arrives',
        what: `message ${id} counts as delivered, and endpoint ${endpoint} never accepted it`,
      }),
    );

/** Returns the names of all messages that must arrive. */
function dueMessages(events: EventRow[], endpoints: EndpointRow[]): Set<string> {
  return new Set(
    events.flatMap((event) =>
      endpoints
        .filter(({ companyId }) => companyId === event.companyId)
        .flatMap(({ name }) => typesOf(event).map((type) => nameOf(name, type, event))),
    ),
  );
}

/** Returns the types of the messages about an event. The scenario commits no change of capacity. */
function typesOf({ kind, capacity, claimed }: EventRow): MessageType[] {
  const becomesFull: MessageType[] = claimed === capacity ? ['job.full'] : [];
  const becomesOpen: MessageType[] = claimed === capacity - 1 ? ['job.open'] : [];
  const types: Record<string, MessageType[]> = {
    claimed: ['claim.created', ...becomesFull],
    offered: ['slot.offered', ...becomesFull],
    released: ['claim.released', ...becomesOpen],
    expired: ['claim.expired', ...becomesOpen],
    declined: ['offer.declined', ...becomesOpen],
    lapsed: ['offer.lapsed', ...becomesOpen],
    accepted: ['offer.accepted'],
    joined: ['waitlist.joined'],
    left: ['waitlist.left'],
  };
  return types[kind] ?? [];
}

function nameIn(endpoint: string, text: string): string {
  const { success, data } = body.safeParse(parse(text));
  if (!success) return `an unknown body at endpoint ${endpoint}`;
  const { type, data: message } = data;
  const recruiterId = (message.claim ?? message.line)?.recruiter.id ?? null;
  return nameOf(endpoint, type, { jobId: message.job.id, number: message.number, recruiterId });
}

function nameOf(
  endpoint: string,
  type: string,
  { jobId, number, recruiterId }: Pick<EventRow, 'jobId' | 'number' | 'recruiterId'>,
): string {
  const whose = type.startsWith('job.') ? '' : ` of recruiter ${recruiterId}`;
  return `${type}${whose}, event ${number} of job ${jobId}, at endpoint ${endpoint}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
