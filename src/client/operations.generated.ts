// Written by `npm run generate:client` from the routes of the service. Do not edit.

/** An id up to 2⁵³ − 1 is a number. A larger id is a string. */
export type Id = number | string;

/** The path and the method of each operation. The default method is GET. */
export const OPERATIONS = {
  claimJobByGet: '/claim-job',
  claimJob: '/jobs/:jobId/claims POST',
  listClaimsOfJob: '/jobs/:jobId/claims',
  readClaim: '/claims/:id',
  releaseClaim: '/claims/:id DELETE',
  renewClaim: '/claims/:id/renew POST',
  acceptOffer: '/claims/:id/accept POST',
  listClaimsOfRecruiter: '/recruiters/:id/claims',
  createJob: '/jobs POST',
  listJobs: '/jobs',
  readJob: '/jobs/:id',
  changeJob: '/jobs/:id PATCH',
  listEventsOfJob: '/jobs/:id/events',
  joinWaitlist: '/jobs/:jobId/waitlist POST',
  listWaitlist: '/jobs/:jobId/waitlist',
  changeWaitlist: '/jobs/:jobId/waitlist PATCH',
  leaveWaitlist: '/jobs/:jobId/waitlist/:recruiterId DELETE',
  readPlaceInLine: '/jobs/:jobId/waitlist/:recruiterId',
  listWaitlistsOfRecruiter: '/recruiters/:id/waitlist',
  createCompany: '/companies POST',
  listCompanies: '/companies',
  readCompany: '/companies/:id',
  createRecruiter: '/recruiters POST',
  listRecruiters: '/recruiters',
  readRecruiter: '/recruiters/:id',
  createEndpoint: '/companies/:id/endpoints POST',
  listEndpoints: '/companies/:id/endpoints',
  readEndpoint: '/endpoints/:id',
  changeEndpoint: '/endpoints/:id PATCH',
  deleteEndpoint: '/endpoints/:id DELETE',
  enableEndpoint: '/endpoints/:id/enable POST',
  disableEndpoint: '/endpoints/:id/disable POST',
  rotateSecret: '/endpoints/:id/rotate-secret POST',
  testEndpoint: '/endpoints/:id/test POST',
  resendDeliveriesSince: '/endpoints/:id/resend POST',
  listDeliveries: '/endpoints/:id/deliveries',
  readDelivery: '/deliveries/:id',
  resendDelivery: '/deliveries/:id/resend POST',
  listTasks: '/tasks',
  readTask: '/tasks/:id',
  retryTask: '/tasks/:id/retry POST',
  cancelTask: '/tasks/:id/cancel POST',
  listWorkers: '/workers',
} as const;

