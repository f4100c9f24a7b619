import t from 'tap';
import { z } from 'zod';
import { typeCases, typesRange } from '../../fixtures/devicemaker/types.ts';
import { createWearer, joinApi } from '../../support/api.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { readAll } from '../../support/read-all.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const provider = await startCallbackServer(t);
const root = `${provider.origin}/wellness-api/rest`;
const api = await joinApi(t, {
  database: await freshDatabase(t),
  settings: { DEVICEMAKER_API_URL: root, RATE_LIMIT_API_KEY: '100000' },
});
const Answer = z.object({
  processed: z.int(),
  placeholders: z.int(),
  errors: z.array(z.string()),
  activities: z.array(z.object({ activities_count: z.int(), status: z.string() })),
  wellness: z.record(
    z.string(),
    z.object({ errors: z.array(z.string()), items: z.array(z.object({ fetched: z.int(), saved: z.int() })) }),
  ),
});

async function ping(key: string, account: string, part: number) {
  const query = `uploadStartTimeInSeconds=${part}&uploadEndTimeInSeconds=${part + 1}&token=t`;
  const body = { [key]: [{ userId: account, callbackURL: `${root}/${key}?${query}` }] };
  const headers = { 'devicemaker-client-id': 'tests' };
  const answer = await api.ask('/api/v1/webhooks/devicemaker/ping', { body, headers });
  t.equal(answer.status, 200);
  return Answer.parse(answer.body);
}

for (const one of typeCases)
  for (const key of one.spellings)
    t.test(`${key}: items of a callback are stored as those of a push`, async (t) => {
      const { userId, account } = await createWearer(api);
      const items = one.items(account);
      provider.answer(json(items));
      const counts = (answer: z.infer<typeof Answer>) =>
        one.type === 'activities'
          ? answer.activities.map(({ activities_count, status }) => [activities_count, status])
          : answer.wellness[key]?.items.map(({ fetched, saved }) => [fetched, saved]);
      const first = await ping(key, account, 1);
      t.same(counts(first), [[items.length, one.type === 'activities' ? 'fetched' : items.length]]);
      t.same(first.errors.concat(first.wellness[key]?.errors ?? []), []);
      t.equal(first.placeholders, one.placeholders ?? 0);
      const stored = await readAll(api, userId, typesRange);
      t.same(stored.samples, one.samples);
      t.same(stored.workouts, one.workouts ?? []);
      t.same(stored.sleeps, one.sleeps ?? []);
      t.same(stored.others, one.others ?? []);
      const again = await ping(key, account, 5);
      t.same(counts(again), [[items.length, one.type === 'activities' ? 'fetched' : 0]]);
      t.same(await readAll(api, userId, typesRange), stored, 'the same fetched again changes nothing');
    });
