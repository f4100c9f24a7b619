import { get } from 'node:http';
import t, { type Test } from 'tap';
import { z } from 'zod';
import { Sample } from '../../contracts/timeseries/schemas.ts';
import type { Page } from '../../domain/page.ts';
import { formatInstant } from '../../domain/time/time.ts';
import { block, item } from '../services/timeseries/items.ts';
import { type Answer, type Ask, createUser, startApi } from '../support/api.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000' });
const start = Date.UTC(2026, 1, 1);
const user = await createUser(api);
const other = await createUser(api);
const odd = 'Watch "7", "two\nlines"';

type Row = readonly [ms: number, value: number];
const every = (seconds: number, count: number, from = start): Row[] =>
  Array.from({ length: count }, (_, n) => [from + n * seconds * 1000, 50 + ((n * 7) % 90) + (n % 3) / 4]);

async function store(
  user_id: string,
  blocks: ReturnType<typeof block>[],
  provider: 'devicemaker' | 'activitynet',
) {
  for (const samples of blocks)
    await api.call('timeseries.store', { user_id, provider, items: [item({ samples: [samples] })] });
}

// Of two devices at the same instants, of two providers; one series fills more than two calls.
await store(
  user,
  [
    block('heart_rate', every(10, 9000)),
    block('heart_rate', every(30, 400), { device: odd }),
    block('steps', every(60, 900), { device: '=cmd()' }),
    block('weight', every(86_400, 3)),
    block('environmental_audio_exposure', every(450, 50, start - 3_600_000)),
  ],
  'devicemaker',
);
await store(user, [block('heart_rate', every(20, 300))], 'activitynet');
await store(other, [block('heart_rate', every(5, 4000)), block('cadence', every(60, 50))], 'devicemaker');

const path = `/users/${user}/timeseries/download`;
const whole = { start_time: '2026-01-30', end_time: '2026-02-05' };
const asked = (query: Readonly<Record<string, string>>) => `${path}?${new URLSearchParams(query)}`;
const download = (query: Readonly<Record<string, string>>, ask: Ask = { key: api.apiKey }) =>
  api.ask(`/api/v1${asked({ ...whole, ...query })}`, ask);

function linesOf({ text }: Answer): Sample[] {
  const lines = text.split('\n');
  if (lines.pop() !== '') throw new Error('the last line has no end');
  return lines.map((line) => Sample.parse(JSON.parse(line)));
}

/** The same range page by page. */
async function pagesOf(query: Readonly<Record<string, unknown>>): Promise<Sample[]> {
  const all: Sample[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const asking = {
      user_id: user,
      ...whole,
      limit: 100,
      ...(cursor === undefined ? {} : { cursor }),
      ...query,
    };
    const page: Page<Sample> = await api.call('timeseries.samples', asking);
    all.push(...page.data);
    cursor = page.pagination.next_cursor;
  }
  return all;
}

for (const resolution of ['raw', '1min', '5min', '15min', '1hour'] as const)
  t.test(`a download at ${resolution} has the samples of the pages in their order`, async (t) => {
    const pages = await pagesOf({ resolution });
    t.ok(pages.length >= 50, `${pages.length} samples`);
    t.strictSame(linesOf(await download({ resolution })), pages);
    const types = ['steps', 'weight'] as const;
    const some = linesOf(await download({ resolution, types: types.join(',') }));
    t.strictSame(some, await pagesOf({ resolution, types: [...types] }));
    t.strictSame(new Set(some.map(({ type }) => type)), new Set(types));
  });

t.test('a range begins with its start and ends before its end, in whole buckets', async (t) => {
  const ranges = [
    { start_time: formatInstant(start + 20_000), end_time: formatInstant(start + 50_000) },
    { start_time: formatInstant(start + 90_000), end_time: formatInstant(start + 40 * 60_000) },
    { start_time: String(start / 1000), end_time: '2026-02-01' },
  ];
  for (const range of ranges)
    for (const resolution of ['raw', '5min'] as const)
      t.strictSame(
        linesOf(await download({ ...range, resolution })),
        await pagesOf({ ...range, resolution }),
      );
  const [first] = ranges;
  const raw = linesOf(await download({ ...first, types: 'heart_rate' }));
  t.equal(raw[0]?.timestamp, '2026-02-01T00:00:20Z');
  t.equal(raw.at(-1)?.timestamp, '2026-02-01T00:00:40Z');
});

