// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a name quotes the damaged code.

/** Why mutants survive, with the names of these mutants. */
type Reasons = readonly (readonly [why: string, ...names: string[]])[];

const byName = (reasons: Reasons): ReadonlyMap<string, string> =>
  new Map(reasons.flatMap(([why, ...names]) => names.map((name) => [name, why] as const)));

/** The mutants that are as right as their strategy, with the reason. */
export const equivalents = byName([
  [
    'FOR NO KEY UPDATE stops other claims too.',
    "claims/row-lock row-lock.ts weakens a row lock: 'update' → 'no key update'",
    "claims/counter-row counter-row.ts weakens a row lock: 'update' → 'no key update'",
    "queue/outbox lock-due.ts weakens a row lock: 'update' → 'no key update'",
    "queue/lease-and-outbox take-lease.ts weakens a row lock: 'update' → 'no key update'",
    "retries/locked-row locked-row.ts weakens a row lock: 'update' → 'no key update'",
    "waitlist/offer-under-lock parts.ts weakens a row lock: 'update' → 'no key update'",
  ],
  [
    'The lock on all jobs also stops the claims of this job.',
    'claims/row-lock row-lock.ts drops a condition: .where(eq(jobs.id, request.jobId))',
    'waitlist/offer-under-lock parts.ts drops a condition: .where(eq(jobs.id, jobId))',
  ],
  [
    'After an error nothing is written, so a repeat is safe. The number of attempts has a limit.',
    'claims/serializable serializable.ts repeats after every error: isSerializationFailure → () => true',
    'claims/optimistic optimistic.ts repeats after every error: isOutdated → () => true',
    'claims/optimistic retry.ts drops a statement: if (!isConflict(error)) throw error;',
    'claims/unique-slot unique-slot.ts repeats after every error: isTaken → () => true',
  ],
  [
    'Both statements only compute.',
    'claims/counter-row counter-row.ts swaps two statements: if (counter.claimed >= counter.capacity) { const refusal = await count… → const claimed = counter.claimed + 1; if (counter.claimed >= counter.ca…',
  ],
  [
    'Both writes are in one transaction, under the same lock.',
    'claims/counter-row counter-row.ts swaps two statements: await tx.update(counters).set({ claimed }).where(ofJob); const claim =… → const claim = await insertClaim(tx, request); await tx.update(counters…',
  ],
  [
    'An async function also awaits what it returns. Under the lock, the count is never granted here.',
    'claims/counter-row counter-row.ts forgets an await: await countClaims(tx, request) → countClaims(tx, request)',
  ],
  [
    'Under the lock, the counter agrees with the claims, so nobody gets this answer.',
    "claims/counter-row counter-row.ts answers something else: 'busy' → 'full'",
    "claims/counter-row counter-row.ts answers something else: 'busy' → 'unknown'",
  ],
  [
    'The job was full when the UPDATE looked at it.',
    "claims/conditional-update conditional-update.ts answers something else: 'busy' → 'full'",
  ],
  [
    'The next line returns the same answer.',
    "claims/optimistic optimistic.ts drops a statement: if (!read || decision.kind === 'no-such-job') return { kind: 'no-such-…",
  ],
  [
    'A refused claim then also changes the version, and others only try again.',
    "claims/optimistic optimistic.ts swaps two statements: if (decision.kind !== 'granted') return decision; // THE CHECK: if two… → const moved = await tx .update(counters) .set({ version: read.version …",
  ],
  [
    'The error rolls the claim back.',
    'claims/optimistic optimistic.ts swaps two statements: if (moved.length === 0) throw new Outdated(); const claim = await inse… → const claim = await insertClaim(tx, request); if (moved.length === 0) …',
  ],
  [
    'Both conditions are true only for a job that is not there.',
    "claims/optimistic optimistic.ts drops a condition: !read || decision.kind === 'no-such-job' → !read",
    "claims/optimistic optimistic.ts drops a condition: !read || decision.kind === 'no-such-job' → decision.kind === 'no-such-job'",
  ],
  [
    'Every new version shows the change.',
    'claims/optimistic optimistic.ts changes a number: 1 → 2',
  ],
  [
    'Nine attempts are as good as ten.',
    'claims/optimistic retry.ts changes a comparison: tries <= TRIES → tries < TRIES',
  ],
  [
    'One lock for all jobs also stops the claims of this job.',
    'claims/advisory-lock advisory-lock.ts takes a constant for a field: request.jobId → 1n',
  ],
  [
    'A number above the capacity is never free, because the count has refused before.',
    "claims/unique-slot unique-slot.ts swaps two statements: if (slot > decision.slots.capacity) return { kind: 'full', slots: deci… → await tx.insert(takenSlots).values({ jobId, recruiterId, slot }); if (…",
  ],
  [
    'Both inserts are in one transaction, and each has its own unique key.',
    'claims/unique-slot unique-slot.ts swaps two statements: await tx.insert(takenSlots).values({ jobId, recruiterId, slot }); cons… → const claim = await insertClaim(tx, request); await tx.insert(takenSlo…',
  ],
  [
    'No other error of an INSERT has this code and this constraint. A repeat after a duplicate finds the duplicate.',
    "claims/unique-slot unique-slot.ts drops a condition: code === SQLSTATE.uniqueViolation && constraint === 'taken_slots_job_i… → code === SQLSTATE.uniqueViolation",
    "claims/unique-slot unique-slot.ts drops a condition: code === SQLSTATE.uniqueViolation && constraint === 'taken_slots_job_i… → constraint === 'taken_slots_job_id_slot_pk'",
  ],
  [
    'A claim with an old snapshot takes a taken number, fails, and tries again.',
    "claims/unique-slot unique-slot.ts changes the transaction: { isolationLevel: 'repeatable read' }",
  ],
  [
    'The count has refused before, so nobody gets this answer.',
    "claims/unique-slot unique-slot.ts answers something else: 'full' → 'busy'",
  ],
  [
    'The queue then keeps a promise for each job. This takes memory, and changes no claim.',
    'claims/mutex mutex.ts drops a statement: void tail.then(() => tails.get(request.jobId) === tail && tails.delete…',
    'claims/mutex mutex.ts takes another field: jobId → recruiterId (3)',
    'claims/mutex mutex.ts takes another field: jobId → recruiterId (4)',
    'claims/mutex mutex.ts takes a constant for a field: request.jobId → 1n (3)',
    'claims/mutex mutex.ts takes a constant for a field: request.jobId → 1n (4)',
    'claims/mutex mutex.ts drops a condition: tails.get(request.jobId) === tail && tails.delete(request.jobId) → tails.get(request.jobId) === tail',
  ],
  [
    'Both writes are in one transaction.',
    'queue/outbox outbox.ts swaps two statements: await tx.insert(mails).values({ taskId: task.id }); await finish(tx, t… → await finish(tx, task.id); await tx.insert(mails).values({ taskId: tas…',
  ],
  [
    'The worker then waits for the first task, and takes the next one.',
    'queue/outbox lock-due.ts changes what happens at a locked row: { skipLocked: true }',
    'queue/lease-and-outbox take-lease.ts changes what happens at a locked row: { skipLocked: true }',
  ],
  [
    'Any due task is as good as another.',
    'queue/outbox lock-due.ts drops a call of a chain: .orderBy(tasks.id)',
    'queue/lease-and-outbox take-lease.ts drops a call of a chain: .orderBy(tasks.id)',
  ],
  [
    'A client that is told to ask again asks again.',
    'retries/one-transaction one-transaction.ts answers after every error: handle: (db, request) => db.transaction(async (tx) => { // THE LOCK: a… → handle: (...args) => ({ handle: (db, request) => db.transaction(async … (2)',
    'retries/provider-key provider-key.ts answers after every error: async handle(_db, { key }, server) { // THE FENCE: the provider charge… → handle: (...args) => ({ async handle(_db, { key }, server) { // THE FE… (2)',
    'retries/locked-row locked-row.ts answers after every error: async handle(db, request) { await insertKey(db, request); return db.tr… → handle: (...args) => ({ async handle(db, request) { await insertKey(db… (2)',
    'retries/advisory-lock advisory-lock.ts answers after every error: handle: (db, request) => db.transaction(async (tx) => { // THE LOCK: a… → handle: (...args) => ({ handle: (db, request) => db.transaction(async … (2)',
    'retries/status-provider status.ts answers after every error: async handle(db, request, server) { const isFirst = await insertKey(db… → handle: (...args) => ({ async handle(db, request, server) { const isFi… (2)',
    'retries/lease-provider lease.ts answers after every error: async handle(db, request, server) { if (!(await takeLease(db, request)… → handle: (...args) => ({ async handle(db, request, server) { if (!(awai… (2)',
  ],
  [
    'An INSERT without a conflict returns its row.',
    "retries/locked-row queries.ts drops a statement: if (!charge) throw new Error('the charge was not inserted');",
  ],
  [
    'The provider drops repeats, so the key in the table only saves work.',
    'retries/status-provider status.ts drops a statement: await storeReceipt(db, request, receipt);',
    'retries/status-provider status.ts forgets an await: await storeReceipt(db, request, receipt) → storeReceipt(db, request, receipt)',
    "retries/status-provider status.ts drops a statement: if (known?.status === 'done') return done(known.receipt);",
    "retries/status-provider status.ts swaps two statements: if (known?.status === 'done') return done(known.receipt); // THE FENCE… → const receipt = await server.charge({ key: request.key }); if (known?.…",
  ],
  [
    'The provider drops repeats, so the lease only saves work.',
    'retries/lease-provider lease.ts drops a statement: if (!(await takeLease(db, request))) return answerOfOther(db, request)…',
    'retries/lease-provider lease.ts takes the other branch: !(await takeLease(db, request)) → await takeLease(db, request)',
    'retries/lease-provider lease.ts swaps two statements: if (!(await takeLease(db, request))) return answerOfOther(db, request)… → const receipt = await server.charge({ key: request.key }); if (!(await…',
    'retries/lease-provider lease.ts changes an operator in SQL: < → <=',
    'retries/lease-provider lease.ts changes a comparison: taken.length > 0 → taken.length >= 0',
    'retries/lease-provider lease.ts changes an operator in SQL: + → -',
    "retries/lease-provider lease.ts ends a time at once: interval '1 minute' → interval '0 seconds'",
    'retries/lease-provider lease.ts drops a condition in SQL: and ${keys.leaseUntil} < now()',
  ],
  [
    'Both answers mean that the worker has done nothing.',
    "queue/lease-and-outbox lease-and-outbox.ts answers something else: 'lost' → 'idle'",
    "queue/session-lock-id session-lock.ts answers something else: 'lost' → 'idle' (2)",
  ],
  [
    'The fence keeps the promise. The lease only saves work.',
    "queue/lease-and-outbox take-lease.ts drops a condition: and(ne(tasks.status, 'done'), isFree) → and(ne(tasks.status, 'done'))",
    'queue/lease-and-outbox take-lease.ts changes an operator in SQL: + → -',
    'queue/lease-and-outbox take-lease.ts changes an operator in SQL: + → - (2)',
    "queue/lease-and-outbox take-lease.ts ends a time at once: interval '1 minute' → interval '0 seconds'",
  ],
  [
    'The id and the condition on the status keep the promise. The lock only saves work.',
    "queue/session-lock-id session-lock.ts drops a statement: if (!(await renew(worker, session))) return { kind: 'lost' };",
    "queue/session-lock-id session-lock.ts swaps two statements: if (!task) return destroy(worker, session, { kind: 'idle' }); if (!(aw… → if (!(await renew(worker, session))) return { kind: 'lost' }; if (!tas…",
    "queue/session-lock-id session-lock.ts swaps two statements: if (token === undefined) return { kind: 'lost' }; const task = await r… → const task = await readDue(db); if (token === undefined) return { kind…",
    "queue/session-lock-id session-lock.ts drops a statement: if (token === undefined) return { kind: 'lost' };",
    "queue/session-lock-id session-lock.ts swaps two statements: if (!(await renew(worker, session))) return { kind: 'lost' }; // THE I… → await worker.send(task.id, { id: task.id }); if (!(await renew(worker,…",
    'queue/session-lock-id session-lock.ts forgets an await: await renew(worker, session) → renew(worker, session)',
    'queue/session-lock-id session-lock.ts forgets an await: await acquire(worker, session) → acquire(worker, session)',
  ],
  [
    'The statements of a transaction run in the order in which they were sent, and its COMMIT is the last.',
    'waitlist/offer-under-lock offer-under-lock.ts forgets an await: await lockJob(tx, request) → lockJob(tx, request)',
    'waitlist/offer-under-lock offer-under-lock.ts forgets an await: await act(tx, request) → act(tx, request)',
    'waitlist/offer-under-lock parts.ts forgets an await: await insertClaim(db, request) → insertClaim(db, request)',
    'waitlist/offer-under-lock parts.ts forgets an await: await leave(db, request) → leave(db, request)',
  ],
  [
    'The strategy does not skip locked rows.',
    'waitlist/offer-under-lock parts.ts weakens a row lock in SQL: update → key share',
    'waitlist/offer-under-lock parts.ts weakens a row lock in SQL: update → share',
    'waitlist/offer-under-lock parts.ts weakens a row lock in SQL: update → no key update',
    'waitlist/offer-under-lock parts.ts waits for locked rows: skip locked',
  ],
  [
    'Without a condition, each claim takes a slot. Only the strategy lapsed-to-anyone has a condition.',
    'waitlist/offer-under-lock parts.ts drops a condition: and(eq(jobClaims.jobId, jobs.id), counts) → and(eq(jobClaims.jobId, jobs.id))',
  ],
  [
    'The slot of an offer that has ended is taken until the offer is removed. So a late acceptance harms nobody.',
    'waitlist/offer-under-lock parts.ts drops a condition: and(isOf(request), isLive) → and(isOf(request))',
  ],
  [
    'The order of the offers in one statement changes only the ids of claims.',
    'waitlist/offer-under-lock parts.ts drops a clause in SQL: order by id (2)',
  ],
]);

