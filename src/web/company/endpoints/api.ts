import type { InferResponseType } from 'hono/client';
import {
  good,
  type Note,
  type Problem,
  refusalInWords,
  unknownOutcome,
} from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import { Refused } from '../../parts/insist.ts';
import { writePatiently } from '../../parts/patiently.ts';

type ListEndpoints = (typeof api.companies)[':id']['endpoints']['$get'];
export type Endpoint = InferResponseType<ListEndpoints, 200>['endpoints'][number];
export type MessageType = Endpoint['types'][number];

/** The fields of the form. */
export interface EndpointValues {
  url: string;
  types: MessageType[];
  description: string;
}

/** What is wrong with the fields, in words. */
export type Wrong = Partial<Record<keyof EndpointValues, string>>;

export interface Result {
  note: Note;
  /** The endpoint has a new secret. No other answer shows the secret. */
  made?: { id: Endpoint['id']; secret: string };
  /** The form has wrong fields. */
  wrong?: Wrong;
}

type OnWait = () => void;

/** A company has at most ten endpoints. */
const MOST = '100';

export async function listEndpoints(id: string, signal: AbortSignal): Promise<Endpoint[]> {
  const request = { param: { id }, query: { limit: MOST } };
  const answer = await api.companies[':id'].endpoints.$get(request, { init: { signal } });
  if (!answer.ok) throw new Refused(await answer.json());
  return (await answer.json()).endpoints;
}

export async function addEndpoint(
  companyId: string,
  json: EndpointValues,
  onWait: OnWait,
): Promise<Result> {
  const request = { param: { id: companyId }, json };
  const answer = await writePatiently(
    (init) => api.companies[':id'].endpoints.$post(request, init),
    onWait,
  );
  const result = await resultOf(answer, 'The endpoint was added.');
  return answer?.status === 201 ? { ...result, made: await answer.json() } : result;
}

/**
 * Sends only the fields that differ. If a change has a URL, the service forgets the failures of the
 * endpoint. So an unchanged URL must not be sent.
 */
export async function changeEndpoint(
  endpoint: Endpoint,
  values: EndpointValues,
  onWait: OnWait,
): Promise<Result> {
  const { url, types, description } = values;
  const json = {
    ...(url !== endpoint.url && { url }),
    ...(types.join() !== endpoint.types.join() && { types }),
    ...(description !== endpoint.description && { description }),
  };
  if (Object.keys(json).length === 0) return { note: good('Nothing was changed.') };
  const request = { param: paramOf(endpoint), json };
  const answer = await writePatiently((init) => api.endpoints[':id'].$patch(request, init), onWait);
  return resultOf(answer, 'The endpoint was changed.');
}

export async function rotateSecret(endpoint: Endpoint, onWait: OnWait): Promise<Result> {
  const param = paramOf(endpoint);
  const answer = await writePatiently(
    (init) => api.endpoints[':id']['rotate-secret'].$post({ param }, init),
    onWait,
  );
  const result = await resultOf(answer, 'The endpoint has a new secret.');
  return answer?.status === 200 ? { ...result, made: await answer.json() } : result;
}

export async function enable(endpoint: Endpoint, onWait: OnWait): Promise<Result> {
  const param = paramOf(endpoint);
  const { enable } = api.endpoints[':id'];
  const answer = await writePatiently((init) => enable.$post({ param }, init), onWait);
  return resultOf(answer, 'Enabled. The endpoint gets the events that come from now on.');
}

export async function disable(endpoint: Endpoint, onWait: OnWait): Promise<Result> {
  const param = paramOf(endpoint);
  const { disable } = api.endpoints[':id'];
  const answer = await writePatiently((init) => disable.$post({ param }, init), onWait);
  return resultOf(answer, 'Disabled. Nothing is sent until you enable the endpoint.');
}

export async function remove(endpoint: Endpoint, onWait: OnWait): Promise<Result> {
  const param = paramOf(endpoint);
  const one = api.endpoints[':id'];
  const answer = await writePatiently((init) => one.$delete({ param }, init), onWait);
  return resultOf(answer, 'The endpoint was deleted.');
}

export async function sendTest(endpoint: Endpoint, onWait: OnWait): Promise<Result> {
  const param = paramOf(endpoint);
  const { test } = api.endpoints[':id'];
  const answer = await writePatiently((init) => test.$post({ param }, init), onWait);
  return resultOf(answer, 'A test message is on its way. Its delivery is in the list.');
}

const paramOf = ({ id }: Endpoint) => ({ id: String(id) });

const fieldNames = {
  url: 'The URL',
  types: 'The events',
  description: 'The description',
} as const satisfies Record<keyof EndpointValues, string>;

const isField = (name: string): name is keyof EndpointValues => name in fieldNames;

interface Answer {
  ok: boolean;
  json(): Promise<unknown>;
}

async function resultOf(answer: Answer | undefined, success: string): Promise<Result> {
  if (!answer) return { note: unknownOutcome };
  if (answer.ok) return { note: good(success) };
  // Each answer of the service that is not a success is a problem.
  return refusal((await answer.json()) as Problem);
}

function refusal(problem: Problem): Result {
  const wrong: Wrong = {};
  for (const { parameter, detail } of problem.errors ?? []) {
    const [name = ''] = parameter.split('.');
    if (isField(name)) wrong[name] ??= sentenceOf(name, detail);
  }
  const isAboutFields = Object.keys(wrong).length > 0;
  if (!isAboutFields) return { note: refusalInWords(problem) };
  return { note: { isGood: false, text: Object.values(wrong).join(' ') }, wrong };
}

/**
 * Some details are sentences. The others begin with a verb, and need a subject. The form can send
 * only one wrong list of types, which is the empty list.
 */
function sentenceOf(field: keyof EndpointValues, detail: string): string {
  if (field === 'types') return 'Choose at least one event.';
  return /^\p{Lu}/u.test(detail) ? detail : `${fieldNames[field]} ${detail}.`;
}
