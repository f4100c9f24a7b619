import t from 'tap';
import { z } from 'zod';
import { at, block, item } from '../services/timeseries/items.ts';
import { createUser, startApi } from '../support/api.ts';
import { samplesOf } from '../support/fhir/samples-of.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const Bundle = z.looseObject({
  link: z.array(z.object({ relation: z.string(), url: z.string() })),
  entry: z.array(z.looseObject({ resource: z.looseObject({ id: z.string() }) })).default([]),
});

async function pagesOf(query: string) {
  const pages: z.infer<typeof Bundle>[] = [];
  for (let path: string | undefined = `/api/v1/fhir/Observation?${query}`; path !== undefined; ) {
    const { status, body, text } = await api.ask(path, { key: api.apiKey });
    if (status !== 200) throw new Error(text);
    const page = Bundle.parse(body);
    pages.push(page);
    path = page.link.find(({ relation }) => relation === 'next')?.url.slice(api.url.length);
  }
  return pages;
}

const resourcesOf = (pages: Awaited<ReturnType<typeof pagesOf>>) =>
  pages.flatMap(({ entry }) => entry.map(({ resource }) => resource));

async function store(user_id: string, samples: [number, number][]): Promise<void> {
  for (let from = 0; from < samples.length; from += 2000) {
    const items = [
      item({ samples: [block('heart_rate', samples.slice(from, from + 2000), { zone_offset_minutes: 30 })] }),
    ];
    await api.call('timeseries.store', { user_id, provider: 'devicemaker', items });
  }
}

const asSample = ([ms, value]: [number, number]) => [
  'heart_rate',
  new Date(ms).toISOString().replace('.000', ''),
  value,
];

t.test('a day of seconds is cut at local hours, each read by its id', async (t) => {
  const user = await createUser(api);
  const start = at('06:00:00');
  const samples = Array.from({ length: 9000 }, (_, second): [number, number] => [
    start + second * 1000,
    60 + (second % 90),
  ]);
  await store(user, samples);
  const found = resourcesOf(await pagesOf(`patient=${user}&_sort=date&_count=2`));
  t.equal(found.length, 3, 'from 06:30 to 09:00 of the local clock');
  t.same(samplesOf(found), samples.map(asSample));
  for (const one of found)
    t.same((await api.ask(`/api/v1/fhir/Observation/${one.id}`, { key: api.apiKey })).body, one);
});

t.test('a page ends early where its Observations are large, and none is lost', async (t) => {
  const user = await createUser(api);
  const days = 40;
  const samples = Array.from({ length: days * 1440 }, (_, minute): [number, number] => [
    at('23:30:00', '2026-01-31') + minute * 60_000,
    60.25 + ((minute * 7) % 97),
  ]);
  await store(user, samples);
  for (const order of ['date', '-date']) {
    const pages = await pagesOf(`patient=${user}&_sort=${order}&_count=100&code=8867-4`);
    t.ok(pages.length > 1);
    const found = resourcesOf(pages);
    t.equal(found.length, days);
    t.same(samplesOf(order === 'date' ? found : found.toReversed()), samples.map(asSample));
  }
});

t.test('years without data cost nothing, and dates limit what is read', async (t) => {
  const user = await createUser(api);
  const dates = ['2001-01-01', '2011-06-15', '2019-12-31', '2026-02-28'];
  await store(
    user,
    dates.map((date, index): [number, number] => [at('12:00:00', date), 60 + index]),
  );
  const values = async (query: string) =>
    samplesOf(resourcesOf(await pagesOf(`patient=${user}&_count=1${query}`))).map(([, , value]) => value);
  t.same(await values(''), [63, 62, 61, 60]);
  t.same(await values('&_sort=date'), [60, 61, 62, 63]);
  t.same(await values('&date=ge2011-06-15&date=lt2026-02-28'), [62, 61]);
  t.same(await values('&date=2011-06'), [61]);
  t.same(await values('&date=gt2026-02-28'), []);
  t.same(await values('&category=activity'), []);
});
