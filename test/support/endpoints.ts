import { companies } from '../../src/service/database/schema.ts';
import type { makeApp } from './app.ts';

export const URL_OF_TESTS = 'http://localhost:4000/webhooks';

/** Returns functions that make companies and their endpoints in an app. */
export function endpointsOf({
  db,
  call,
}: Pick<Awaited<ReturnType<typeof makeApp>>, 'db' | 'call'>) {
  const makeCompany = async (): Promise<bigint> => {
    const [made] = await db.insert(companies).values({ name: 'Harbour' }).returning();
    return made?.id ?? 0n;
  };

  const create = (companyId: bigint, more: object = {}) =>
    call('POST', `/companies/${companyId}/endpoints`, { url: URL_OF_TESTS, ...more });

  const makeEndpoint = async (more: object = {}) => {
    const companyId = await makeCompany();
    const { body } = await create(companyId, more);
    return { companyId, id: body.id as number, secret: body.secret as string, body };
  };

  return { makeCompany, create, makeEndpoint };
}
