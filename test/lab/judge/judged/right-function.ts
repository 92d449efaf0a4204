import type { Database } from '../../../../src/platform/db/client.ts';
import { claimJob } from '../../../../src/service/claims/claim.ts';
import type { ClaimRequest } from '../../../../src/service/claims/rules.ts';

/**
 * Right: production's claim. The export is only a function, and the import is a path into the
 * project.
 */
export default (db: Database, request: ClaimRequest) => claimJob(db, request);
