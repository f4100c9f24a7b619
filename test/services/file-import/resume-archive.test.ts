import { gzipSync } from 'node:zlib';
import t from 'tap';
import { fitbitArchive } from '../../../sandbox/files/fitbit-archive.ts';
import { fitOf, recordedRun } from '../../../sandbox/files/recorded-run.ts';
import { stravaArchive } from '../../../sandbox/files/strava-archive.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import type { Cursor, ImportBatch } from '../../../services/file-import/rules/batch.ts';
import { keepInMemory } from '../../../services/file-import/rules/content.ts';
import { openFile } from '../../../services/file-import/rules/read-file.ts';

const nowMs = Date.parse('2026-06-01');
const startMs = Date.parse('2026-02-01T07:00:00Z');
const rules = { stores: true, zones: [], version: 1 };

/** What is stored of a file when its reading goes on after the position of a batch. */
async function batchesFrom(file: Buffer, skip: number, cursor: Cursor): Promise<ImportBatch[]> {
  const bytes = { length: file.length, from: async (at: number) => file.subarray(at, at + 100_000) };
  const options = { cursor, password: null, keep: keepInMemory };
  const { batches } = await openFile(bytes, { nowMs, rules, timeZone: null, skip }, options);
  const all: ImportBatch[] = [];
  for await (const batch of batches) if (batch !== null) all.push(batch);
  return all;
}

/** What batches store and name, in total. */
function totalsOf(batches: readonly ImportBatch[]) {
  const add = (totals: Map<string, number>, name: string, count: number) =>
    totals.set(name, (totals.get(name) ?? 0) + count);
  const [counts, skipped] = [new Map<string, number>(), new Map<string, number>()];
  for (const batch of batches) {
    for (const [type, count] of Object.entries(batch.counts)) add(counts, type, count);
    for (const { type, reason, items } of batch.skipped) add(skipped, `${type}: ${reason}`, items);
  }
  const keys = batches.flatMap(({ items }) =>
    items.flatMap((call) => call.map(({ key, hash }) => `${key} ${hash}`)),
  );
  const members = batches.flatMap(({ members }) => members.reports);
  return { counts, skipped, keys: new Set(keys), members, position: batches.at(-1)?.position };
}

const start = { path: [], position: 0 };

function tableOf(minute: number, rows: number): Buffer {
  const lines = Array.from({ length: rows }, (_, at) => {
    const time = new Date(startMs + minute * 60_000 + at * 1000).toISOString();
    return at % 1000 === 7 ? `heart_rate,${time},many` : `heart_rate,${time},60`;
  });
  return Buffer.from(['type,timestamp,value', ...lines].join('\n'));
}

const run = fitOf(recordedRun('a run', startMs, startMs + 600_000), 60);
const damaged = gzipSync(tableOf(0, 5000)).subarray(0, 9000);
const inner = zipOf([
  { name: 'a.csv', bytes: tableOf(400, 6000) },
  { name: 'b.bin', bytes: Buffer.from('of another kind') },
  { name: 'c.csv.gz', bytes: gzipSync(tableOf(800, 5000)) },
]);
const nested = zipOf([
  { name: '1.csv', bytes: tableOf(0, 5000) },
  { name: '2.fit', bytes: run },
  { name: '3.csv.gz', bytes: damaged },
  { name: '4.zip', bytes: inner },
  { name: '5.txt', bytes: Buffer.from('of another kind') },
  { name: '6.csv', bytes: tableOf(1200, 7000) },
]);

t.test('an archive is read to the same end from the position of each of its parts', async (t) => {
  const whole = await batchesFrom(nested, 0, start);
  t.ok(whole.length > 5, `${whole.length} parts`);
  for (const [index, { position, cursor }] of whole.entries()) {
    const rest = await batchesFrom(nested, position, cursor);
    t.same(totalsOf([...whole.slice(0, index + 1), ...rest]), totalsOf(whole), `after part ${index}`);
  }
});

