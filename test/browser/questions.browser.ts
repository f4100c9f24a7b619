// npm run test:browser: questions of support people and developers, each answered from home with three clicks at most.
import type { Locator, Page } from 'playwright-core';
import t from 'tap';
import { createUser } from '../support/api.ts';
import { createFailingDestination, newestDelivery, sharedConsole } from './console.ts';
import { insertFreshness, insertIncident } from './freshness-rows.ts';

const { api, userId, receiverUrl, openAt } = await sharedConsole(t);
const mostClicks = 3;

await createFailingDestination({ api, receiverUrl }, 'asked-copy');

const ada = await createUser(api, { first_name: 'Ada', last_name: 'Asked' });
await api.expect(201, `/users/${ada}/connections`, {
  body: { provider: 'phone', provider_user_id: ada },
});
await insertFreshness(api.database, { userId: ada, provider: 'suunto', states: { sleep: 'stale' } });
await insertIncident(api.database, 'whoop');
const { id: asked } = Object(
  await api.expect(201, '/webhook-endpoints', { body: { url: `${receiverUrl}/asked` } }),
);
await api.database.query(`update webhooks.endpoint set paused_until = 'infinity' where id = $1`, [asked]);
await api.database.query(
  `insert into webhooks.message (endpoint_id, type, recorded_at)
   select $1, 'user.created', now() - hour * interval '1 hour' from generate_series(1, 3) hour`,
  [asked],
);
const { first_name } = Object(await api.expect(200, `/users/${userId}`));
const delivery = await newestDelivery(api);
t.not(delivery, '');

/** What is done on the way to an answer: each counts as one click. */
class Asker {
  clicks = 0;
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    this.clicks++;
    await what.first().click();
  }

  link(name: string | RegExp): Promise<void> {
    return this.click(this.page.getByRole('link', { name, exact: typeof name === 'string' }));
  }

  /** Opens something by its name: a key, the name, Enter. */
  async find(name: string): Promise<void> {
    this.clicks++;
    await this.page.keyboard.press('Control+k');
    await this.page.getByRole('combobox', { name: /^Search/ }).fill(name);
    await this.page.getByRole('option', { name }).first().waitFor();
    await this.page.getByRole('option', { name }).first().click();
  }

  tab(name: string): Promise<void> {
    const tabs = this.page.getByRole('navigation', { name: 'Parts of the user' });
    return this.click(tabs.getByRole('link', { name, exact: true }));
  }

  shows(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor();
  }
}

type Way = (asker: Asker) => Promise<unknown>;

