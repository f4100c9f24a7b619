import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { pendingSentence as pendingOfContract } from '../../contracts/devicemaker-ingest.ts';
import { type FirstDataOptions, pendingSentence, sendFirstData } from '../../sandbox/first-data.ts';
import { pushAnswer, type StandIn, standIn } from './stand-in.ts';

const pushPath = 'POST /webhooks/devicemaker/push';
const nowMs = Date.UTC(2026, 2, 9, 20, 20); // in Los Angeles the day after the clocks changed
const seenProgress: string[] = [];

function send(api: StandIn, options: Partial<FirstDataOptions> = {}) {
  return sendFirstData({
    baseUrl: api.url,
    apiKey: 'the-key',
    clientId: 'the-client',
    days: 2,
    seed: 'a seed',
    nowMs,
    onProgress: (done, total) => seenProgress.push(`${done}/${total}`),
    ...options,
  });
}

/** What a stand-in has that was sent to without any trouble. */
async function untroubled(t: Test, options: Partial<FirstDataOptions> = {}) {
  const api = await standIn(t);
  const result = await send(api, options);
  return { stored: storedIn(api), result };
}

/** How much of what is there, and a digest of all of it: a page of differences of 60,000 values helps nobody. */
function storedIn(api: StandIn) {
  return api.people
    .toSorted((a, b) => a.external_user_id.localeCompare(b.external_user_id))
    .map(({ external_user_id, stored }) => {
      const entries = [...stored].map(([key, value]) => `${key}=${value}`).sort();
      const digest = createHash('sha256').update(entries.join()).digest('hex');
      return { external_user_id, count: entries.length, digest };
    });
}

const sampleKinds = ['heart ', 'rest ', 'oxygen ', 'breath '];

function sampleKeys(api: StandIn): string[] {
  const keys = api.people.flatMap(({ stored }) => [...stored.keys()]);
  return keys.filter((key) => sampleKinds.some((kind) => key.startsWith(kind)));
}

function pushes(api: StandIn): number {
  return api.log.filter((what) => what === pushPath).length;
}

t.test('two people come with their days, oldest first, and the counts are right', async (t) => {
  const api = await standIn(t);
  seenProgress.length = 0;
  const { people, deliveries, samples } = await send(api);
  t.same(
    people.map(({ title, zone }) => [title, zone]),
    [
      ['Weekday Runner', 'Asia/Kathmandu'],
      ['Night-Shift Cyclist', 'America/Los_Angeles'],
    ],
  );
  t.same(new Set(people.map(({ user_id }) => user_id)), new Set(api.people.map(({ id }) => id)));
  t.same(api.people.map(({ external_user_id }) => external_user_id).sort(), ['sandbox-1', 'sandbox-2']);
  t.ok(api.people.every(({ connection }) => connection?.status === 'active'));
  t.equal(deliveries, 2 * 2 + 1 + 2 * 2 + 2, 'two a whole day, and today: 02:05 there, 13:20 here');
  t.equal(deliveries, pushes(api));
  t.equal(seenProgress[0], `0/${deliveries}`);
  t.equal(seenProgress.at(-1), `${deliveries}/${deliveries}`);
  t.equal(samples, sampleKeys(api).length, 'each sample counts once, though noon came twice');
  t.ok(samples > 2 * 2 * 5000);
  for (const { ends, name } of api.people)
    t.same(
      ends,
      ends.toSorted((a, b) => a - b),
      `${name} in order`,
    );
  const latest = api.people.map(({ ends }) => (ends.at(-1) ?? 0) * 1000).sort();
  t.same(latest, [nowMs - 5 * 60_000, nowMs - 5 * 60_000], 'till the last full quarter of an hour');
});

t.test('the same seed sends the same, another seed other people', async (t) => {
  const one = await untroubled(t);
  t.same((await untroubled(t)).stored, one.stored);
  const other = await untroubled(t, { seed: 'another seed' });
  t.notSame(other.stored, one.stored);
});

t.test('a second call makes nobody twice and sends almost nothing', async (t) => {
  const api = await standIn(t);
  await send(api);
  const before = { stored: storedIn(api), pushes: pushes(api) };
  const { deliveries, people } = await send(api);
  t.equal(api.people.length, 2);
  t.equal(people.length, 2);
  t.ok(deliveries <= 2, 'the last one of each at most');
  t.equal(pushes(api), before.pushes + deliveries);
  t.same(storedIn(api), before.stored);
});

t.test('a later call goes on where the data ends, as if all had come at once', async (t) => {
  const api = await standIn(t);
  await send(api, { nowMs: nowMs - 25 * 3_600_000, days: 1 });
  const before = pushes(api);
  await send(api);
  t.ok(pushes(api) - before < 8, 'what was there is not sent again');
  t.same(storedIn(api), (await untroubled(t)).stored);
});