t.test('members without entries are reported while an archive is read', async (t) => {
  const others = (folder: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      name: `${folder}${String(at).padStart(4, '0')}.bin`,
      bytes: Buffer.from('of another kind'),
    }));
  const file = zipOf([
    ...others('a/', 1500),
    { name: 'b.csv', bytes: tableOf(0, 100) },
    { name: 'c.zip', bytes: zipOf([...others('', 1200), { name: 'd.csv', bytes: tableOf(400, 100) }]) },
    ...others('e/', 900),
  ]);
  const whole = await batchesFrom(file, 0, start);
  const progress = whole.map((batch) => batch.progress);
  t.ok(whole.length > 3, `${whole.length} parts`);
  t.same(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  const ended = (batches: readonly ImportBatch[]) =>
    batches.reduce((sum, { members }) => sum + members.unread, 0);
  t.equal(ended(whole), 1500 + 1200 + 900);
  for (const [index, { position, cursor }] of whole.entries()) {
    const both = [...whole.slice(0, index + 1), ...(await batchesFrom(file, position, cursor))];
    t.equal(ended(both), ended(whole), `after part ${index}`);
    t.same(totalsOf(both).counts, totalsOf(whole).counts);
  }
});

t.test('an archive whose members are read twice is read to the same end too', async (t) => {
  const { members } = fitbitArchive({ seed: 'a user', startMs, days: 20, zone: 'Europe/Berlin' });
  const file = zipOf(
    Object.entries(members).map(([name, text]) => ({
      name,
      // A damaged member is read twice, and named once.
      bytes: Buffer.from(name.includes('/distance-') ? text.slice(0, text.length / 2) : text),
    })),
  );
  const whole = await batchesFrom(file, 0, start);
  t.ok(whole.length > 5, `${whole.length} parts`);
  const { skipped, members: reports } = totalsOf(whole);
  t.equal(skipped.get('.json: The JSON of a member is cut off or damaged.'), 1);
  t.same(
    reports.flatMap(({ name }) => (name === '' ? [] : [name])).toSorted(),
    Object.keys(members).toSorted(),
    'each member is reported once',
  );
  for (const [index, { position, cursor }] of whole.entries()) {
    const rest = await batchesFrom(file, position, cursor);
    t.same(totalsOf([...whole.slice(0, index + 1), ...rest]), totalsOf(whole), `after part ${index}`);
  }
});

t.test('members that are stored are not read again', async (t) => {
  const whole = await batchesFrom(nested, 0, start);
  const last = whole.at(-2);
  const unreadable = Buffer.from(nested);
  // The content of the first members, up to the last one.
  unreadable.fill(0, 40, unreadable.lastIndexOf('6.csv', unreadable.indexOf('PK\x01\x02')) - 30);
  const rest = await batchesFrom(unreadable, last?.position ?? 0, last?.cursor ?? start);
  t.same(totalsOf(rest).counts, totalsOf(whole.slice(-1)).counts);
});

t.test('tables that others need are read again, and their skipped rows are named once', async (t) => {
  const { zip } = stravaArchive({ seed: 'a user', startMs, activities: 12, language: 'en' });
  const whole = totalsOf(await batchesFrom(zip, 0, start));
  t.equal(whole.counts.get('workouts'), 12);
  const names = whole.members.map(({ path }) => path[0] ?? 0);
  // The rows without a file stand between the files and the members that are not read; no member is reported for them.
  const ofRows = names.findIndex((number, index) => number !== index);
  for (const first of names) {
    const before = whole.members.filter(({ path }) => (path[0] ?? 0) < first);
    const position = first > ofRows ? 12 : before.reduce((sum, { entries }) => sum + entries, 0);
    const rest = totalsOf(await batchesFrom(zip, position, { path: [first], position }));
    t.equal(rest.position, whole.position);
    t.equal(rest.counts.get('workouts') ?? 0, 12 - position, `from member ${first}`);
    t.ok(
      [...rest.keys].every((key) => whole.keys.has(key)),
      'the same workouts',
    );
    t.same(rest.members, whole.members.slice(before.length));
  }
});