/** The wrong mutants that the judge does not catch, with the reason. */
export const untried = byName([
  [
    'Nobody knows how many claims there were at the moment of the answer.',
    'claims/conditional-update conditional-update.ts takes another field: claimed → capacity (3)',
  ],
  [
    'Ten conflicts in a row need more than three recruiters.',
    "claims/optimistic retry.ts answers something else: 'busy' → 'full'",
    "claims/optimistic retry.ts answers something else: 'busy' → 'unknown'",
  ],
  [
    'Nobody releases a slot between two statements of a claim on a job that is not full.',
    'claims/unique-slot unique-slot.ts takes another field: capacity → claimed',
  ],
  [
    'The judge does not read the recruiter of a numbered slot.',
    'claims/unique-slot unique-slot.ts takes another field: recruiterId → recruiterId: jobId',
  ],
  [
    'No statement of a worker fails, and no mail is refused.',
    'queue/outbox outbox.ts answers after every error: work: (db) => db.transaction(async (tx) => { // THE LOCK: other worker… → work: (...args) => ({ work: (db) => db.transaction(async (tx) => { // …',
    'queue/outbox outbox.ts answers after every error: work: (db) => db.transaction(async (tx) => { // THE LOCK: other worker… → work: (...args) => ({ work: (db) => db.transaction(async (tx) => { // … (2)',
    'queue/outbox outbox.ts answers after every error: work: (db) => db.transaction(async (tx) => { // THE LOCK: other worker… → work: (...args) => ({ work: (db) => db.transaction(async (tx) => { // … (3)',
    'queue/drop-repeats drop-repeats.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min… (3)',
    'queue/drop-repeats drop-repeats.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min…',
    'queue/drop-repeats drop-repeats.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min… (2)',
    'queue/lease-and-outbox lease-and-outbox.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min…',
    'queue/lease-and-outbox lease-and-outbox.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min… (2)',
    'queue/lease-and-outbox lease-and-outbox.ts answers after every error: async work(db, worker) { // THE LEASE: for a minute, no other worker t… → work: (...args) => ({ async work(db, worker) { // THE LEASE: for a min… (3)',
    'queue/attempts-at-claim attempts.ts answers after every error: async work(db, worker) { // THE COUNT: committed before the work. cons… → work: (...args) => ({ async work(db, worker) { // THE COUNT: committed…',
    'queue/attempts-at-claim attempts.ts answers after every error: async work(db, worker) { // THE COUNT: committed before the work. cons… → work: (...args) => ({ async work(db, worker) { // THE COUNT: committed… (2)',
    'queue/attempts-at-claim attempts.ts answers after every error: async work(db, worker) { // THE COUNT: committed before the work. cons… → work: (...args) => ({ async work(db, worker) { // THE COUNT: committed… (3)',
    'queue/session-lock-id session-lock.ts answers after every error: async work(db, worker) { const session = await openSession(worker); co… → work: (...args) => ({ async work(db, worker) { const session = await o…',
    'queue/session-lock-id session-lock.ts answers after every error: async work(db, worker) { const session = await openSession(worker); co… → work: (...args) => ({ async work(db, worker) { const session = await o… (2)',
    'queue/session-lock-id session-lock.ts answers after every error: async work(db, worker) { const session = await openSession(worker); co… → work: (...args) => ({ async work(db, worker) { const session = await o… (3)',
  ],
  [
    'No offer of another job ends.',
    'waitlist/offer-under-lock parts.ts drops a condition: and(eq(jobClaims.jobId, jobId), lte(jobClaims.expiresAt, NOW)) → and(lte(jobClaims.expiresAt, NOW))',
  ],
]);

/** The wrong mutants that the judge catches only sometimes, with the reason. */
export const byChance = byName([
  [
    'Two workers meet within one statement, which is one step of a schedule. Only the crowd may show it.',
    "queue/outbox outbox.ts changes the transaction: { isolationLevel: 'repeatable read' }",
  ],
  [
    'Without a condition, the statement reads the first row of jobs. This may be the right job.',
    'waitlist/offer-under-lock parts.ts drops a condition: .where(eq(jobs.id, request.jobId)) (2)',
  ],
]);
