import { claimJob } from '../../../../src/claims/claim-job.ts';

/** Right: production's claim, as a function alone, imported by a path into the project. */
export default claimJob;
