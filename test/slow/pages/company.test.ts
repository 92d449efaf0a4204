import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { collectLog, makeService } from '../../support/app.ts';
import { browserTest, expectAccessible, focused } from '../../support/browser.ts';
import { press, serveCompanies } from '../../support/company-page.ts';
import { makeDatabase } from '../../support/database.ts';
import { makeProxy, passOn } from '../../support/proxy.ts';
import { type Answer, makeReceiver, type Received } from '../../support/receiver.ts';
import { as, WITH_SECRET } from '../../support/tokens.ts';

const { databaseUrl, url, sql, call, makeCompany } = await serveCompanies();

const answering =
  (status: number, text: string): Answer =>
  (answer) =>
    void answer.writeHead(status).end(text);

const cardOf = (page: Page, endpointUrl: string) =>
  page
    .getByRole('list', { name: 'Endpoints' })
    .locator('> li')
    .filter({ has: page.getByRole('heading', { name: endpointUrl, exact: true }) });
const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';

browserTest(
  'a new endpoint shows its secret once, and this secret signs the messages',
  async ({ open }) => {
    const receiver = await makeReceiver();
    const company = await makeCompany('Marigold');
    const page = await open(company.page);
    await press(page, 'Add an endpoint');
    await page.keyboard.type(receiver.url);
    await page.getByLabel('Description').fill('Our own system');
    await page.keyboard.press('Enter');
    await page.getByText('Copy this secret now.').waitFor();
    const secret = await page.locator('code.secret').innerText();
    await press(page, 'Hide the secret');
    expect(await page.getByText(secret).count()).toBe(0);
    expect(await focused(page)).toBe(receiver.url);
    await press(page, /^Send a test/);
    await page.getByText(/^Delivered \d/).waitFor();
    const [test] = receiver.received as [Received];
    expect(test.message.type).toBe('endpoint.test');
    receiver.verify(test, secret);
    // Nobody touches the page. The new delivery appears because of the claim alone.
    await company.claim(1);
    await page.getByRole('heading', { name: 'claim.created' }).waitFor();
    await expect.poll(() => page.getByText(/^Delivered \d/).count()).toBe(2);
    await page.reload();
    await page.getByText('Our own system').waitFor();
    await expectAccessible(page);
    expect(await page.getByText('whsec_').count()).toBe(0);
  },
);

