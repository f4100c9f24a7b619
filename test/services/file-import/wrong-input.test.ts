import t from 'tap';
import { userFiles } from '../../../sandbox/files/user-files.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { createUser, startApi } from '../../support/api.ts';
import { appleExport, importFile, record } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const { files } = userFiles({
  seed: 'a user',
  startMs: Date.parse('2026-03-02'),
  days: 1,
  offsetMinutes: 60,
});
const rate = (at: string, value: number | string = 61) =>
  record('HeartRate', at, at, { unit: 'count/min', value });
const imported = async (file: string | Uint8Array) => importFile(api, await createUser(api), file);
const bytesOf = (name: string) => Buffer.from(files[name] ?? '');
const whole = appleExport([rate('07:00:00'), rate('07:01:00')]);
const archived = (...names: readonly (readonly [string, string | Uint8Array])[]) =>
  zipOf(names.map(([name, content]) => ({ name, bytes: Buffer.from(content) })));

t.test('an archive that is cut off, or no archive, is refused with a sentence', async (t) => {
  const zip = bytesOf('export.zip');
  for (const cut of [
    zip.subarray(0, zip.length - 100),
    zip.subarray(0, 200),
    Buffer.from('PK\x03\x04 no archive'),
  ])
    t.match(await imported(cut), {
      state: 'failed',
      error: 'The archive is cut off or damaged.',
      counts: {},
    });
});

t.test('a damaged archive gives what stands before the damage', async (t) => {
  const zip = Buffer.from(bytesOf('export.zip'));
  zip.fill(0xff, 3000, 3100);
  const done = await imported(zip);
  t.match(done, { state: 'failed', error: /damaged|well-formed/ });
  t.ok(done.items > 0, `${done.items} entries before`);
});

t.test('a file that unpacks to too much is not read', async (t) => {
  const bomb = Buffer.alloc(64 * 1024 * 1024, ' ');
  t.match(await imported(archived(['apple_health_export/export.xml', bomb])), {
    state: 'failed',
    error: 'A file in the archive unpacks to too many times its size.',
  });
  const beside = archived(['apple_health_export/export.xml', whole], ['apple_health_export/other.bin', bomb]);
  t.match(await imported(beside), {
    ...{ state: 'done', counts: { heart_rate: 2 } },
    skipped: [{ type: 'Me' }, { type: 'archive', reason: /too many times its size/ }],
  });
});

t.test('names that lead out of the archive are not read, and the rest is', async (t) => {
  const names = ['../apple_health_export/export.xml', '/apple_health_export/export.xml', 'a/../../b.gpx'];
  const done = await imported(
    archived(...names.map((name) => [name, 'x'] as const), ['apple_health_export/export.xml', whole]),
  );
  t.match(done, { state: 'done', counts: { heart_rate: 2 } });
  t.match(
    done.skipped.find(({ type }) => type === 'archive'),
    { reason: /leads out of it/, items: 3 },
  );
});

t.test('entities are not expanded, and a document type that names a file is refused', async (t) => {
  const doctype = (text: string) => whole.replace('<!ATTLIST', `${text}\n<!ATTLIST`);
  const laughs = doctype('<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">').replace(
    'locale="en_DE"',
    'locale="&b;"',
  );
  t.match(await imported(laughs), {
    ...{ state: 'done', counts: { heart_rate: 2 } },
    skipped: [{ type: 'Me' }, { type: 'document', reason: 'References to entities were not expanded.' }],
  });
  const external = doctype('<!ENTITY x SYSTEM "file:///etc/passwd">');
  t.match(await imported(external), { state: 'failed', error: 'The document type names another file.' });
  const comment = doctype('<!-- no SYSTEM of entities -->');
  t.match(await imported(comment), { state: 'done', counts: { heart_rate: 2 } });
});

t.test('a document that is cut off gives the entries before', async (t) => {
  const cut = whole.slice(0, whole.lastIndexOf('<Record') + 40);
  t.match(await imported(cut), {
    ...{ state: 'failed', counts: { heart_rate: 1 } },
    error: 'The file is cut off, or is no well-formed XML.',
  });
  const deep = `<HealthData>${'<a>'.repeat(200)}`;
  t.match(await imported(deep), { state: 'failed', error: 'The elements are nested too deeply.' });
});

t.test('entries that cannot be stored are named, and the others are stored', async (t) => {
  const at = (time: string) => record('HeartRate', time, time, { unit: 'count/min', value: 60 });
  const done = await imported(
    appleExport([
      ...[rate('07:00:00'), rate('07:01:00', 900), rate('07:02:00', 'many')],
      record('HeartRate', '07:03:00', '07:03:00', { unit: 'furlong', value: 60 }),
      ...[at('1969-12-31 23:00:00 +0000'), at('2999-01-01 00:00:00 +0000'), at('2026-13-01 00:00:00 +0000')],
      record('HeartRate', '07:05:00', '07:04:00', { unit: 'count/min', value: 60 }),
      record('SomethingNew', '07:06:00', '07:06:00', { unit: 'count', value: 1 }),
    ]),
  );
  t.match(done, { state: 'done', counts: { heart_rate: 1 } });
  const reasons = done.skipped.filter(({ type }) => type.startsWith('HK')).map(({ reason }) => reason);
  t.same(reasons.toSorted(), [
    'The end is before the start.',
    'The time cannot be read.',
    'The time is before 1990.',
    'The time is more than a day ahead.',
    'The type has no series and is no event.',
    'The unit is not known for this type.',
    'The value must be 1 to 300.',
    'The value must be a number.',
  ]);
  t.notMatch(JSON.stringify(done.skipped), /900|many|furlong/, 'no value is shown');
});

