// npm run test:browser: what the pages of the console show while they load, without data, and after a failure.
import t from 'tap';
import { apiNames, startConsole, textOf, violations } from './console.ts';

const { api, root, openAt } = await startConsole(t, [], { PROVIDER_NAMES: 'devicemaker=Acme Bands' });
const user = String(Object(await api.expect(201, '/users', { body: { first_name: 'Ada' } })).id);
// The projects are read with the session, before a page.
const every = /\/console\/api\/v1\/(?!projects)/;
// At once: a list that is read again meanwhile has no button any more.
const retryAll = "document.querySelectorAll('.problem button').forEach((one) => one.click())";

/** Each page with its first list, and the sentence that an installation without data shows there. */
const pages: readonly (readonly [path: string, what: string, empty: string])[] = [
  ['', 'figures', 'No account is connected yet'],
  ['/users?search=nobody', 'users', 'No user matches. The search looks at names'],
  [`/users/${user}`, 'user', 'data arrives once an account is connected'],
  [`/users/${user}/data`, 'user', 'They arrive once an account is connected'],
  ['/freshness', 'incidents', 'No provider has an incident'],
  ['/freshness?state=late', 'data by state', 'No data is late. Data is late when none arrived'],
  ['/deliveries?status=ready', 'deliveries', 'A delivery is ready while it waits'],
  ['/deliveries?status=dead', 'deliveries', 'A delivery is dead once no further attempt can succeed'],
  ['/jobs?state=dead', 'jobs', 'A job is dead once no further attempt can succeed'],
  ['/webhooks', 'endpoints', 'Add the address of your application'],
  ['/developers', 'API keys', 'One obtains tokens that read the data of one user'],
  ['/providers', 'providers', 'none recently'],
];

t.test('PROVIDER_NAMES is the name of a provider on every page and on the connect page', async (t) => {
  const { page, complaints } = await openAt(null);
  const named: readonly (readonly [path: string, place: string])[] = [
    ['', 'details a'],
    ['/users', 'option'],
    [`/users/${user}/connections`, 'h3'],
    ['/deliveries', 'option'],
    ['/providers', 'h2'],
  ];
  for (const [path, place] of named) {
    await page.goto(root + path);
    await page.locator(place).filter({ hasText: 'Acme Bands' }).first().waitFor({ state: 'attached' });
    const text = await textOf(page);
    t.notMatch(text, /Garmin/, path);
    t.match(text, 'Strava', path);
    t.notMatch(text, apiNames, path);
  }
  const { url } = Object(await api.expect(201, '/connect/sessions', { body: { user_id: user } }));
  await page.goto(String(url));
  await page.getByRole('link', { name: 'Connect: Acme Bands' }).waitFor();
  t.notMatch(await textOf(page), /Garmin|devicemaker|activitynet/);
  // The browser asks for an icon by itself where a page without a logo names none.
  t.strictSame(
    complaints.filter((text) => !text.endsWith('/favicon.ico')),
    [],
  );
});

t.test('each page says what it loads, and what is not there yet', async (t) => {
  const { page, complaints } = await openAt(null);
  for (const [path, what, empty] of pages) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(every, async (route) => {
      await released;
      await route.continue();
    });
    await page.goto(root + path);
    await page.getByText(`Loading ${what} …`).first().waitFor();
    t.strictSame(await violations(page), [], `${path} has no violations while it loads`);
    release();
    await page.getByText(empty).first().waitFor();
    await page.unrouteAll({ behavior: 'wait' });
  }
  t.strictSame(complaints, []);
});

t.test('each page says what failed, and reads it again', async (t) => {
  const { page } = await openAt(null);
  for (const [path, what, empty] of pages) {
    await page.route(every, (route) =>
      route.fulfill({
        status: 501,
        json: { detail: 'It is not there today.' },
        headers: { 'X-Request-Id': 'request-1' },
      }),
    );
    await page.goto(root + path);
    const alert = page
      .getByRole('alert')
      .filter({ hasText: `The ${what} could not be loaded` })
      .first();
    await alert.getByText('It is not there today.').waitFor();
    await alert.getByText('Request request-1').waitFor();
    t.strictSame(await violations(page), [], `${path} has no violations after a failure`);
    await page.unrouteAll({ behavior: 'wait' });
    await page.evaluate(retryAll);
    await page.getByText(empty).first().waitFor();
  }
});

t.test('an address without a page leads to home', async (t) => {
  const { page, complaints } = await openAt(null);
  t.equal((await page.goto(`${root}/nothing/here`))?.status(), 404);
  await page.getByText('There is no such page').waitFor();
  t.strictSame(await violations(page), []);
  await page.getByRole('link', { name: 'Go to the first page' }).click();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  t.strictSame(
    complaints.filter((text) => !text.includes('404')),
    [],
  );
  const asked = { headers: { Accept: 'text/html' } };
  for (const path of ['/console/nothing', '/console/api/v1/nothing', '/console/assets/nothing.js'])
    t.equal((await api.ask(path)).status, 404, path);
  t.match((await api.ask('/console/api/v1/nothing', asked)).text, 'detail', 'the API answers as an API');
});

t.test('a list that fails says so and is read again', async (t) => {
  const { page } = await openAt();
  await page.route('**/console/api/v1/users?*', (route) => route.abort());
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByText('The users could not be loaded').waitFor();
  await page.unroute('**/console/api/v1/users?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('table').waitFor();
  t.equal(await page.getByText('The users could not be loaded').count(), 0);
});