browserTest('the form explains each wrong field, and keeps the other fields', async ({ open }) => {
  const company = await makeCompany('Nettle');
  const page = await open(company.page);
  await press(page, 'Add an endpoint');
  const address = page.getByLabel('URL');
  await address.fill('ftp://receiver.example');
  for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
  await page.getByLabel('Description').fill('x'.repeat(201));
  await press(page, 'Add the endpoint');
  await page.getByText('Choose at least one event.', { exact: true }).waitFor();
  await page.getByText(/^The description must have at most 200 characters\./).waitFor();
  await page.getByRole('checkbox').first().check();
  await page.getByLabel('Description').fill('Applicants');
  await press(page, 'Add the endpoint');
  await page.getByText('The URL must begin with https.', { exact: true }).waitFor();
  await expect.poll(() => address.evaluate('document.activeElement.name')).toBe('url');
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Description').inputValue()).toBe('Applicants');
  await address.fill(`https://receiver.example/${'x'.repeat(2_000)}`);
  await press(page, 'Add the endpoint');
  await page.getByText('The URL must have at most 2000 characters.', { exact: true }).waitFor();
  await address.fill('');
  await press(page, 'Add the endpoint');
  await page.getByText('The URL is malformed.', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('There is no endpoint yet.').waitFor();
});

browserTest('an endpoint is changed, disabled, enabled and deleted', async ({ open }) => {
  const receiver = await makeReceiver();
  const company = await makeCompany('Oleander');
  const { id } = await company.addEndpoint({ url: receiver.url });
  const page = await open(company.page);
  const card = cardOf(page, receiver.url);
  await press(page, /^Change/);
  await page.getByLabel('A full job has a free slot again').uncheck();
  await page.getByLabel('Description').fill('Second system');
  await press(page, 'Save');
  await card
    .getByText(
      'Gets claim.created, claim.released, claim.expired, slot.offered, offer.accepted, offer.declined, offer.lapsed, waitlist.joined, waitlist.left, job.full',
    )
    .waitFor();
  await card.getByText('Second system').waitFor();
  await press(page, /^Disable/);
  await card.getByText('Somebody disabled the endpoint.').waitFor();
  expect(await focused(page)).toBe(`Enable ${receiver.url}`);
  await page.keyboard.press('Enter');
  await card.getByText('Enabled', { exact: true }).waitFor();
  expect(await focused(page)).toBe(`Disable ${receiver.url}`);
  await press(page, /^Delete /);
  await page.getByText('Delete this endpoint?').waitFor();
  // The safe button has the focus.
  await page.keyboard.press('Enter');
  expect(await page.getByText('Delete this endpoint?').count()).toBe(0);
  expect(await focused(page)).toBe(receiver.url);
  await press(page, /^Delete /);
  await press(page, /^Delete the endpoint/);
  await page.getByText('There is no endpoint yet.').waitFor();
  expect(await focused(page)).toBe('Add an endpoint');
  expect((await call('GET', `/endpoints/${id}`)).code).toBe('endpoint-not-found');
});

browserTest('after a rotation, messages are signed with both secrets', async ({ open }) => {
  const receiver = await makeReceiver();
  const company = await makeCompany('Peony');
  const { secret: old } = await company.addEndpoint({ url: receiver.url });
  const page = await open(company.page);
  await press(page, /^New secret/);
  await press(page, /^Make a new secret/);
  await page.getByText('Copy this secret now.').waitFor();
  const secret = await page.locator('code.secret').innerText();
  expect(secret).not.toBe(old);
  await page.getByText('The old secret also signs until').waitFor();
  await press(page, /^Send a test/);
  await receiver.untilReceived(1);
  const [test] = receiver.received as [Received];
  receiver.verify(test, secret);
  receiver.verify(test, old);
});

browserTest(
  'a failed delivery shows its error, and a button resends the delivery',
  async ({ open }) => {
    const receiver = await makeReceiver();
    receiver.answer = answering(500, 'the table is missing\nsecond line');
    const company = await makeCompany('Quince');
    const { id } = await company.addEndpoint({ url: receiver.url });
    const page = await open(company.page);
    await company.claim(1);
    const deliveries = page.getByRole('listitem').filter({
      has: page.getByRole('heading', { name: 'claim.created' }),
    });
    await deliveries.last().getByText('The receiver answered 500: the table is missing').waitFor();
    await deliveries
      .last()
      .getByText(/^Waiting\. The next attempt/)
      .waitFor();
    await page.getByText('No delivery has succeeded since').waitFor();
    await page.getByText('The service disables the endpoint if a delivery fails after').waitFor();
    await press(page, /^\d attempts? of claim.created/);
    await page.getByText('"type": "claim.created"').waitFor();
    await page
      .getByText(/\d+ ms: The receiver answered 500: the table is missing/)
      .first()
      .waitFor();
    const [row] = await sql`SELECT task_id FROM webhook_deliveries WHERE endpoint_id = ${id}`;
    await call('POST', `/tasks/${row?.task_id}/cancel`);
    await page.getByText('Failed for good. No attempt follows.').waitFor({ timeout: 20_000 });
    await page.getByLabel('Show').selectOption('Failed');
    receiver.answer = answering(200, 'ok');
    await press(page, /^Resend claim.created/);
    await page.getByText('There is no failed delivery.').waitFor();
    expect(await page.getByLabel('Show').evaluate('document.activeElement.id')).toMatch(/^status-/);
    await page.getByLabel('Show').selectOption('All');
    await page.getByText(/^Delivered \d/).waitFor();
    await page.getByText('Enabled', { exact: true }).waitFor();
    expect(new Set(receiver.received.map((each) => each.id)).size).toBe(1);
  },
);

browserTest('the page shows the end of the pause that a receiver asked for', async ({ open }) => {
  const receiver = await makeReceiver();
  receiver.answer = (answer) => void answer.writeHead(503, { 'Retry-After': '600' }).end();
  const company = await makeCompany('Quinoa');
  await company.addEndpoint({ url: receiver.url });
  const page = await open(company.page);
  await press(page, /^Send a test/);
  await page.getByText('The receiver asked for a pause. Nothing is sent until').waitFor();
});

browserTest('all messages since a time are resent, and the list is filtered', async ({ open }) => {
  const receiver = await makeReceiver();
  const company = await makeCompany('Rowan');
  await company.addEndpoint({ url: receiver.url });
  for (const recruiterId of [1, 2, 3, 4]) await company.claim(recruiterId);
  await receiver.untilReceived(5);
  const page = await open(company.page);
  await expect.poll(() => page.getByText(/^Delivered \d/).count()).toBe(5);
  await press(page, /^Resend all since then/);
  await page
    .getByRole('status')
    .filter({ hasText: 'All messages since this time are sent again now.' })
    .waitFor({ state: 'attached' });
  await receiver.untilReceived(10);
  expect(new Set(receiver.received.map((each) => each.id)).size).toBe(5);
  await page.getByLabel('Show').selectOption('Failed');
  await page.getByText('There is no failed delivery.').waitFor();
  await page.getByLabel('Since').fill('');
  await press(page, /^Resend all since then/);
  await page.getByText('Choose a day and a time.').waitFor();
});

browserTest(
  'an endpoint whose receiver is gone is disabled, and the page says why',
  async ({ open }) => {
    const receiver = await makeReceiver();
    receiver.answer = answering(410, 'gone');
    const company = await makeCompany('Sorrel');
    await company.addEndpoint({ url: receiver.url });
    const page = await open(company.page);
    await press(page, /^Send a test/);
    await page.getByText('The receiver answered 410 (gone), so the service disabled').waitFor();
    await press(page, /^Resend endpoint.test/);
    await page.getByText('The endpoint is disabled. Nothing is sent').first().waitFor();
    await press(page, /^Enable/);
    await page.getByText('Enabled', { exact: true }).waitFor();
  },
);

browserTest(
  'without a worker, the page says that a delivery waits, and that a cancelled delivery failed',
  async ({ open }) => {
    const { url } = await makeService(await makeDatabase(), { webhookLoopback: true });
    const receiver = await makeReceiver();
    const answer = await fetch(`${url}/companies/1/endpoints`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: receiver.url }),
    });
    expect(answer.status).toBe(201);
    const page = await open(`${url}/company?company=1`);
    await press(page, /^Send a test/);
    await page.getByText(/^Waiting\. Due since \d/).waitFor();
    await page.getByText('No attempt yet').waitFor();
    const { tasks } = (await (await fetch(`${url}/tasks`)).json()) as { tasks: { id: number }[] };
    await fetch(`${url}/tasks/${tasks[0]?.id}/cancel`, { method: 'POST' });
    await page.reload();
    await page.getByText('No attempt has ended').waitFor();
  },
);

