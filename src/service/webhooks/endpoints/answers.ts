import { z } from 'zod';
import type { Problem } from '../../http/problem.ts';
import { idAnswer, idBody, instantAnswer, instantBody } from '../../http/schemas.ts';
import { disablings, messageTypes } from '../tables.ts';
import { type Endpoint, MOST_ENDPOINTS } from './endpoints.ts';

export const endpointNotFound = {
  status: 404,
  code: 'endpoint-not-found',
  title: 'No such endpoint',
  detail: 'There is no endpoint with this id, or it was deleted.',
} as const satisfies Problem;

export const tooManyEndpoints = {
  status: 409,
  code: 'too-many-endpoints',
  title: 'Too many endpoints',
  detail: `A company has at most ${MOST_ENDPOINTS} endpoints. Nothing was changed.`,
} as const satisfies Problem;

export const endpointDisabled = {
  status: 409,
  code: 'endpoint-disabled',
  title: 'The endpoint is disabled',
  detail: 'Nothing is sent to a disabled endpoint. Enable the endpoint first.',
} as const satisfies Problem;

export const EXAMPLE_URL = 'http://localhost:4000/webhooks';

export const instantOrNull = (description: string) =>
  instantAnswer.nullable().meta({ description, example: null });

const endpointShape = {
  id: idAnswer,
  companyId: idAnswer,
  url: z.string().meta({ example: EXAMPLE_URL }),
  types: z.array(z.enum(messageTypes)),
  description: z.string().meta({ example: 'Our applicant tracking system' }),
  enabled: z.boolean().meta({ description: 'A disabled endpoint gets no messages.' }),
  disabledBecause: z
    .enum(disablings)
    .nullable()
    .meta({
      description:
        'Why the service disabled the endpoint. `gone`: the endpoint answered 410. `failing`: no ' +
        'delivery has succeeded for five days. Null if the endpoint is enabled, or if a person ' +
        'disabled the endpoint.',
      example: null,
    }),
  failingSince: instantOrNull(
    'The first failure since the latest success. Null if there was no failure since then.',
  ),
  disablesAt: instantOrNull(
    'The next failure after this time disables the endpoint. Null if no attempt fails now.',
  ),
  pausedUntil: instantOrNull(
    'Nothing is sent before this time, because the receiver asked for a pause with 429 or 503 and ' +
      '`Retry-After`. Null if there is no pause now.',
  ),
  oldSecretUntil: instantOrNull(
    'Until this time the old secret also signs. Null if the secret was never rotated.',
  ),
  createdAt: instantAnswer,
};
export const endpointAnswer = z.object(endpointShape).meta({ id: 'Endpoint' });
export const secretAnswer = z
  .object({
    ...endpointShape,
    secret: z.string().meta({
      description: 'The secret that signs the messages. No other answer shows the secret.',
      example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    }),
  })
  .meta({ id: 'EndpointWithSecret' });

/** Returns an endpoint as JSON, without the secrets. */
export const endpointBody = (endpoint: Endpoint) => ({
  id: idBody(endpoint.id),
  companyId: idBody(endpoint.companyId),
  url: endpoint.url,
  types: endpoint.types,
  description: endpoint.description,
  enabled: endpoint.enabled,
  disabledBecause: endpoint.disabledBecause,
  failingSince: instantBody(endpoint.failingSince),
  disablesAt: instantBody(endpoint.disablesAt),
  pausedUntil: instantBody(endpoint.pausedUntil),
  oldSecretUntil: instantBody(endpoint.oldSecretUntil),
  createdAt: endpoint.createdAt.toISOString(),
});
