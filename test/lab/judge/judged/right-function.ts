import { claimJob } from '../../../../src/claims/claim.ts';
import type { ClaimRequest } from '../../../../src/claims/rules.ts';
import type { Database } from '../../../../src/db/client.ts';

/**
 * Right: production's claim. The export is only a function, and the import is a path into the
 * project.
 */
export default (db: Database, request: ClaimRequest) => claimJob(db, request);