browserTest('the page says in one line that a company does not exist', async ({ open }) => {
  const page = await open(`${url}/company?company=987654321`);
  await page.getByText('There is no company with this id.').waitFor();
  expect(await page.getByRole('heading', { name: 'Endpoints' }).count()).toBe(0);
});

browserTest('deliveries are shown in pages of ten', async ({ open }) => {
  const receiver = await makeReceiver();
  const company = await makeCompany('Tansy');
  const { id } = await company.addEndpoint({ url: receiver.url });
  for (let sent = 0; sent < 12; sent++) await call('POST', `/endpoints/${id}/test`);
  await receiver.untilReceived(12);
  const page = await open(company.page);
  const rows = page.getByRole('heading', { name: 'endpoint.test' });
  await expect.poll(() => rows.count()).toBe(10);
  await press(page, 'Next');
  await expect.poll(() => rows.count()).toBe(2);
  await press(page, 'Previous');
  await expect.poll(() => rows.count()).toBe(10);
});

browserTest(
  'a token of a company opens only this company, and a token of a recruiter opens no company',
  async ({ open }) => {
    const company = await makeCompany('Umbel');
    const { log } = collectLog();
    const guarded = await makeService(databaseUrl, { auth: WITH_SECRET, lab: false, log });
    onTestFinished(() => guarded.stop());
    const tokenOf = async (role: string, sub: unknown) =>
      (await as(role, String(sub))).Authorization.replace('Bearer ', '');
    const page = await open(`${guarded.url}/company?company=1`);
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Token').fill(await tokenOf('company', company.id));
    await press(page, 'Show the endpoints');
    await page.getByRole('heading', { level: 1, name: 'Umbel' }).waitFor();
    await page.getByText('There is no endpoint yet.').waitFor();
    expect(await page.getByLabel('You are').count()).toBe(0);
    const other = await open(`${guarded.url}/company`);
    await other.getByLabel('Token').fill(await tokenOf('recruiter', 3));
    await press(other, 'Show the endpoints');
    await other.getByText('This page is for companies.').waitFor();
  },
);

