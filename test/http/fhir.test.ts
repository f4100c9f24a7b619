import { Client } from 'fhir-kit-client';
import t from 'tap';
import { z } from 'zod';
import { observedNames } from '../../domain/fhir/observed.ts';
import { seriesTypes } from '../../domain/records/series.ts';
import { createUser, startApi } from '../support/api.ts';
import { samplesOf } from '../support/fhir/samples-of.ts';
import { minuteRates, range, storeOfEveryKind } from '../support/fhir/user-data.ts';
import { problemsOf } from '../support/fhir/validate.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const base = `${api.url}/api/v1/fhir`;
const client = new Client({ baseUrl: base, customHeaders: { 'X-API-Key': api.apiKey } });
const userId = await createUser(api, { external_user_id: 'clinic-7', first_name: 'Ada', last_name: 'Jones' });
await storeOfEveryKind(api, userId);
const other = await createUser(api, { external_user_id: 'clinic-8' });

const Resource = z.looseObject({ resourceType: z.string(), id: z.string() });
const Bundle = z.looseObject({
  resourceType: z.literal('Bundle'),
  total: z.int().optional(),
  link: z.array(z.object({ relation: z.string(), url: z.string() })),
  entry: z.array(z.looseObject({ fullUrl: z.string(), resource: Resource })).default([]),
});

/** All resources of a search, page by page, with the public client. */
async function searchAll(resourceType: string, searchParams: Record<string, string | string[]>) {
  const found: z.infer<typeof Resource>[] = [];
  const pages: number[] = [];
  let bundle = Bundle.parse(await client.search({ resourceType, searchParams }));
  for (;;) {
    found.push(...bundle.entry.map(({ resource }) => resource));
    pages.push(bundle.entry.length);
    const next = await client.nextPage({ bundle: { ...bundle, type: 'searchset' } });
    if (next === undefined) return { found, pages };
    bundle = Bundle.parse(next);
  }
}

const search = async (query: string) =>
  Bundle.parse((await api.ask(`/api/v1/fhir/Observation?${query}`, { key: api.apiKey })).body);

/** All samples of the API of our own, in the form of `samplesOf`. */
async function ownSamples() {
  const samples: [string, string, number][] = [];
  const Page = z.object({
    data: z.array(z.looseObject({ type: z.string(), timestamp: z.string(), value: z.number() })),
    pagination: z.looseObject({ next_cursor: z.string().nullable() }),
  });
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `${range}&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = Page.parse(await api.expect(200, `/users/${userId}/timeseries?${query}`));
    samples.push(
      ...page.data.map(({ type, timestamp, value }): [string, string, number] => [type, timestamp, value]),
    );
    cursor = page.pagination.next_cursor;
  }
  return samples;
}

const inOrder = (samples: readonly (readonly unknown[])[]) =>
  samples.map((one) => JSON.stringify(one)).toSorted();

t.test('a public client reads all of a user, and the numbers equal those of our own route', async (t) => {
  const { found, pages } = await searchAll('Observation', { patient: userId, _count: '20' });
  t.ok(pages.length > 5);
  t.ok(pages.every((count) => count <= 20));
  t.equal(new Set(found.map(({ id }) => id)).size, found.length, 'each once');
  const [read, own] = [samplesOf(found), await ownSamples()];
  t.equal(own.length, seriesTypes.length + minuteRates.length + 30 + 3 + 1 + 1 + 26);
  t.same(inOrder(read), inOrder(own));
  const reversed = await searchAll('Observation', { patient: userId, _sort: 'date', _count: '7' });
  t.same(
    reversed.found.map(({ id }) => id),
    found.map(({ id }) => id).toReversed(),
  );
});

t.test('every kind of Observations is there, and a public validator accepts each resource', async (t) => {
  const { found } = await searchAll('Observation', { patient: userId, _count: '100' });
  const names = found.map(
    (one) =>
      z
        .looseObject({ code: z.object({ coding: z.array(z.object({ code: z.string() })) }) })
        .parse(one)
        .code.coding.at(-1)?.code,
  );
  t.same(
    observedNames.filter((name) => !names.includes(name)),
    [],
  );
  t.same([...new Set(found.flatMap((one) => problemsOf(one)))], []);
  for (const path of [
    'metadata',
    `Patient/${userId}`,
    'Patient',
    `Device?patient=${userId}`,
    `Observation?patient=${userId}`,
  ]) {
    const { body, headers } = await api.ask(`/api/v1/fhir/${path}`, { key: api.apiKey });
    t.same(problemsOf(Object(body)), [], path);
    t.match(headers.get('content-type'), 'application/fhir+json', path);
  }
});

t.test('each Observation and each Device is read by its id, and is the same', async (t) => {
  const { found } = await searchAll('Observation', { subject: `Patient/${userId}`, _count: '100' });
  for (const one of found) t.same(await client.read({ resourceType: 'Observation', id: one.id }), one);
  const devices = await searchAll('Device', { patient: userId });
  t.equal(devices.found.length, 5);
  for (const one of devices.found) t.same(await client.read({ resourceType: 'Device', id: one.id }), one);
  const Used = z.looseObject({ device: z.object({ reference: z.string() }) });
  const used = new Set(found.map((one) => Used.parse(one).device.reference));
  t.same([...used].toSorted(), devices.found.map(({ id }) => `Device/${id}`).toSorted());
});

t.test('a day on a raster is one SampledData with its gaps', async (t) => {
  const { entry } = await search(`patient=${userId}&code=http://loinc.org|8867-4&date=2026-03-01`);
  t.equal(entry.length, 1);
  t.match(entry[0]?.resource, {
    effectivePeriod: { start: '2026-03-01T00:00:00+02:00', end: '2026-03-01T23:59:00+02:00' },
    valueSampledData: { origin: { value: 0, code: '/min' }, period: 60_000, dimensions: 1 },
  });
  const data = z.looseObject({ valueSampledData: z.object({ data: z.string() }) }).parse(entry[0]?.resource);
  const slots = data.valueSampledData.data.split(' ');
  t.equal(slots.length, 1440);
  t.equal(slots.filter((one) => one === 'E').length, 60);
});