const questions: Readonly<Record<string, Way>> = {
  'Is everything well?': (q) => q.shows(/need attention\.$|^Everything is well/),
  'Which provider has an incident, and since when?': (q) => q.shows('WHOOP has an incident'),
  'How fast is data readable after it was received?': (q) =>
    q.page
      .getByRole('columnheader', { name: /readable/i })
      .first()
      .waitFor(),
  'How many reads of Strava are left today?': (q) => q.shows(/of 1,000/),
  'How many users are there?': (q) => q.page.getByRole('link', { name: /^Users \d/ }).waitFor(),
  'Whose data is missing?': async (q) => {
    await q.link('Freshness');
    await q.page.getByRole('region', { name: 'Data by state, table' }).getByText('Suunto').first().waitFor();
  },
  'Why has Ada no sleep since the day before yesterday?': async (q) => {
    await q.link('Freshness');
    const row = q.page.getByRole('row').filter({ hasText: ada.slice(0, 8) });
    await row.getByText('sleep').waitFor();
    await row.getByText('stale').waitFor();
  },
  'Which accounts has Ada connected?': async (q) => {
    await q.find('Ada Asked');
    await q.tab('Connections');
    await q.page.getByRole('region', { name: 'Phone', exact: true }).getByText('active').waitFor();
  },
  'How does Ada connect a Garmin watch?': async (q) => {
    await q.find('Ada Asked');
    await q.tab('Connections');
    await q.click(q.page.getByRole('button', { name: 'Connect Garmin' }));
    await q.page.getByRole('link', { name: 'Open the connect page of Garmin' }).waitFor();
  },
  'What did this user agree to share?': async (q) => {
    await q.find(first_name);
    await q.tab('Connections');
    await q.page.getByRole('region', { name: 'Consents, table' }).waitFor();
  },
  'How did this user sleep last night?': async (q) => {
    await q.find(first_name);
    await q.tab('Sleep');
    await q.page
      .locator('.night-facts')
      .first()
      .getByText(/\d h( \d+ min)?/)
      .first()
      .waitFor();
  },
  'What was the heart rate at six in the morning?': async (q) => {
    await q.find(first_name);
    const slider = q.page.getByRole('slider', { name: 'Time of the day' });
    await q.page.locator('.day:not(:has([aria-busy="true"]))').waitFor(); // the newest day is known, and shown
    await q.page.mouse.move(0, 0); // a pointer that rests over the lanes moves the time, too
    await slider.focus();
    await q.page.keyboard.press('Home');
    for (let quarter = 0; quarter < 24; quarter++) await q.page.keyboard.press('Shift+ArrowRight');
    t.match(await slider.getAttribute('aria-valuetext'), /^6:00 AM/);
  },
  'How long was the deep sleep of a night?': async (q) => {
    await q.find(first_name);
    await q.tab('Sleep');
    await q.click(q.page.locator('.night-row:has(rect.deep)').first().getByRole('link'));
    await q.page.getByRole('region', { name: 'Time in each stage' }).getByText('Deep').waitFor();
  },
  'What was the heart rate on the last workout, and in which zones?': async (q) => {
    await q.find(first_name);
    await q.tab('Workouts');
    await q.click(q.page.getByRole('region', { name: 'Workouts, table' }).getByRole('link'));
    await q.page.getByRole('region', { name: 'Heart rate zones' }).waitFor();
  },
  'On which days does this user have data, and of what?': async (q) => {
    await q.find(first_name);
    await q.tab('Data');
    await q.page.getByRole('region', { name: 'Data by day, table' }).waitFor();
  },
  'What does this user weigh?': async (q) => {
    await q.find(first_name);
    await q.tab('Body');
    await q.page.getByRole('heading', { name: 'Body' }).waitFor();
  },
  'Who has read the data of this user?': async (q) => {
    await q.find(first_name);
    await q.tab('Activity log');
    await q.page.getByRole('region', { name: 'Reads, table' }).waitFor();
  },
  'How do I delete a user who asks for it?': async (q) => {
    await q.find('Ada Asked');
    await q.click(q.page.getByRole('button', { name: 'Delete the user' }));
    await q.shows(/cannot be undone/);
  },
  'What did Garmin send us?': async (q) => {
    await q.link('Deliveries');
    await q.click(q.page.locator('tbody a'));
    await q.click(q.page.getByRole('button', { name: 'Show the body' }));
    await q.page.locator('pre').first().waitFor();
  },
  'Which deliveries could not be processed?': async (q) => {
    await q.find('Dead letters');
    await q.page.waitForURL(/deliveries\?status=dead/);
  },
  'Which endpoint is behind, and by how much?': async (q) => {
    await q.link('Webhooks');
    const row = q.page.getByRole('row').filter({ hasText: `${receiverUrl}/asked` });
    await row.getByText(/^\d+ messages wait, the oldest for 3 h/).waitFor();
  },
  'Which copy of our data is behind, and why?': async (q) => {
    await q.link('Destinations');
    const row = q.page.getByRole('row').filter({ hasText: 'asked-copy' });
    await row.getByText(/^The answer is not one of such a destination\. .*\d changes? waits?/).waitFor();
  },
  'What was sent to this endpoint?': async (q) => {
    await q.find(`${receiverUrl}/asked`);
    await q.page
      .getByRole('heading', { name: /Messages/ })
      .first()
      .waitFor();
  },
  'Which API keys exist, and when was each last used?': async (q) => {
    await q.link('Developers');
    await q.page.getByRole('cell', { name: 'Tests', exact: true }).first().waitFor();
  },
  'Who changed something, and when?': async (q) => {
    await q.link('Developers');
    await q.page.locator('section[aria-labelledby=audit] tbody tr').first().waitFor();
  },
  'What is missing before Withings can be connected?': async (q) => {
    await q.link('Providers');
    await q.page
      .getByRole('heading', { name: /Withings/ })
      .first()
      .waitFor();
  },
  'Who may see this project?': async (q) => {
    await q.link('Members');
    await q.page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
  },
};

t.equal(Object.keys(questions).length >= 25, true);

for (const [question, answer] of Object.entries(questions))
  t.test(question, async (t) => {
    const { page, complaints } = await openAt();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    const asker = new Asker(page);
    await answer(asker);
    t.ok(asker.clicks <= mostClicks, `${asker.clicks} clicks`);
    const left = complaints.filter((one) => !one.includes('404')); // a connection without a backfill
    t.same(left, []);
  });
