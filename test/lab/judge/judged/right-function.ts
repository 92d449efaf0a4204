import { claimJob } from '../../../../src/claims/claim.ts';
import type { ClaimRequest } from '../../../../src/claims/rules.ts';
import type { Database } from '../../../../src/db/client.ts';

/** Right: production's claim, as a function alone, imported by a path into the project. */
export default (db: Database, request: ClaimRequest) => claimJob({ db, subscribers: [] }, request);