/** The rows of a table by RFC 4180. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [whole, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(whole.startsWith('"') ? (quoted ?? '').replaceAll('""', '"') : (plain ?? ''));
    if (end === '\r\n') rows.push([]);
  }
  rows.pop();
  return rows;
}

t.test('CSV has the same samples under a header, and no formula', async (t) => {
  const [columns, ...rows] = rowsOf((await download({ format: 'csv' })).text);
  t.strictSame(columns, ['timestamp', 'type', 'value', 'unit', 'provider', 'device', 'recording_method']);
  const samples = linesOf(await download({}));
  t.strictSame(
    rows,
    samples.map(({ timestamp, type, value, unit, source: { provider, device } }) => {
      return [timestamp, type, String(value), unit, provider, device === '=cmd()' ? "'=cmd()" : device, ''];
    }),
  );
  t.ok(
    rows.some((row) => row[5] === odd),
    'a device with quotes, commas and lines',
  );
});

t.test('the answer has a file name for browsers', async (t) => {
  const headersOf = ({ headers }: Answer) => [
    headers.get('content-type'),
    headers.get('content-disposition'),
  ];
  t.strictSame(headersOf(await download({ types: 'heart_rate' })), [
    'application/x-ndjson; charset=utf-8',
    'attachment; filename="heart_rate-raw-2026-01-30-2026-02-05.ndjson"',
  ]);
  const table = await download({ types: 'steps,weight', resolution: '1min', format: 'csv' });
  t.strictSame(headersOf(table), [
    'text/csv; charset=utf-8; header=present',
    'attachment; filename="samples-1min-2026-01-30-2026-02-05.csv"',
  ]);
  t.match(table.headers.get('access-control-expose-headers'), 'Content-Disposition');
});

t.test('a failure before the first line is answered with an error', async (t) => {
  const of = async (query: Readonly<Record<string, string>>) => (await download(query)).status;
  for (const format of ['ndjson', 'csv']) {
    t.equal(await of({ format, start_time: '2026-02-02', end_time: '2026-02-01' }), 422);
    t.equal(await of({ format, types: 'pulse' }), 422);
    t.equal(await of({ format, resolution: '2min' }), 422);
    const unknown = path.replace(user, '00000000-0000-4000-8000-000000000000');
    t.equal(
      (await api.ask(`/api/v1${unknown}?${new URLSearchParams({ ...whole, format })}`, { key: api.apiKey }))
        .status,
      404,
    );
  }
  t.equal(await of({ format: 'xlsx' }), 422);
  t.equal((await api.ask(`/api/v1${path}`, { key: api.apiKey })).status, 422, 'without a range');
});

t.test('a range without samples is an empty text, or a table without rows', async (t) => {
  const nothing = { start_time: '2020-01-01', end_time: '2020-01-02' };
  t.match(await download(nothing), { status: 200, text: /^$/ });
  t.match(await download({ ...nothing, format: 'csv' }), { status: 200, text: /^timestamp,[a-z,_]+\r\n$/ });
});

const Trail = z.object({ pagination: z.object({ total_count: z.int() }) });
async function exportsOf(id: string): Promise<number> {
  const query = `user_id=${id}&action=user.exported`;
  const answer = await api.ask(`/api/v1/audit?${query}`, { token: api.developerToken });
  return Trail.parse(answer.body).pagination.total_count;
}

t.test('HEAD returns headers only, reads no samples and is not audited as an export', async (t) => {
  for (const target of [asked(whole), `/users/${user}/export`]) {
    const before = await exportsOf(user);
    const answer = await api.ask(`/api/v1${target}`, { method: 'HEAD', key: api.apiKey });
    t.match(answer, { status: 200, text: '' });
    t.match(answer.headers.get('content-disposition'), /^attachment; filename="[\w.-]+"$/);
    t.equal(await exportsOf(user), before);
    await api.ask(`/api/v1${target}`, { key: api.apiKey });
    t.equal(await exportsOf(user), before + 1, 'a GET is');
  }
});

t.test('the gateway works on after a client disconnects in the middle', async (t) => {
  await leaveAfterFirstBytes(t, asked(whole));
  t.equal((await api.ask('/api/v1/health')).status, 200);
});

function leaveAfterFirstBytes(t: Test, target: string): Promise<void> {
  return new Promise((resolve) => {
    const request = get(
      `${api.url}/api/v1${target}`,
      { headers: { 'X-API-Key': api.apiKey } },
      (response) => {
        response.once('data', () => {
          response.destroy();
          resolve();
        });
      },
    );
    request.on('error', (error) => t.fail(error));
  });
}
