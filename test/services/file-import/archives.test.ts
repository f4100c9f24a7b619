import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { configure, Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import t from 'tap';
import { z } from 'zod';
import { FileImport, FileImportReport } from '../../../contracts/file-import.ts';
import { fitOf, gpxOf, recordedRun, tcxOf } from '../../../sandbox/files/recorded-run.ts';
import { type ZippedFile, zipOf } from '../../../sandbox/files/zip.ts';
import { createUser, startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { appleExport, ended, importFile, record, sendFile } from './importing.ts';

configure({ useWebWorkers: false });
const IMPORT_DIR = mkdtempSync(join(tmpdir(), 'imports-'));
const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR });
const hourMs = 3_600_000;
const runAt = (hour: number) => {
  const startMs = Date.UTC(2026, 2, 2, hour);
  return recordedRun(`run ${hour}`, startMs, startMs + hourMs / 2);
};
const rate = record('HeartRate', '07:00:00', '07:00:00', { unit: 'count/min', value: 61 });
const apple = appleExport([rate]);
const table = 'type,timestamp,value\nheart_rate,2026-03-02T06:00:00Z,60\n';
const notRead = 'Members of this kind are not read.';

const zipped = (members: Readonly<Record<string, string | Uint8Array>>) =>
  zipOf(
    Object.entries(members).map(([name, content]): ZippedFile => ({ name, bytes: Buffer.from(content) })),
  );
/** An import without what is noted of the laps of each FIT file. */
const withoutLaps = (done: FileImport) => ({
  ...done,
  skipped: done.skipped.filter(({ type }) => type !== 'lap'),
});
const importedFor = async (userId: string, file: string | Uint8Array) =>
  withoutLaps(await importFile(api, userId, file));
const imported = async (file: string | Uint8Array) => importedFor(await createUser(api), file);
const Workouts = z.object({ data: z.array(z.unknown()) });
const workoutsOf = async (userId: string) => {
  const path = `/users/${userId}/events/workouts?start_date=2026-03-01&end_date=2026-03-04`;
  return Workouts.parse(await api.expect(200, path)).data.length;
};

t.test('a file that is compressed by gzip is read as it is without', async (t) => {
  for (const [plain, kind, counts] of [
    [Buffer.from(fitOf(runAt(8), 60)), 'fit', { workouts: 1 }],
    [tcxOf(runAt(9)), 'tcx', { workouts: 1 }],
    [gpxOf(runAt(10), 'A run'), 'gpx', { workouts: 1 }],
    [apple, 'apple_health', { heart_rate: 1 }],
    [table, 'csv', { heart_rate: 1 }],
    [zipped({ 'apple_health_export/export.xml': apple }), 'apple_health', { heart_rate: 1 }],
  ] as const) {
    const whole = await imported(plain);
    t.match(whole, { state: 'done', kind, counts });
    const { skipped, items } = whole;
    t.match(await imported(gzipSync(plain)), { state: 'done', kind, counts, skipped, items }, kind);
  }
});

t.test('gzip that is damaged, doubled or unpacks to too much is refused with a sentence', async (t) => {
  const packed = gzipSync(table.repeat(1000));
  for (const [file, error] of [
    [packed.subarray(0, packed.length - 20), 'A compressed file is cut off or damaged.'],
    [
      Buffer.concat([packed.subarray(0, 40), Buffer.alloc(400, 1)]),
      'A compressed file is cut off or damaged.',
    ],
    [gzipSync(gzipSync(table)), 'A file that is compressed twice is not read.'],
    [gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'The file is none of the kinds that can be imported.'],
    [
      gzipSync(`<HealthData>${`<a>${' '.repeat(1_000_000)}</a>`.repeat(64)}</HealthData>`),
      'A compressed file unpacks to too many times its size.',
    ],
  ] as const)
    t.match(await imported(file), { state: 'failed', error, counts: {} });
});

