import { gzipSync } from 'node:zlib';
import t from 'tap';
import { kept } from '../../../domain/provider/field-table.ts';
import type { RecordFile } from '../../../domain/provider/record-file.ts';
import { normaliserOf } from '../../../domain/recipe/record-type.ts';
import { readFiles } from '../../../services/pull-ingest/work/read-files.ts';
import { fitRide } from '../../fixtures/record-file.ts';
import { type Answering, startCallbackServer } from '../../support/callback-server.ts';

const startMs = Date.parse('2026-03-01T08:00:00Z');
const nowMs = Date.parse('2026-06-01T00:00:00Z');
const ride = fitRide(startMs);
const host = await startCallbackServer(t);
const file: RecordFile = { format: 'fit', address: 'summary.url', origins: () => [host.origin] };

const sending =
  (body: Buffer | string, status = 200, headers: Record<string, string> = {}): Answering =>
  (_req, res) =>
    void res.writeHead(status, headers).end(body);

/** What is read of a record with the file at an address. */
async function read(url: string, canRetry = true, choice: RecordFile = file) {
  const records = [{ id: 'a', summary: { url } }];
  const { signal } = new AbortController();
  const files = await readFiles({}, { file: choice, records, nowMs, canRetry }, signal);
  const content = files?.get(url);
  return files === null ? 'later' : typeof content === 'object' ? content : String(content);
}

t.test('reads a FIT file as a file import does, without a token', async (t) => {
  let asked: unknown;
  host.answer((req, res) => {
    asked = req.headers;
    sending(ride)(req, res);
  });
  const content = await read(`${host.origin}/a.fit?signature=s`);
  if (typeof content === 'string') throw new Error(content);
  t.same(
    content.samples.map(({ type, at }) => `${type} ${at.length}`),
    ['heart_rate 60', 'cadence 60', 'power 60', 'speed 60'],
  );
  t.equal(content.track?.times.length, 60);
  t.match(content.workout, { start_ms: startMs, distance_meters: 480, calories_kcal: 40 });
  t.equal(content.laps.length, 1);
  t.notMatch(asked, { authorization: /./ });
  t.notMatch(asked, { cookie: /./ });
});

t.test('requests nothing from an address that the description does not name', async (t) => {
  host.answer(sending(ride));
  const before = host.asked.length;
  const port = new URL(host.origin).port;
  const addresses = [
    'https://files.example.com/a.fit',
    `http://localhost:${port}/a.fit`,
    `https://127.0.0.1:${port}/a.fit`,
    'http://169.254.169.254/latest/meta-data',
    'file:///etc/passwd',
    'no address',
  ];
  for (const address of addresses) t.equal(await read(address), 'file_refused', address);
  // An origin without TLS that is not of this machine, even if a setting names it.
  const unsafe: RecordFile = { ...file, origins: () => ['http://files.example.com'] };
  t.equal(await read('http://files.example.com/a.fit', true, unsafe), 'file_refused');
  t.equal(host.asked.length, before);
});

t.test('leaves a record without its file, with the reason, if that will not change', async (t) => {
  const cases: readonly (readonly [reason: string, answer: Answering])[] = [
    ['file_missing', sending('', 404)],
    ['file_missing', sending('', 403)],
    ['file_refused', sending('', 302, { location: 'http://169.254.169.254/' })],
    ['file_unreadable', sending('<!doctype html>')],
    ['file_unreadable', sending('')],
    ['file_unreadable', sending(ride.subarray(0, 12))],
    ['file_too_large', sending('', 200, { 'content-length': String(33 * 1024 * 1024) })],
    [
      'file_too_large',
      sending(gzipSync(Buffer.alloc(33 * 1024 * 1024)), 200, { 'content-encoding': 'gzip' }),
    ],
  ];
  for (const [reason, answer] of cases) {
    host.answer(answer);
    t.equal(await read(`${host.origin}/a.fit`), reason);
  }
});

t.test('reads the part again later if the host does not answer, until it is given up', async (t) => {
  const answers = [
    sending('', 500),
    sending('', 429),
    sending(ride.subarray(0, 100), 200, { 'content-length': '200' }),
    (_req: unknown, res: { destroy: () => void }) => void res.destroy(),
  ] satisfies Answering[];
  for (const answer of answers) {
    host.answer(answer);
    t.equal(await read(`${host.origin}/a.fit`), 'later');
    t.equal(await read(`${host.origin}/a.fit`, false), 'file_unavailable');
  }
});

t.test('a file that is cut off has what stands before', async (t) => {
  host.answer(sending(ride.subarray(0, ride.length - 300)));
  const content = await read(`${host.origin}/a.fit`);
  t.ok(typeof content === 'object' && content.samples.length > 0);
});

const normalise = normaliserOf('rides', {
  device: 'Computer',
  ownsSamples: true,
  file,
  fields: {
    id: kept(null, 'key'),
    start: kept('ISO 8601', 'start_time'),
    seconds: kept('s', 'duration_seconds'),
    kcal: kept('kcal', 'workout.calories_kcal'),
    offset: kept('min', 'zone_offset'),
  },
});

t.test('a record has the samples of its file, and its own figures', async (t) => {
  const url = `${host.origin}/a.fit`;
  const record = {
    id: 'a',
    start: '2026-03-01T08:00:00Z',
    seconds: 60,
    kcal: 900,
    offset: 120,
    summary: { url },
  };
  const made = async (bytes: Buffer) => {
    host.answer(sending(bytes));
    const given = { file, records: [record], nowMs, canRetry: true };
    const files = await readFiles({}, given, new AbortController().signal);
    return normalise({ records: { list: [record] }, span: null, nowMs, files: files ?? new Map() });
  };
  const { items, tracks, skipped } = await made(ride);
  t.match(items, [{ key: 'a', workout: { calories_kcal: 900, distance_meters: 480, device: 'Computer' } }]);
  const blocks = items.flatMap(({ samples }) => samples);
  t.same(
    blocks.map(({ type, device, zone_offset_minutes }) => [type, device, zone_offset_minutes]),
    ['heart_rate', 'cadence', 'power', 'speed'].map((type) => [type, 'Computer', 120]),
  );
  t.equal(tracks?.get('a')?.times.length, 60);
  t.same(skipped, {});
  // Only the heights differ, which are in no sample.
  const other = await made(fitRide(startMs, 60, 700));
  t.not(other.items[0]?.hash, items[0]?.hash, 'another file is another version');
  t.equal((await made(ride)).items[0]?.hash, items[0]?.hash);
  const failed = await made(Buffer.from('damaged'));
  t.match(failed, { items: [{ key: 'a', samples: [] }], skipped: { file_unreadable: 1 } });
});