t.test('a blood pressure is a panel; what was not measured is absent', async (t) => {
  const { entry, total } = await search(`patient=${userId}&code=85354-9&_sort=date&date=2026-03-01`);
  t.equal(total, 2);
  t.match(
    entry.map(({ resource }) => resource.component),
    [
      [{ valueQuantity: { value: 121, code: 'mm[Hg]' } }, { valueQuantity: { value: 80 } }],
      [{ valueQuantity: { value: 130 } }, { dataAbsentReason: { coding: [{ code: 'unknown' }] } }],
    ],
  );
});

t.test('sleep, workouts and totals of days', async (t) => {
  const one = async (code: string) =>
    (await search(`patient=${userId}&code=${code}&date=2026-03-01`)).entry.map(({ resource }) => resource);
  t.match(await one('93832-4'), [
    {
      effectivePeriod: { start: '2026-02-28T23:00:00+01:00', end: '2026-03-01T07:00:00+01:00' },
      valueQuantity: { value: 480, code: 'min' },
      component: [
        { valueQuantity: { value: 90 } },
        { valueQuantity: { value: 240 } },
        { valueQuantity: { value: 120 } },
        { valueQuantity: { value: 30 } },
        { valueBoolean: false },
      ],
    },
  ]);
  const [group] = await one('PAPanel');
  const { hasMember } = z
    .looseObject({ hasMember: z.array(z.object({ reference: z.string() })) })
    .parse(group);
  t.equal(hasMember.length, 8);
  const members = await Promise.all(
    hasMember.map(({ reference }) => api.ask(`/api/v1/fhir/${reference}`, { key: api.apiKey })),
  );
  t.match(members[0]?.body, { valueCodeableConcept: { coding: [{ code: 'running' }] } });
  t.match(members[1]?.body, { valueQuantity: { value: 47.083333, code: 'min' } });
  t.match(await one('41950-7'), [{ valueQuantity: { value: 12_345, code: '/d' } }]);
});

t.test('intervals have their ends; those that fill a raster are a SampledData', async (t) => {
  const { entry } = await search(
    `patient=${userId}&code=urn:pulsebus:observation|steps&date=2026-03-01&_sort=date`,
  );
  t.match(
    entry.map(({ resource }) => resource),
    [
      {
        effectivePeriod: { start: '2026-03-01T11:00:00+00:00', end: '2026-03-01T13:00:00+00:00' },
        valueSampledData: { period: 300_000, data: /^100 101 .* 123$/ },
      },
      {
        effectivePeriod: { start: '2026-03-01T15:00:00+00:00', end: '2026-03-01T15:07:00+00:00' },
        valueQuantity: { value: 230, code: '{steps}' },
      },
      { valueQuantity: { value: 99 } },
    ],
  );
  t.equal(entry.length, 3);
});

t.test('Patients by id and by external id', async (t) => {
  t.match(await client.read({ resourceType: 'Patient', id: userId }), {
    identifier: [{ system: 'urn:pulsebus:external-user-id', value: 'clinic-7' }],
    name: [{ family: 'Jones', given: ['Ada'] }],
  });
  const ids = async (params: Record<string, string>) =>
    (await searchAll('Patient', params)).found.map(({ id }) => id);
  t.same(await ids({ identifier: 'clinic-7' }), [userId]);
  t.same(await ids({ identifier: 'urn:pulsebus:external-user-id|clinic-8' }), [other]);
  t.same(await ids({ identifier: 'urn:other|clinic-8' }), []);
  t.same(await ids({ _id: userId }), [userId]);
  t.same(await ids({ _id: userId, identifier: 'clinic-8' }), []);
  t.same(await ids({ _count: '1' }), [userId, other]);
});