browserTest.for(['light', 'dark'] as const)(
  'the page is accessible and fits a phone in the colour scheme %s',
  async (colorScheme, { open }) => {
    const receiver = await makeReceiver();
    receiver.answer = answering(500, `error-${'x'.repeat(190)}`);
    const company = await makeCompany(`Vetch ${colorScheme} ${'Extraordinary'.repeat(6)}`);
    await company.addEndpoint({ url: `${receiver.url}/${'very-long'.repeat(30)}` });
    await company.addEndpoint({ url: `${receiver.url}/second`, types: ['job.full'] });
    await call('POST', '/jobs', { companyId: company.id, role: 'Long'.repeat(40), capacity: 40 });
    const page = await open(company.page, { colorScheme, width: 390 });
    await press(page, /^Send a test http.*very-long/);
    await page.getByText('The receiver answered 500: error').first().waitFor();
    await press(page, /^\d attempts? of/);
    await page.getByText('"type": "endpoint.test"').waitFor();
    await press(page, 'Add an endpoint');
    await page.getByLabel('URL').fill('ftp://x');
    await press(page, 'Add the endpoint');
    await page.getByText('The URL must begin with https.', { exact: true }).waitFor();
    await press(page, /^Delete http.*second/);
    await expectAccessible(page);
    expect(await page.evaluate(isTooWide)).toBe(false);
  },
);

browserTest(
  'the page repeats a request if a proxy answers instead of the service',
  async ({ open }) => {
    const receiver = await makeReceiver();
    const company = await makeCompany('Woodruff');
    const { id, secret: old } = await company.addEndpoint({ url: receiver.url });
    const proxy = await makeFailingProxy(1);
    const page = await open(`${proxy.origin}/company?company=${company.id}`);
    await press(page, /^New secret/);
    await press(page, /^Make a new secret/);
    await page.getByText('Asking again…').waitFor();
    proxy.goOn();
    await page.getByText('Copy this secret now.').waitFor();
    const secret = await page.locator('code.secret').innerText();
    // The service has rotated the secret once, and the page shows the new secret.
    const [row] = await sql`SELECT secret, old_secret FROM webhook_endpoints WHERE id = ${id}`;
    expect(row).toEqual({ secret, old_secret: old });
    proxy.failNext(5);
    await press(page, /^Send a test/);
    await page.getByText('No answer came, so the outcome is unknown.').first().waitFor();
    // The endpoint can be used again.
    await press(page, /^Send a test/);
    await page.getByText('A test message is on its way.').first().waitFor();
  },
);

/**
 * Starts a proxy in front of the service. The proxy passes all writes on, but answers the next
 * `failures` writes with its own error page. It holds the service's answers to later writes until
 * `goOn`. Meanwhile the page says that it asks again.
 */
async function makeFailingProxy(failures: number) {
  let goOn = () => {};
  const mayAnswer = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const origin = await makeProxy(
    (path) => url + path,
    async (from, answer, method) => {
      if (method !== 'GET' && failures > 0) {
        failures--;
        from.resume();
        answer.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
        return;
      }
      if (method !== 'GET') await mayAnswer;
      passOn(from, answer);
    },
  );
  return {
    origin,
    goOn,
    failNext: (many: number) => {
      failures = many;
    },
  };
}