/** What each operation takes and answers. */
export interface Operations {
  /** Claim a job. `GET /claim-job` */
  claimJobByGet: {
    args: { jobId: Id; recruiterId: Id };
    data: {
      message: string;
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'already-claimed'
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-full'
      | 'job-not-found'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'prefetch-refused'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Claim a job, for good or with a lease. `POST /jobs/{jobId}/claims` */
  claimJob: {
    args: {
      jobId: Id;
      /** A number, or text if a number would not be exact. */
      recruiterId: number | string;
      /** The claim ends by itself after this many seconds. */
      leaseSeconds?: number | undefined;
    };
    data: {
      message: string;
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'already-claimed'
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-full'
      | 'job-not-found'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List the claims of a job. `GET /jobs/{jobId}/claims` */
  listClaimsOfJob: {
    args: {
      jobId: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
    };
    data: {
      claims: Claim[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a claim and the slots of its job. `GET /claims/{id}` */
  readClaim: {
    args: { id: Id };
    data: {
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'busy'
      | 'claim-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Release a claim, which frees its slot. `DELETE /claims/{id}` */
  releaseClaim: {
    args: { id: Id };
    data: {
      message: string;
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'busy'
      | 'claim-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Renew the lease of a claim. `POST /claims/{id}/renew` */
  renewClaim: {
    args: {
      id: Id;
      /** The claim ends by itself after this many seconds. */
      leaseSeconds: number;
    };
    data: {
      message: string;
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'busy'
      | 'claim-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'no-lease'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Accept an offer of the waitlist. `POST /claims/{id}/accept` */
  acceptOffer: {
    args: {
      id: Id;
      /** The claim ends by itself after this many seconds. */
      leaseSeconds?: number | undefined;
    };
    data: {
      message: string;
      claim: Claim;
      capacity: number;
      claimed: number;
      /** Never below 0. */
      remaining: number;
    };
    problems:
      | 'busy'
      | 'claim-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List the claims of a recruiter. `GET /recruiters/{id}/claims` */
  listClaimsOfRecruiter: {
    args: {
      id: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** Only claims of these jobs. Repeat the parameter for each job. */
      jobId?: Id | readonly Id[] | undefined;
    };
    data: {
      claims: Claim[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Post a job. `POST /jobs` */
  createJob: {
    args: {
      /** A number, or text if a number would not be exact. */
      companyId: number | string;
      role: string;
      /** How many recruiters may claim the job. */
      capacity?: number | undefined;
    };
    data: Job;
    problems:
      | 'busy'
      | 'company-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List jobs. `GET /jobs` */
  listJobs: {
    args: {
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** `open`: only jobs with a free slot. `full`: only jobs without a free slot. */
      status?: 'open' | 'full' | undefined;
      /** Only jobs of this company. */
      companyId?: Id | undefined;
      /** Only jobs that match all given words. A given word matches if a word of the role or of the company begins with it. `harb engineer` finds an Engineer of Harbour Analytics. */
      q?: string | undefined;
    };
    data: {
      jobs: Job[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a job and its slots. `GET /jobs/{id}` */
  readJob: {
    args: { id: Id };
    data: Job;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Change a job's role or capacity. `PATCH /jobs/{id}` */
  changeJob: {
    args: {
      id: Id;
      role?: string | undefined;
      /** How many recruiters may claim the job. */
      capacity?: number | undefined;
    };
    data: Job;
    problems:
      | 'busy'
      | 'capacity-too-low'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List a job's events. `GET /jobs/{id}/events` */
  listEventsOfJob: {
    args: {
      id: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
    };
    data: {
      events: Event[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Join the waitlist of a job. `POST /jobs/{jobId}/waitlist` */
  joinWaitlist: {
    args: {
      jobId: Id;
      /** A number, or text if a number would not be exact. */
      recruiterId: number | string;
    };
    data: {
      message: string;
      /** Null if the recruiter got a claim at once, because the job does not ask. */
      entry: {
        jobId: Id;
        recruiterId: Id;
        recruiterName: string;
        joinedAt: string;
        /** 1 for the next recruiter. Null for a recruiter who has an offer. */
        place: number | null;
        /** The offered claim, and the end of the offer. Accept it with `POST /claims/{id}/accept`. Null while the recruiter waits. */
        offer: { claimId: Id; expiresAt: string | null } | null;
      } | null;
      /** How many recruiters wait for the job. Those with an offer do not count. */
      waiting: number;
    };
    problems:
      | 'already-claimed'
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-lines'
      | 'too-many-requests'
      | 'unauthorized'
      | 'waitlist-closed'
      | 'waitlist-full';
  };
  /** List the line of a job, and its settings. `GET /jobs/{jobId}/waitlist` */
  listWaitlist: {
    args: {
      jobId: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
    };
    data: {
      entries: WaitlistEntry[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
      /** How many recruiters wait for the job. Those with an offer do not count. */
      waiting: number;
      settings: WaitlistSettings;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Change the settings of a waitlist. `PATCH /jobs/{jobId}/waitlist` */
  changeWaitlist: {
    args: {
      jobId: Id;
      /** How many recruiters may wait. 0 closes the waitlist. */
      longest?: number | undefined;
      /** How long an offer lasts, in minutes. */
      offerMinutes?: number | undefined;
      /** If true, the first in line gets a claim without being asked. */
      auto?: boolean | undefined;
    };
    data: WaitlistSettings;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'job-not-found'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Leave the waitlist of a job. `DELETE /jobs/{jobId}/waitlist/{recruiterId}` */
  leaveWaitlist: {
    args: { jobId: Id; recruiterId: Id };
    data: { message: string };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'not-in-line'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a recruiter's place in the line of a job. `GET /jobs/{jobId}/waitlist/{recruiterId}` */
  readPlaceInLine: {
    args: { jobId: Id; recruiterId: Id };
    data: {
      entry: WaitlistEntry;
      /** How many recruiters wait for the job. Those with an offer do not count. */
      waiting: number;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'not-in-line'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List the lines in which a recruiter waits or has an offer. `GET /recruiters/{id}/waitlist` */
  listWaitlistsOfRecruiter: {
    args: {
      id: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** Only these jobs. Repeat the parameter for each job. */
      jobId?: Id | readonly Id[] | undefined;
    };
    data: {
      entries: WaitlistEntry[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Add a company. `POST /companies` */
  createCompany: {
    args: { name: string };
    data: Company;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List companies. `GET /companies` */
  listCompanies: {
    args: {
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** Only names that match all given words. A given word matches if a word of the name begins with it. */
      q?: string | undefined;
    };
    data: {
      companies: Company[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a company. `GET /companies/{id}` */
  readCompany: {
    args: { id: Id };
    data: Company;
    problems:
      | 'busy'
      | 'company-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Add a recruiter. `POST /recruiters` */
  createRecruiter: {
    args: { name: string };
    data: Recruiter;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List recruiters. `GET /recruiters` */
  listRecruiters: {
    args: {
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** Only names that match all given words. A given word matches if a word of the name begins with it. */
      q?: string | undefined;
    };
    data: {
      recruiters: Recruiter[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a recruiter. `GET /recruiters/{id}` */
  readRecruiter: {
    args: { id: Id };
    data: Recruiter;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'recruiter-not-found'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Add an endpoint to a company. `POST /companies/{id}/endpoints` */
  createEndpoint: {
    args: {
      id: Id;
      /** Messages are sent to this address. `https` only, and only to public addresses. A server with `WEBHOOK_LOOPBACK=on` also accepts `http` to `localhost`. */
      url: string;
      /** By default all types that exist today. */
      types?:
        | (
            | 'claim.created'
            | 'claim.released'
            | 'claim.expired'
            | 'slot.offered'
            | 'offer.accepted'
            | 'offer.declined'
            | 'offer.lapsed'
            | 'waitlist.joined'
            | 'waitlist.left'
            | 'job.full'
            | 'job.open'
          )[]
        | undefined;
      /** A note for people. */
      description?: '' | string | undefined;
    };
    data: EndpointWithSecret;
    problems:
      | 'busy'
      | 'company-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-endpoints'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List the endpoints of a company. `GET /companies/{id}/endpoints` */
  listEndpoints: {
    args: {
      id: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
    };
    data: {
      endpoints: Endpoint[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'company-not-found'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read an endpoint. `GET /endpoints/{id}` */
  readEndpoint: {
    args: { id: Id };
    data: Endpoint;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Change an endpoint's address, types or description. `PATCH /endpoints/{id}` */
  changeEndpoint: {
    args: {
      id: Id;
      /** Messages are sent to this address. `https` only, and only to public addresses. A server with `WEBHOOK_LOOPBACK=on` also accepts `http` to `localhost`. */
      url?: string | undefined;
      /** The types of messages that the endpoint gets. */
      types?:
        | (
            | 'claim.created'
            | 'claim.released'
            | 'claim.expired'
            | 'slot.offered'
            | 'offer.accepted'
            | 'offer.declined'
            | 'offer.lapsed'
            | 'waitlist.joined'
            | 'waitlist.left'
            | 'job.full'
            | 'job.open'
          )[]
        | undefined;
      /** A note for people. */
      description?: '' | string | undefined;
    };
    data: Endpoint;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Delete an endpoint. `DELETE /endpoints/{id}` */
  deleteEndpoint: {
    args: { id: Id };
    data: Endpoint;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Enable an endpoint. `POST /endpoints/{id}/enable` */
  enableEndpoint: {
    args: { id: Id };
    data: Endpoint;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Disable an endpoint. `POST /endpoints/{id}/disable` */
  disableEndpoint: {
    args: { id: Id };
    data: Endpoint;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Give an endpoint a new secret. `POST /endpoints/{id}/rotate-secret` */
  rotateSecret: {
    args: { id: Id };
    data: EndpointWithSecret;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Send a test message to an endpoint. `POST /endpoints/{id}/test` */
  testEndpoint: {
    args: { id: Id };
    data: DeliveryWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-disabled'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Send all messages since a time again. `POST /endpoints/{id}/resend` */
  resendDeliveriesSince: {
    args: {
      id: Id;
      /** The time of the oldest message. */
      since: string;
    };
    data: { since: string };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-disabled'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'resend-open'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List the deliveries to an endpoint. `GET /endpoints/{id}/deliveries` */
  listDeliveries: {
    args: {
      id: Id;
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      /** Only deliveries with this status. */
      status?: 'waiting' | 'delivered' | 'failed' | undefined;
    };
    data: {
      deliveries: Delivery[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'endpoint-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a delivery and its attempts. `GET /deliveries/{id}` */
  readDelivery: {
    args: { id: Id };
    data: DeliveryWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'delivery-not-found'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Send a message again. `POST /deliveries/{id}/resend` */
  resendDelivery: {
    args: { id: Id };
    data: DeliveryWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'delivery-not-found'
      | 'endpoint-disabled'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List tasks. `GET /tasks` */
  listTasks: {
    args: {
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
      status?: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled' | undefined;
      /** Only tasks of this kind. */
      kind?: string | undefined;
    };
    data: {
      tasks: Task[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Read a task and its attempts. `GET /tasks/{id}` */
  readTask: {
    args: { id: Id };
    data: TaskWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'task-not-found'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Run a task again. `POST /tasks/{id}/retry` */
  retryTask: {
    args: { id: Id };
    data: TaskWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'task-finished'
      | 'task-not-found'
      | 'task-running'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** Cancel a task. `POST /tasks/{id}/cancel` */
  cancelTask: {
    args: { id: Id };
    data: TaskWithAttempts;
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'key-in-use'
      | 'key-reused'
      | 'outcome-unknown'
      | 'shutting-down'
      | 'task-finished'
      | 'task-not-found'
      | 'too-many-requests'
      | 'unauthorized';
  };
  /** List workers. `GET /workers` */
  listWorkers: {
    args: {
      /** `nextCursor` of the previous page. */
      cursor?: string | undefined;
      /** The largest number of entries. */
      limit?: number | string | undefined;
    };
    data: {
      workers: Worker[];
      /** The cursor for the next page. Null on the last page. */
      nextCursor: string | null;
    };
    problems:
      | 'busy'
      | 'cross-site-refused'
      | 'forbidden'
      | 'internal-error'
      | 'invalid-request'
      | 'shutting-down'
      | 'too-many-requests'
      | 'unauthorized';
  };
}

/** Programs should check `code`. Show `title` or `detail` to people. */
export type ProblemBody = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code:
    | 'already-claimed'
    | 'body-too-large'
    | 'busy'
    | 'capacity-too-low'
    | 'claim-not-found'
    | 'company-not-found'
    | 'cross-site-refused'
    | 'database-read-only'
    | 'database-too-new'
    | 'database-unreachable'
    | 'delivery-not-found'
    | 'endpoint-disabled'
    | 'endpoint-not-found'
    | 'forbidden'
    | 'internal-error'
    | 'invalid-request'
    | 'job-full'
    | 'job-not-found'
    | 'key-in-use'
    | 'key-reused'
    | 'method-not-allowed'
    | 'migrations-missing'
    | 'no-lease'
    | 'not-found'
    | 'not-in-line'
    | 'outcome-unknown'
    | 'prefetch-refused'
    | 'recruiter-not-found'
    | 'resend-open'
    | 'shutting-down'
    | 'task-finished'
    | 'task-not-found'
    | 'task-running'
    | 'too-many-endpoints'
    | 'too-many-jobs'
    | 'too-many-lines'
    | 'too-many-requests'
    | 'unauthorized'
    | 'unsupported-media-type'
    | 'waitlist-closed'
    | 'waitlist-full'
    | 'worker-cannot-renew';
  /** The errors of the request, one for each wrong parameter. */
  errors?: { parameter: string; detail: string }[] | undefined;
  capacity?: number | undefined;
  claimed?: number | undefined;
  /** Never below 0. */
  remaining?: number | undefined;
  /** The path of the waitlist of a full job. Join it by POST. */
  waitlist?: string | undefined;
  /** The requested capacity. */
  requested?: number | undefined;
  /** The id of this request in the log. */
  requestId?: string | undefined;
};

export type Claim = {
  id: Id;
  jobId: Id;
  recruiterId: Id;
  claimedAt: string;
  /** When the lease ends. Null if the claim has no lease. */
  expiresAt: string | null;
  /** True for an offer: the recruiter came from the waitlist, and has not accepted yet. Absent for every other claim. */
  offer?: true | undefined;
};

/** The JSON in `data` of each event, by its name. */
export type JobEvents = {
  /** The full state begins. Once it is complete, forget the earlier state. */
  begin?: Record<string, never> | undefined;
  job?: Job | undefined;
  /** The full state is complete. */
  end?: Record<string, never> | undefined;
  /** This job no longer exists. */
  gone?: { id: Id } | undefined;
};

export type Job = {
  id: Id;
  company: { id: Id; name: string };
  role: string;
  createdAt: string;
  capacity: number;
  claimed: number;
  /** Never below 0. */
  remaining: number;
};

/** The JSON in `data` of each event, by its name. */
export type ClaimEvents = {
  begin?: Record<string, never> | undefined;
  claim?: ClaimNews | undefined;
  place?: PlaceNews | undefined;
  end?: Record<string, never> | undefined;
};

export type ClaimNews = {
  /** `held`: a claim of the full state. `ending`: the lease ends within a minute. The others are what has happened. An offer of the waitlist is `offered`, and then `accepted`, `declined` or `lapsed`. */
  kind:
    | 'held'
    | 'claimed'
    | 'renewed'
    | 'ending'
    | 'released'
    | 'expired'
    | 'offered'
    | 'accepted'
    | 'declined'
    | 'lapsed';
  /** When this happened. For `held`, when it was claimed. */
  at: string;
  claim: {
    id: Id;
    jobId: Id;
    recruiterId: Id;
    expiresAt: string | null;
    /** True for an offer that is not accepted yet. */
    offer?: true | undefined;
  };
  /** The job after the event. */
  job: {
    id: Id;
    role: string;
    capacity: number;
    claimed: number;
    /** Never below 0. */
    remaining: number;
  };
};

/** The recruiter's place in the line of a job. */
export type PlaceNews = {
  jobId: Id;
  recruiterId: Id;
  /** 1 for the next recruiter. Null if the recruiter does not wait any more. */
  place: number | null;
};

/** The role, the slots and the line are those after the event. */
export type Event = {
  /** The sequence number among the job's events, without gaps. */
  number: number;
  /** `resized`: the capacity changed. `changed`: the role or the company changed. `expired`: the lease of a claim ended, and its slot was freed. `joined` and `left`: a recruiter joined or left the line. `offered`: the first in line got an offer, which was then `accepted`, `declined` or `lapsed`. */
  kind:
    | 'posted'
    | 'changed'
    | 'removed'
    | 'claimed'
    | 'released'
    | 'expired'
    | 'renewed'
    | 'offered'
    | 'accepted'
    | 'declined'
    | 'lapsed'
    | 'joined'
    | 'left'
    | 'resized';
  at: string;
  /** Null if the event is about no claim. */
  claimId: number | string | null;
  /** The recruiter of the claim, or the recruiter who joined or left. */
  recruiterId: number | string | null;
  /** The end of the claim's lease. */
  expiresAt: string | null;
  role: string;
  capacity: number;
  claimed: number;
  /** Never below 0. */
  remaining: number;
  /** How many recruiters wait for the job. Null for events of servers without waitlists. */
  waiting: number | null;
};

export type WaitlistEntry = {
  jobId: Id;
  recruiterId: Id;
  recruiterName: string;
  joinedAt: string;
  /** 1 for the next recruiter. Null for a recruiter who has an offer. */
  place: number | null;
  /** The offered claim, and the end of the offer. Accept it with `POST /claims/{id}/accept`. Null while the recruiter waits. */
  offer: { claimId: Id; expiresAt: string | null } | null;
};

export type WaitlistSettings = {
  /** How many recruiters may wait. 0 closes the waitlist. */
  longest: number;
  /** How long an offer lasts, in minutes. */
  offerMinutes: number;
  /** If true, the first in line gets a claim without being asked. */
  auto: boolean;
};

export type Company = { id: Id; name: string; createdAt: string };

export type Recruiter = { id: Id; name: string; createdAt: string };

export type EndpointWithSecret = {
  id: Id;
  companyId: Id;
  url: string;
  types: (
    | 'claim.created'
    | 'claim.released'
    | 'claim.expired'
    | 'slot.offered'
    | 'offer.accepted'
    | 'offer.declined'
    | 'offer.lapsed'
    | 'waitlist.joined'
    | 'waitlist.left'
    | 'job.full'
    | 'job.open'
  )[];
  description: string;
  /** A disabled endpoint gets no messages. */
  enabled: boolean;
  /** Why the service disabled the endpoint. `gone`: the endpoint answered 410. `failing`: no delivery has succeeded for five days. Null if the endpoint is enabled, or if a person disabled the endpoint. */
  disabledBecause: 'gone' | 'failing' | null;
  /** The first failure since the latest success. Null if there was no failure since then. */
  failingSince: string | null;
  /** The next failure after this time disables the endpoint. Null if no attempt fails now. */
  disablesAt: string | null;
  /** Nothing is sent before this time, because the receiver asked for a pause with 429 or 503 and `Retry-After`. Null if there is no pause now. */
  pausedUntil: string | null;
  /** Until this time the old secret also signs. Null if the secret was never rotated. */
  oldSecretUntil: string | null;
  createdAt: string;
  /** The secret that signs the messages. No other answer shows the secret. */
  secret: string;
};

export type Endpoint = {
  id: Id;
  companyId: Id;
  url: string;
  types: (
    | 'claim.created'
    | 'claim.released'
    | 'claim.expired'
    | 'slot.offered'
    | 'offer.accepted'
    | 'offer.declined'
    | 'offer.lapsed'
    | 'waitlist.joined'
    | 'waitlist.left'
    | 'job.full'
    | 'job.open'
  )[];
  description: string;
  /** A disabled endpoint gets no messages. */
  enabled: boolean;
  /** Why the service disabled the endpoint. `gone`: the endpoint answered 410. `failing`: no delivery has succeeded for five days. Null if the endpoint is enabled, or if a person disabled the endpoint. */
  disabledBecause: 'gone' | 'failing' | null;
  /** The first failure since the latest success. Null if there was no failure since then. */
  failingSince: string | null;
  /** The next failure after this time disables the endpoint. Null if no attempt fails now. */
  disablesAt: string | null;
  /** Nothing is sent before this time, because the receiver asked for a pause with 429 or 503 and `Retry-After`. Null if there is no pause now. */
  pausedUntil: string | null;
  /** Until this time the old secret also signs. Null if the secret was never rotated. */
  oldSecretUntil: string | null;
  createdAt: string;
};

export type DeliveryWithAttempts = {
  id: Id;
  endpointId: Id;
  /** The header `webhook-id`. Repeats of the message have the same id. */
  messageId: string;
  /** The type of the message. */
  type: string;
  /** The job that the message is about. Null for a test message. */
  job: { id: Id; role: string } | null;
  /** `waiting`: an attempt runs or follows. `delivered`: the receiver answered with success. `failed`: no attempt follows. */
  status: 'waiting' | 'delivered' | 'failed';
  createdAt: string;
  /** When the latest send succeeded. Null if it has not succeeded. */
  deliveredAt: string | null;
  /** When the next attempt is due. Null if no attempt follows. */
  nextAttemptAt: string | null;
  attemptCount: number;
  /** Null before the first attempt. */
  lastAttempt: {
    at: string;
    /** The time until the answer or the failure. */
    milliseconds: number;
    /** The status of the answer. Null if no answer came. */
    status: number | null;
    /** The first line of the answer's body, or the reason why no answer came. */
    detail: string;
  } | null;
  /** The body, exactly as it is sent. */
  body: string;
  /** The latest 100 attempts, oldest first. */
  attempts: DeliveryAttempt[];
};

export type DeliveryAttempt = {
  at: string;
  /** The time until the answer or the failure. */
  milliseconds: number;
  /** The status of the answer. Null if no answer came. */
  status: number | null;
  /** The first line of the answer's body, or the reason why no answer came. */
  detail: string;
};

export type Delivery = {
  id: Id;
  endpointId: Id;
  /** The header `webhook-id`. Repeats of the message have the same id. */
  messageId: string;
  /** The type of the message. */
  type: string;
  /** The job that the message is about. Null for a test message. */
  job: { id: Id; role: string } | null;
  /** `waiting`: an attempt runs or follows. `delivered`: the receiver answered with success. `failed`: no attempt follows. */
  status: 'waiting' | 'delivered' | 'failed';
  createdAt: string;
  /** When the latest send succeeded. Null if it has not succeeded. */
  deliveredAt: string | null;
  /** When the next attempt is due. Null if no attempt follows. */
  nextAttemptAt: string | null;
  attemptCount: number;
  /** Null before the first attempt. */
  lastAttempt: {
    at: string;
    /** The time until the answer or the failure. */
    milliseconds: number;
    /** The status of the answer. Null if no answer came. */
    status: number | null;
    /** The first line of the answer's body, or the reason why no answer came. */
    detail: string;
  } | null;
};

export type Task = {
  id: Id;
  /** What the task does. */
  kind: string;
  /** Workers take tasks from the lanes in turn. */
  lane: string;
  /** `waiting`: no worker holds the task. `running`: a worker holds the task. `dead`: the last attempt failed or was lost. */
  status: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled';
  createdAt: string;
  /** The task is due from this time on. */
  runAt: string;
  /** How many attempts have begun. */
  attempt: number;
  /** How many further attempts are allowed. */
  attemptsLeft: number;
  /** The worker of the latest attempt. */
  workerId: number | string | null;
  /** The beginning of the latest attempt. */
  beganAt: string | null;
  /** The end of the lease. Null if no worker holds the task. */
  leaseUntil: string | null;
  /** Null until the task has finished. */
  finishedAt: string | null;
  /** The error of the latest attempt that failed. */
  error: string | null;
};

export type TaskWithAttempts = {
  id: Id;
  /** What the task does. */
  kind: string;
  /** Workers take tasks from the lanes in turn. */
  lane: string;
  /** `waiting`: no worker holds the task. `running`: a worker holds the task. `dead`: the last attempt failed or was lost. */
  status: 'waiting' | 'running' | 'done' | 'dead' | 'cancelled';
  createdAt: string;
  /** The task is due from this time on. */
  runAt: string;
  /** How many attempts have begun. */
  attempt: number;
  /** How many further attempts are allowed. */
  attemptsLeft: number;
  /** The worker of the latest attempt. */
  workerId: number | string | null;
  /** The beginning of the latest attempt. */
  beganAt: string | null;
  /** The end of the lease. Null if no worker holds the task. */
  leaseUntil: string | null;
  /** Null until the task has finished. */
  finishedAt: string | null;
  /** The error of the latest attempt that failed. */
  error: string | null;
  /** The data that the kind of task needs. */
  payload?: unknown | undefined;
  /** The latest attempts in their order: at most 100 that have ended. */
  attempts: TaskAttempt[];
};

export type TaskAttempt = {
  number: number;
  workerId: Id;
  /** Null if the worker was removed from the list. */
  workerName: string | null;
  beganAt: string;
  /** Null while the attempt runs. */
  endedAt: string | null;
  /** How the attempt ended. `lost`: its worker did not renew the lease in time. `given back`: its worker stopped. */
  ended: 'running' | 'done' | 'failed' | 'lost' | 'given back' | 'cancelled';
  /** Null if there is no error. */
  error: string | null;
};

export type Worker = {
  id: Id;
  name: string;
  version: string;
  /** The kinds of tasks that the worker knows. */
  kinds: string[];
  /** `lost`: the heartbeats have ended, but the worker is not marked as stopped. */
  status: 'living' | 'lost' | 'stopped';
  startedAt: string;
  /** The time of the latest heartbeat. */
  seenAt: string;
  /** Null unless the worker has stopped. */
  stoppedAt: string | null;
  /** How many tasks the worker may run at the same time. */
  places: number;
  /** The tasks that the worker held at its latest heartbeat. */
  holds: Id[];
};