t.test('the members of an archive are recognised by their content, and the others are counted', async (t) => {
  const userId = await createUser(api);
  const fit = fitOf(runAt(8), 60);
  const done = await importedFor(
    userId,
    zipped({
      'a/run.fit': fit,
      'a/run.tcx.gz': gzipSync(tcxOf(runAt(9))),
      'named as it likes': gzipSync(gpxOf(runAt(10), 'A run')),
      'b/Table.CSV': table,
      'b/damaged.fit': fit.subarray(0, fit.length - 40),
      'b/cut.gpx.gz': gzipSync(gpxOf(runAt(11), 'A run')).subarray(0, 200),
      'b/no-fit.FIT': 'a text',
      'photos/1.jpg': 'a photo',
      'photos/2.jpg': 'a photo',
      'a name of a user': 'a text',
      'folder/': '',
    }),
  );
  t.match(done, { state: 'done', kind: 'archive', error: null, counts: { workouts: 4, heart_rate: 1 } });
  const skipped = done.skipped.map(({ type, reason, items }) => `${items} ${type}: ${reason}`);
  t.same(skipped.toSorted(), [
    '1 .fit: Members of this kind are not read.',
    '1 .fit: The FIT file is cut off; what stands before was stored.',
    '1 .gpx.gz: A compressed file is cut off or damaged.',
    '1 member: Members of this kind are not read.',
    '2 .jpg: Members of this kind are not read.',
  ]);
  t.equal(await workoutsOf(userId), 3, 'the damaged file and the whole one are one recording');
  t.same(done.members, { total: 10, done: 10, damaged: 2, unread: 4 });
  const { member_reports } = FileImportReport.parse(
    await api.expect(200, `/users/${userId}/imports/${done.id}`),
  );
  t.same(
    member_reports.map(({ name, state, entries }) => `${name}: ${state} ${entries}`),
    [
      ...['a name of a user: unread 0', 'a/run.fit: read 1', 'a/run.tcx.gz: read 1', 'b/Table.CSV: read 1'],
      ...['b/cut.gpx.gz: damaged 0', 'b/damaged.fit: damaged 1', 'b/no-fit.FIT: unread 0'],
      ...['named as it likes: read 1', 'photos/1.jpg: unread 0', 'photos/2.jpg: unread 0'],
    ],
  );
});

t.test('archives within an archive are read, and those within them are named', async (t) => {
  const inner = zipped({ 'run.fit': fitOf(runAt(8), 60), 'other.bin': 'bytes' });
  const export_ = zipped({ 'apple_health_export/export.xml': apple });
  const done = await imported(
    zipped({
      'parts/1.zip': inner,
      'parts/2.zip.gz': gzipSync(zipped({ 'run.gpx': gpxOf(runAt(10), 'A run') })),
      'parts/damaged.zip': inner.subarray(0, inner.length - 30),
      'export.zip': export_,
      'deep.zip': zipped({ 'deeper.zip': inner, 'table.csv': table }),
    }),
  );
  t.match(done, { state: 'done', kind: 'archive', counts: { workouts: 2, heart_rate: 2 } });
  const skipped = done.skipped.map(({ type, reason }) => `${type}: ${reason}`);
  t.same(skipped.filter((text) => !text.startsWith('Me:')).toSorted(), [
    `.bin: ${notRead}`,
    '.zip: An archive within archives is not read.',
    '.zip: The archive is cut off or damaged.',
  ]);
  await until(() => !existsSync(join(IMPORT_DIR, done.id)), 'what was kept to read them to be deleted');
});

t.test('an archive of which nothing is read ends with the sentence why', async (t) => {
  t.match(await imported(zipped({ 'a.txt': 'a text' })), {
    ...{ state: 'done', items: 0, counts: {} },
    skipped: [{ type: '.txt', reason: notRead, items: 1 }],
  });
  t.match(await imported(zipOf([])), { state: 'done', skipped: [{ reason: 'The file contains no data.' }] });
  const fit = fitOf(runAt(8), 60).subarray(0, 20);
  t.match(await imported(zipped({ 'a.fit': fit, 'a.txt': 'a text' })), {
    ...{ state: 'failed', error: 'The FIT file is cut off or damaged.' },
    skipped: [{ type: '.fit' }, { type: '.txt' }],
  });
});

const password = 'a pässword of a user';

async function encrypted(
  members: Readonly<Record<string, string | Uint8Array>>,
  options: { readonly encryptionStrength?: 1 | 3; readonly zipCrypto?: boolean; readonly level?: number },
): Promise<Buffer> {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  for (const [name, content] of Object.entries(members))
    await writer.add(name, new Uint8ArrayReader(Buffer.from(content)), { password, ...options });
  return Buffer.from(await writer.close());
}

