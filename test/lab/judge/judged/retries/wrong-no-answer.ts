import type { ChargeRequest, Server } from 'rowlock/lab/chapters/retries/strategy.ts';

/** Wrong: charges, and then forgets to answer. */
export default async (_db: unknown, { key }: ChargeRequest, server: Server) => {
  await server.charge({ key });
};
