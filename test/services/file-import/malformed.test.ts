import t from 'tap';
import { startApi } from '../../support/api.ts';
import { caseFile, gpxOf, importedCase, streamsOf, trackPoint, unkept } from './cases.ts';
import { appleExport, record } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const imported = (file: string | Uint8Array) => importedCase(api, file);
const rate = (minute: number, source = 'Watch') => {
  const at = `07:${String(minute).padStart(2, '0')}:00`;
  return record('HeartRate', at, at, { unit: 'count/min', value: 60 + minute, sourceName: source });
};
const others = (done: Parameters<typeof unkept>[0]) =>
  unkept(done).filter((sentence) => !sentence.startsWith('Me:'));
const leftOut = (count: number) => `document: Characters that XML does not allow were left out. ${count}`;
const tag = (name: string) => `${name}: The tag is not well-formed XML. 1`;
const attribute = (name: string) => `${name}: An attribute that is not well-formed XML was left out. 1`;
const ends = (count: number) => `document: End tags are missing, or have no start tag. ${count}`;

t.test('characters that XML does not allow cost nothing else', async (t) => {
  const rates = Array.from({ length: 6000 }, (_, index) => {
    const at = `${String(Math.floor(index / 60) % 24).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}:00`;
    const time = `2026-03-${String(2 + Math.floor(index / 1440)).padStart(2, '0')} ${at} +0100`;
    return record('HeartRate', time, time, { unit: 'count/min', value: 61 });
  });
  rates[1500] = `${rates[1500]}`.replace('Apple Watch of', 'Apple \u000BWatch of');
  const { done } = await imported(appleExport(rates));
  t.match(done, { state: 'done', error: null, counts: { heart_rate: 6000 } });
  t.same(others(done), [leftOut(1)]);
});

// What stands in the place of one record of three, what is stored, and what is named.
const second = rate(1);
for (const [what, text, stored, named] of [
  ['NUL between elements', `\0\0${second}\0`, 3, [leftOut(3)]],
  ['NUL in a value', second.replace('"61"', '"6\u00001"'), 3, [leftOut(1)]],
  [
    'an attribute name with a blank',
    second.replace(' unit=', ' foo bar="1" unit='),
    3,
    [attribute('Record')],
  ],
  ['an attribute twice', second.replace(' unit=', ' value="7" unit='), 2, [tag('Record')]],
  ['a value without quotes', second.replace('"count/min"', 'count/min'), 3, [attribute('Record')]],
  ['a bracket in a value', second.replace('Watch"', 'a<b"'), 2, [tag('Record')]],
  ['an ampersand in a value', second.replace('Watch"', 'Ann & Bob"'), 3, []],
  ['an end tag without a start', `</Record></foo>${second}`, 3, [ends(2)]],
  ['a start tag without an end', second.replace('/>', '>'), 3, [ends(1)]],
  ['a workout without an end', `<Workout>${second}`, 3, [ends(1), 'workouts: The time cannot be read. 1']],
  [
    'a bracket between elements',
    `< ${second}`,
    3,
    ['HealthData: A text that is not well-formed XML was left out. 1'],
  ],
] as const)
  t.test(`${what} costs the element that it is in`, async (t) => {
    const { done } = await imported(appleExport([rate(0), text, rate(2)]));
    t.match(done, { state: 'done', error: null, counts: { heart_rate: stored } });
    t.same(others(done).toSorted(), named);
  });

t.test(
  'blanks, a byte order mark and NUL stand before the declaration, and garbage behind the root',
  async (t) => {
    const { workouts, done } = await imported(caseFile('tcx-leading-space.tcx'));
    t.match(workouts, [{ distance_meters: 132.35 }]);
    t.match(done, { state: 'done', skipped: [] });
    const gpx = `<?xml version="1.0"?>${gpxOf([trackPoint(0, 0) + trackPoint(10, 0.001)])}`;
    for (const [text, named] of [
      [`\uFEFF\n  ${gpx}`, []],
      [`  \uFEFF${gpx}`, []],
      [`\0\0${gpx}\0`, [leftOut(3)]],
      [`${gpx}garbage <b & `, ['document: The document is not well-formed XML outside of its elements. 1']],
    ] as const) {
      const file = await imported(text);
      t.match(file.workouts, [{ distance_meters: 111.195 }]);
      t.same([file.done.state, unkept(file.done)], ['done', named]);
    }
  },
);

t.test('a fault in a point or in one of its elements costs no other point', async (t) => {
  const point = (second: number, more = '') => trackPoint(second, second * 0.0001, { ele: 200, in: more });
  const heart = (value: string) => `<extensions><hr>${value}</hr></extensions>`;
  for (const [faulty, points, rates, named] of [
    [point(1, heart('121')).replace('lon=', 'lat="7" lon='), 2, [120, 122], [tag('trkpt')]],
    [point(1, heart('12]]>1')), 3, [120, 122], ['hr: A text that is not well-formed XML was left out. 1']],
    [point(1, heart('121')).replace('</hr>', '</h></hr>'), 3, [120, 122], [ends(1)]],
    [point(1, heart('121')).replace('</trkpt>', ''), 3, [120, 121, 122], [ends(1)]],
    [point(1, heart('121')).replace('</ele>', ''), 3, [120, 121, 122], [ends(1)]],
  ] as const) {
    const file = await imported(gpxOf([point(0, heart('120')) + faulty + point(2, heart('122'))]));
    const { latitude = [], heart_rate } = await streamsOf(api, file);
    t.same([file.done.state, latitude.length, heart_rate, unkept(file.done)], ['done', points, rates, named]);
  }
});

t.test('a document that is cut off gives the points and the workout before', async (t) => {
  const points = Array.from({ length: 50 }, (_, at) => trackPoint(at, at * 0.0001)).join('');
  const gpx = gpxOf([points]);
  for (const [cut, count] of [
    [gpx.indexOf('</trkseg>'), 50],
    [gpx.lastIndexOf('<trkpt') + 20, 49],
    [gpx.lastIndexOf('<trkpt', gpx.lastIndexOf('<trkpt') - 1) + 60, 48],
  ] as const) {
    const file = await imported(gpx.slice(0, cut));
    t.match(file.done, { state: 'failed', error: 'The file is cut off, or is no well-formed XML.' });
    t.equal((await streamsOf(api, file)).latitude?.length, count);
  }
  const times = 'startDate="2026-03-02 08:00:00 +0100" endDate="2026-03-02 08:30:00 +0100"';
  const workout = `<Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" ${times}><Work`;
  const whole = appleExport([rate(0), workout]);
  const { done } = await imported(whole.slice(0, whole.indexOf('<Work', whole.indexOf('<Workout ') + 5)));
  t.match(done, { state: 'failed', counts: { heart_rate: 1, workouts: 1 } });
});

t.test('entities stay as they are, and are counted', async (t) => {
  const entities = '<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>';
  const head = '<name>Tom &amp; Jerry & &b; &b;<![CDATA[ & Co]]></name>';
  const { workouts, done } = await imported(
    `${entities}${gpxOf([trackPoint(0, 0) + trackPoint(1, 0.0001)], { head })}`,
  );
  t.match(workouts, [{ name: 'Tom & Jerry & &b; &b; & Co' }]);
  t.same(unkept(done), ['document: References to entities were not expanded. 2']);
});