/** A form with a file and a password, as its bytes and its headers. */
async function formOf(file: Uint8Array, order: readonly ['file' | 'password', 'file' | 'password']) {
  const form = new FormData();
  for (const name of order)
    if (name === 'file') form.append('file', new Blob([Uint8Array.from(file)]), 'export.zip');
    else form.append('password', password);
  const response = new Response(form);
  const headers = { 'Content-Type': response.headers.get('Content-Type') ?? '' };
  return { headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/** Imports a file with a password in the header. */
async function importedWith(file: Uint8Array, secret: string, userId: string) {
  const headers = {
    'Content-Type': 'application/zip',
    'X-File-Password': Buffer.from(secret).toString('latin1'),
  };
  const { body } = await sendFile(api, userId, file, { headers });
  return withoutLaps(await ended(api, userId, FileImport.parse(body).id));
}

t.test('encrypted members are read with the password of the request', async (t) => {
  const members = {
    'run.fit': fitOf(runAt(8), 60),
    'run.gpx.gz': gzipSync(gpxOf(runAt(10), 'A run')),
    'inner.zip': zipped({ 'run.tcx': tcxOf(runAt(9)) }),
  };
  for (const options of [
    { encryptionStrength: 3 },
    { encryptionStrength: 1, level: 0 },
    { zipCrypto: true },
  ] as const) {
    const file = await encrypted(members, options);
    const done = await importedWith(file, password, await createUser(api));
    t.match(done, { state: 'done', counts: { workouts: 3 }, skipped: [] }, JSON.stringify(options));
    const wrong = await importedWith(file, 'another', await createUser(api));
    // ZipCrypto has one byte to compare: a wrong password may pass it, and then the content is damaged.
    t.match(wrong, { state: 'failed', error: /password of the archive is wrong|damaged/, counts: {} });
    t.match(await imported(file), {
      state: 'failed',
      error: 'The archive is encrypted, and no password was sent with it.',
    });
  }
});

t.test('the password is a part of a form, and is kept encrypted until the file is read', async (t) => {
  const file = await encrypted({ 'apple_health_export/export.xml': apple }, {});
  for (const order of [
    ['password', 'file'],
    ['file', 'password'],
  ] as const) {
    const userId = await createUser(api);
    const { headers, body } = await formOf(file, order);
    const answer = await sendFile(api, userId, body, { headers });
    const { id } = FileImport.parse(answer.body);
    const folder = join(IMPORT_DIR, id);
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      t.notMatch(readFileSync(join(folder, name)).toString(), password);
    t.match(await ended(api, userId, id), { state: 'done', kind: 'apple_health', counts: { heart_rate: 1 } });
    // The folder is deleted after the end of the import is noted.
    await until(() => !existsSync(folder), 'the password to be deleted with the file');
  }
  const tables = await api.database.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('imports', 'jobs', 'auth', 'changes')`,
  );
  for (const { name } of tables) {
    const text = `select count(*)::int as count from ${name} t where t::text like '%' || $1 || '%'`;
    t.same(await api.database.query(text, [password]), [{ count: 0 }], name);
  }
});

t.test('one encrypted member without its password does not keep others from being read', async (t) => {
  const writer = new ZipWriter(new Uint8ArrayWriter());
  await writer.add('1.fit', new Uint8ArrayReader(Buffer.from(fitOf(runAt(8), 60))), { password });
  await writer.add('2.fit', new Uint8ArrayReader(Buffer.from(fitOf(runAt(9), 60))));
  t.match(await imported(await writer.close()), {
    ...{ state: 'done', counts: { workouts: 1 } },
    skipped: [{ type: '.fit', reason: 'The archive is encrypted, and no password was sent with it.' }],
  });
});

t.test('what makes an archive hostile is refused with a sentence', async (t) => {
  const run = fitOf(runAt(8), 60);
  const overlapping = zipped({ 'a.fit': run, 'b.fit': run });
  // The directory names the first member twice.
  overlapping.writeUInt32LE(0, overlapping.lastIndexOf('PK\x01\x02') + 42);
  t.match(await imported(overlapping), { state: 'failed', error: 'Files in the archive overlap.' });

  const link = zipped({ 'a.fit': '/etc/passwd', 'b.fit': run });
  link.writeUInt32LE(0o120777 * 65_536, link.indexOf('PK\x01\x02') + 38);
  t.match(await imported(link), {
    ...{ state: 'done', counts: { workouts: 1 } },
    skipped: [{ type: 'archive', reason: 'A file in the archive is a link.' }],
  });

  for (const change of [1, -1]) {
    const lies = zipped({ 'a.gpx': gpxOf(runAt(9), 'A run'), 'b.fit': run });
    const at = lies.indexOf('PK\x01\x02') + 24;
    lies.writeUInt32LE(lies.readUInt32LE(at) + change, at);
    t.match(await imported(lies), {
      ...{ state: 'done', counts: { workouts: 1 } },
      skipped: [{ type: '.gpx', reason: 'The archive is cut off or damaged.' }],
    });
  }

  const bomb = zipped({ 'a.xml': Buffer.alloc(32 * 1024 * 1024, ' ') });
  const nested = zipped(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`${at}.zip`, bomb])));
  t.match(await imported(nested), {
    ...{ state: 'failed', items: 0 },
    error: 'A file in the archive unpacks to too many times its size.',
  });
});

t.test('an archive of very many members is read', async (t) => {
  const members = Object.fromEntries(Array.from({ length: 2_000 }, () => [randomUUID(), 'x']));
  t.match(await imported(zipped({ ...members, 'table.csv': table })), {
    ...{ state: 'done', counts: { heart_rate: 1 } },
    skipped: [{ type: 'member', reason: notRead, items: 2_000 }],
  });
});