t.test('points without a time are named, and a track without any is no workout', async (t) => {
  const gpx = bytesOf('run.gpx').toString();
  const without = gpx.replace(/<time>[^<]*<\/time>/, '');
  t.match(await imported(without), { state: 'done', counts: { workouts: 1 }, skipped: [{ type: 'points' }] });
  const none = gpx.replaceAll(/<time>[^<]*<\/time>/g, '');
  t.match(await imported(none), {
    ...{ state: 'done', counts: {} },
    skipped: [{ type: 'workouts', reason: 'A planned route is no workout.' }, { type: 'points' }],
  });
});

t.test('each point that is left out is counted', async (t) => {
  const times = bytesOf('run.gpx')
    .toString()
    .split(/<time>[^<]*<\/time>/);
  const gpx = bytesOf('run.gpx')
    .toString()
    .replaceAll(/<time>[^<]*<\/time>/g, '');
  const { skipped } = await imported(gpx);
  t.match(skipped[1], { type: 'points', items: times.length - 1 });
});

t.test('a file with nothing to keep says so', async (t) => {
  const sentence = [{ type: 'file', reason: 'The file contains no data.', items: 1 }];
  t.match(await imported('<gpx></gpx>'), { state: 'done', counts: {}, skipped: sentence });
  t.match(await imported('type,timestamp,value\n'), { state: 'done', counts: {}, skipped: sentence });
});

t.test('lines of a table that cannot be stored are named', async (t) => {
  const lines = [
    ...[
      'weight,2026-01-01T08:00:00Z,150,lb,"Scale, new"',
      'weight,2026-01-01,70,kg,',
      'nothing,2026-01-01T08:00:00Z,1,,',
      '',
    ],
    ...['weight,2026-01-01T08:00:00Z,,kg,', 'weight,2026-01-01T08:00:00Z,9000,kg,', 'weight,"2026'],
  ];
  const done = await imported(`\uFEFFtype,timestamp,value,unit,source\r\n${lines.join('\r\n')}\r\n`);
  t.match(done, { state: 'done', items: 6, counts: { weight: 1 } });
  // The first line is that of the names, and the fifth is empty.
  const places = done.skipped.map(({ reason, positions }) => [reason, ...positions].join(' '));
  t.same(places.toSorted(), [
    'The line is no line of a table. 8',
    'The time is not ISO 8601 with a zone. 3',
    'The type is not a series of the catalogue. 4',
    'The value is not 0.2 to 1000. 7',
    'The value is not a number. 6',
  ]);
});

t.test('of many equal lines the first ten are named, and of an export the number of the entry', async (t) => {
  const lines = Array.from(
    { length: 9000 },
    (_, index) => `weight,2026-01-01T08:00:00Z,${index < 25 ? 'x' : 70},kg`,
  );
  const table = await imported(['type,timestamp,value,unit', ...lines].join('\n'));
  t.match(table.skipped, [{ items: 25, positions: Array.from({ length: 10 }, (_, index) => index + 2) }]);
  const record = (value: string) =>
    `<Record type="HKQuantityTypeIdentifierBodyMass" sourceName="a" unit="kg" value="${value}" startDate="2026-01-01 08:00:00 +0000" endDate="2026-01-01 08:00:00 +0000"/>`;
  const xml = await imported(`<HealthData>${['70', 'x', '71', 'y'].map(record).join('')}</HealthData>`);
  t.match(xml.skipped, [{ items: 2, positions: [2, 4] }]);
});

t.test('a text that PostgreSQL does not store costs no other entry', async (t) => {
  const type = `${'a'.repeat(99)}🏃`; // it is cut between the halves of a pair
  const lines = [`${type},2026-01-01T08:00:00Z,1`, 'a\0b,2026-01-01T08:00:00Z,1'];
  const table = await imported(
    ['type,timestamp,value', ...lines, 'weight,2026-01-01T08:00:00Z,70'].join('\n'),
  );
  t.match(table, { state: 'done', counts: { weight: 1 } });
  t.same(table.skipped.map((one) => one.type).toSorted(), [`${'a'.repeat(99)}\uFFFD`, 'ab']);
  const points = [0, 1].map(
    (minute) => `<trkpt lat="1" lon="1"><time>2026-01-01T08:0${minute}:00Z</time></trkpt>`,
  );
  const named = `<type>${type}</type><name>${'a'.repeat(499)}🏃</name>`;
  const track = await imported(`<gpx><trk>${named}<trkseg>${points.join('')}</trkseg></trk></gpx>`);
  t.match(track, { state: 'done', counts: { workouts: 1 } });
  const creator = `<Creator><Name>${type}</Name></Creator>`;
  const lap = '<Lap StartTime="2026-01-01T08:00:00Z"><TotalTimeSeconds>60</TotalTimeSeconds></Lap>';
  const activity = `<TrainingCenterDatabase><Activity Sport="Running">${lap}${creator}</Activity></TrainingCenterDatabase>`;
  t.match(await imported(activity), { state: 'done', counts: { workouts: 1 } });
});

t.test('a file of another kind is refused', async (t) => {
  for (const file of ['some text', '{"a": 1}', '<html></html>', 'a,b,c\n1,2,3', Buffer.from([1, 2, 3])])
    t.match(await imported(file), {
      state: 'failed',
      error: 'The file is none of the kinds that can be imported.',
    });
});