t.test('half an hour later, half an hour is sent', async (t) => {
  const api = await standIn(t);
  await send(api);
  const { deliveries } = await send(api, { nowMs: nowMs + 1_800_000 });
  t.equal(deliveries, 2);
  const untilMs = api.people.map(({ ends }) => (ends.at(-1) ?? 0) * 1000);
  t.same(untilMs, [nowMs + 1_500_000, nowMs + 1_500_000]);
  t.same(storedIn(api), (await untroubled(t, { nowMs: nowMs + 1_800_000 })).stored);
});

t.test('a sleep that came at noon and has not changed since counts too', async (t) => {
  const api = await standIn(t);
  const { samples } = await send(api, { nowMs: Date.UTC(2026, 2, 8, 6, 35), days: 0 });
  t.equal(samples, sampleKeys(api).length);
  t.same(
    api.people.map(({ ends }) => ends.length),
    [2, 2],
    'noon, and a little more',
  );
});

t.test('broken off in the middle, the next call completes it', async (t) => {
  const api = await standIn(t);
  api.trouble = (what, count) => (what === pushPath && count === 4 ? { status: 401 } : null);
  await t.rejects(send(api), { name: 'ApiFailed', status: 401 });
  await sleep(300);
  t.ok(pushes(api) <= 6, 'the others stop too');
  api.trouble = () => null;
  await send(api);
  t.same(storedIn(api), (await untroubled(t)).stored);
});

t.test('is patient with 429 and 503, and loses nothing by it', async (t) => {
  const api = await standIn(t);
  const busy = { headers: { 'retry-after': '0' } };
  api.trouble = (_, count) =>
    count % 4 === 1 ? { status: 503, ...busy } : count % 4 === 2 ? { status: 429, ...busy } : null;
  const { deliveries, samples } = await send(api);
  const calm = await untroubled(t);
  t.same(storedIn(api), calm.stored);
  t.same({ deliveries, samples }, { deliveries: calm.result.deliveries, samples: calm.result.samples });
  t.ok(pushes(api) > deliveries);
});

t.test('says how much was not taken, and no value of it', async (t) => {
  const cases = [
    [pushAnswer(['user_not_found', 'saved', 'validation_error']), '0 errors, 2 activities refused'],
    [
      pushAnswer([], ['dailies[0].steps: 4711 is out of range', 'sleeps[0]: no']),
      '2 errors, 0 activities refused',
    ],
  ] as const;
  for (const [body, want] of cases) {
    const api = await standIn(t);
    api.trouble = (what, count) => (what === pushPath && count === 3 ? { status: 200, body } : null);
    const failed: unknown = await send(api).catch((error: unknown) => error);
    t.ok(failed instanceof Error && failed.message.includes(want), String(failed));
    t.match(String(failed), /The data of (Weekday Runner|Night-Shift Cyclist) until 2026-03-0\dT/);
    t.notMatch(String(failed), /4711/);
  }
});

t.test('a delivery that the API will work on later is taken', async (t) => {
  t.equal(pendingSentence, pendingOfContract);
  const api = await standIn(t);
  api.trouble = (what, count) =>
    what === pushPath && count === 3 ? { status: 200, body: pushAnswer([], [pendingSentence]) } : null;
  const { deliveries } = await send(api);
  t.equal(deliveries, pushes(api));
});

t.test('somebody else makes the same people at the same time', async (t) => {
  const api = await standIn(t);
  const [one, two] = await Promise.all([send(api), send(api)]);
  t.same(
    one.people.map(({ user_id }) => user_id),
    two.people.map(({ user_id }) => user_id),
  );
  t.equal(api.people.length, 2);
  t.same(storedIn(api), (await untroubled(t)).stored);
});

t.test('a link that somebody cut stays cut, and a link to another account stays that one', async (t) => {
  const api = await standIn(t);
  await send(api);
  const [first, second] = api.people;
  if (first?.connection == null || second?.connection == null) throw new Error('nobody is linked');
  first.connection.status = 'revoked';
  second.connection.provider_user_id = 'another-account';
  second.stored.clear();
  const before = { first: first.ends.length, second: second.ends.length };
  const { people } = await send(api);
  t.equal(people.length, 2);
  t.equal(first.ends.length, before.first, 'nothing is sent');
  t.ok(second.ends.length > before.second && second.stored.size > 10_000, 'all is sent, to that account');
});

t.test('stops when it is told to', async (t) => {
  const api = await standIn(t);
  const stop = new AbortController();
  const onProgress = (done: number) => (done === 4 ? stop.abort(new Error('enough')) : undefined);
  await t.rejects(send(api, { signal: stop.signal, onProgress }), { message: 'enough' });
  const sent = pushes(api);
  t.ok(sent >= 4 && sent <= 6);
});

t.test('a wrong key or client id is told as what it is', async (t) => {
  const api = await standIn(t);
  await t.rejects(send(api, { apiKey: 'no' }), { status: 401, message: /GET \/users answered 401/ });
  await t.rejects(send(api, { clientId: null }), { status: 401, message: /push answered 401/ });
});
