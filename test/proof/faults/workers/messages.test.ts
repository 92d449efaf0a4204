import { describe, expect, test } from 'vitest';
import { Inbox } from '../../../../proof/faults/workers/inbox.ts';
import {
  type EventRow,
  judgeDelivered,
  judgeMessages,
  judgeTypes,
} from '../../../../proof/faults/workers/judge-messages.ts';

const endpoints = [
  { name: 'a', companyId: '1' },
  { name: 'b', companyId: '2' },
];
const claimed: EventRow = {
  jobId: '5',
  companyId: '1',
  number: 2,
  kind: 'claimed',
  recruiterId: '9',
  capacity: 4,
  claimed: 1,
};

const bodyOf = (type: string, { number, jobId, recruiterId }: EventRow) =>
  JSON.stringify({
    type,
    data: {
      number,
      job: { id: Number(jobId) },
      ...(!type.startsWith('job.') && {
        [type.startsWith('waitlist.') ? 'line' : 'claim']: {
          recruiter: { id: Number(recruiterId) },
        },
      }),
    },
  });
const message = (type: string, event = claimed, id = 'msg_1', endpoint = 'a') => ({
  endpoint,
  id,
  body: bodyOf(type, event),
});

const found = (messages: ReturnType<typeof message>[], events = [claimed]) =>
  judgeMessages(messages, events, endpoints).map(({ promise, what }) => `${promise}: ${what}`);

test('there is no finding if each event arrives at the endpoints of its company', () => {
  expect(found([message('claim.created')])).toEqual([]);
});

test('an event that fills or opens a job must have two messages', () => {
  const full = { ...claimed, number: 3, claimed: 4 };
  const released = { ...claimed, number: 4, kind: 'released', claimed: 3 };
  const expired = { ...claimed, number: 5, kind: 'expired', claimed: 2 };
  const messages = [
    message('claim.created', full, 'msg_1'),
    message('job.full', full, 'msg_2'),
    message('claim.released', released, 'msg_3'),
    message('job.open', released, 'msg_4'),
    message('claim.expired', expired, 'msg_5'),
  ];
  expect(found(messages, [full, released, expired])).toEqual([]);
  expect(found(messages.slice(1), [full, released, expired])).toEqual([
    'every committed event arrives: claim.created of recruiter 9, event 3 of job 5, at endpoint a never came',
  ]);
});

test('each event of a line must have its messages', () => {
  const line = (kind: string, count: number, number: number) => ({
    ...claimed,
    kind,
    claimed: count,
    number,
  });
  const events = [
    line('joined', 4, 3),
    line('left', 4, 4),
    line('offered', 4, 5),
    line('accepted', 4, 6),
    line('declined', 3, 7),
    line('lapsed', 3, 8),
  ];
  const types = [
    ['waitlist.joined'],
    ['waitlist.left'],
    ['slot.offered', 'job.full'],
    ['offer.accepted'],
    ['offer.declined', 'job.open'],
    ['offer.lapsed', 'job.open'],
  ];
  const messages = events.flatMap((event, at) =>
    (types[at] ?? []).map((type) => message(type, event, `msg_${type}_${event.number}`)),
  );
  expect(found(messages, events)).toEqual([]);
  expect(found(messages.slice(1), events)).toEqual([
    'every committed event arrives: waitlist.joined of recruiter 9, event 3 of job 5, at endpoint a never came',
  ]);
});

test('a type of which no message came is found', () => {
  const missing = judgeTypes([message('claim.created')]).map(({ what }) => what);
  expect(missing).toContain('no offer.lapsed came');
  expect(missing).not.toContain('no claim.created came');
});

test('an event of a kind that has no messages needs no message', () => {
  expect(found([], [{ ...claimed, kind: 'renewed' }])).toEqual([]);
});

describe('there is a finding for', () => {
  const NEVER = 'every committed event arrives';
  const ONLY = 'only committed events arrive';

  test('an event whose message never came', () => {
    expect(found([])).toEqual([expect.stringContaining(NEVER)]);
  });

  test('a message about an event that was rolled back', () => {
    const rolledBack = { ...claimed, number: 3 };
    expect(
      found([message('claim.created'), message('claim.created', rolledBack, 'msg_2')]),
    ).toEqual([
      `${ONLY}: claim.created of recruiter 9, event 3 of job 5, at endpoint a came as msg_2`,
    ]);
  });

  test('a message with a recruiter whose claim was rolled back', () => {
    const other = { ...claimed, recruiterId: '8' };
    expect(found([message('claim.created', other)])).toEqual([
      expect.stringContaining(ONLY),
      expect.stringContaining(NEVER),
    ]);
  });

  test('a message at the endpoint of another company', () => {
    expect(
      found([message('claim.created'), message('claim.created', claimed, 'msg_2', 'b')]),
    ).toEqual([
      expect.stringContaining(
        `${ONLY}: claim.created of recruiter 9, event 2 of job 5, at endpoint b`,
      ),
    ]);
  });

  test('a message that comes again with a different id', () => {
    expect(found([message('claim.created'), message('claim.created', claimed, 'msg_2')])).toEqual([
      expect.stringMatching(/^each repeat is the same: .+ came as msg_1, and again as msg_2$/),
    ]);
  });

  test.each(['', '[]', '{"type":"claim.created"}'])(
    'a message with an unknown body: %s',
    (body) => {
      expect(found([message('claim.created'), { endpoint: 'a', id: 'msg_2', body }])).toEqual([
        `${ONLY}: an unknown body at endpoint a came as msg_2`,
      ]);
    },
  );

  test('a repeat with a different body', () => {
    const inbox = new Inbox();
    expect(inbox.record(message('claim.created'))).toBe(false);
    expect(inbox.record(message('claim.created'))).toBe(true);
    expect(inbox.findings).toEqual([]);
    expect(inbox.record(message('claim.released'))).toBe(true);
    expect(inbox.findings).toEqual([
      {
        promise: 'each repeat is the same',
        what: 'message msg_1 at endpoint a came again, with another body',
      },
    ]);
    expect(inbox.arrivals).toBe(3);
    expect(inbox.messages).toEqual([message('claim.created')]);
  });

  test('a delivery that counts as done, but that no endpoint has accepted', () => {
    const inbox = new Inbox();
    inbox.record(message('claim.created'));
    const delivered = [{ endpoint: 'a', id: 'msg_1' }];
    expect(judgeDelivered(delivered, inbox)).toEqual([
      {
        promise: NEVER,
        what: 'message msg_1 counts as delivered, and endpoint a never accepted it',
      },
    ]);
    inbox.accept(message('claim.created'));
    expect(judgeDelivered(delivered, inbox)).toEqual([]);
  });
});
