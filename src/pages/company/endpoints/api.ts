import type { CallOptions, Done, Endpoint, Problem } from '../../../client/index.ts';
import { good, type Note, refusalInWords } from '../../parts/acts/notes.ts';
import { api } from '../../parts/api.ts';
import { dataOf } from '../../parts/insist.ts';

export type { Endpoint } from '../../../client/index.ts';
export type MessageType = Endpoint['types'][number];

/** The values in the form for an endpoint. */
export interface EndpointValues {
  url: string;
  types: MessageType[];
  description: string;
}

/** The error of each wrong field, in words. */
export type Wrong = Partial<Record<keyof EndpointValues, string>>;

/** An endpoint with its new secret. */
type Made = Pick<Endpoint, 'id'> & { secret: string };

export interface Result {
  note: Note;
  /**
   * The endpoint and its new secret, if the request made a secret. No other answer shows this
   * secret.
   */
  made?: Made;
  /** The errors of the wrong fields, if there are any. */
  wrong?: Wrong;
}

type OnWait = () => void;

/**
 * The maximum length of the list. A company has at most ten endpoints, so the list has all of them.
 */
const MOST = 100;

export const listEndpoints = async (id: string, options: CallOptions): Promise<Endpoint[]> =>
  dataOf(await api.listEndpoints({ id, limit: MOST }, options)).endpoints;

export async function addEndpoint(
  companyId: string,
  values: EndpointValues,
  onWait: OnWait,
): Promise<Result> {
  const answer = await api.createEndpoint({ id: companyId, ...values }, { onWait });
  return withSecret(answer, 'The endpoint was added.');
}

/**
 * Sends only the fields that the person has changed. If a request contains a URL, the service
 * forgets the failures of the endpoint. So an unchanged URL must not be sent.
 */
export async function changeEndpoint(
  endpoint: Endpoint,
  values: EndpointValues,
  onWait: OnWait,
): Promise<Result> {
  const { url, types, description } = values;
  const change = {
    ...(url !== endpoint.url && { url }),
    ...(types.join() !== endpoint.types.join() && { types }),
    ...(description !== endpoint.description && { description }),
  };
  if (Object.keys(change).length === 0) return { note: good('Nothing was changed.') };
  const answer = await api.changeEndpoint({ id: endpoint.id, ...change }, { onWait });
  return resultOf(answer, 'The endpoint was changed.');
}

export const rotateSecret = async ({ id }: Endpoint, onWait: OnWait): Promise<Result> =>
  withSecret(await api.rotateSecret({ id }, { onWait }), 'The endpoint has a new secret.');

export async function enable({ id }: Endpoint, onWait: OnWait): Promise<Result> {
  const answer = await api.enableEndpoint({ id }, { onWait });
  return resultOf(answer, 'Enabled. The endpoint gets the events that come from now on.');
}

export async function disable({ id }: Endpoint, onWait: OnWait): Promise<Result> {
  const answer = await api.disableEndpoint({ id }, { onWait });
  return resultOf(answer, 'Disabled. Nothing is sent until you enable the endpoint.');
}

export const remove = async ({ id }: Endpoint, onWait: OnWait): Promise<Result> =>
  resultOf(await api.deleteEndpoint({ id }, { onWait }), 'The endpoint was deleted.');

export async function sendTest({ id }: Endpoint, onWait: OnWait): Promise<Result> {
  const answer = await api.testEndpoint({ id }, { onWait });
  return resultOf(answer, 'A test message is on its way. Its delivery is in the list.');
}

const fieldNames = {
  url: 'The URL',
  types: 'The events',
  description: 'The description',
} as const satisfies Record<keyof EndpointValues, string>;

const isField = (name: string): name is keyof EndpointValues => name in fieldNames;

const resultOf = (answer: Done<unknown> | Problem, success: string): Result =>
  answer.ok ? { note: good(success) } : refusal(answer);

function withSecret(answer: Done<Made> | Problem, success: string): Result {
  const result = resultOf(answer, success);
  return answer.ok ? { ...result, made: answer.data } : result;
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
 * Returns the detail of an error as a sentence. Some details are sentences already. All other
 * details begin with a verb, and need a subject. The form can send only one wrong list of types:
 * the empty list.
 */
function sentenceOf(field: keyof EndpointValues, detail: string): string {
  if (field === 'types') return 'Choose at least one event.';
  return /^\p{Lu}/u.test(detail) ? detail : `${fieldNames[field]} ${detail}.`;
}
