import t from 'tap';
import { startApi } from '../../support/api.ts';
import {
  caseFile,
  gpxOf,
  importedCase,
  streamsOf,
  tcxOf,
  tcxTrack,
  timeAt,
  trackPoint,
  unkept,
} from './cases.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const imported = (file: string | Uint8Array) => importedCase(api, file);
const range = (length: number) => Array.from({ length }, (_, index) => index);
const seconds = (from: number, length: number, degrees = 0.00003) =>
  range(length)
    .map((at) => trackPoint(from + at, (from + at) * degrees))
    .join('');

t.test('extensions count by their namespace, whatever their prefix', async (t) => {
  const file = await imported(caseFile('gpx-cluetrust.gpx'));
  t.match(file.workouts, [{ type: 'running', distance_meters: 649 }]);
  const { cadence = [], distance = [], temperature = [], heart_rate = [] } = await streamsOf(api, file);
  t.same([cadence.length, distance.length, temperature.length, heart_rate.length], [60, 60, 60, 60]);
  t.same([cadence[0], distance.at(-1), temperature[0]], [84, 649, 21.5]);

  const garmin = 'http://www.garmin.com/xmlschemas/TrackPointExtension/v2';
  const rates = [
    `<x:TrackPointExtension xmlns:x="${garmin}"><x:hr>121</x:hr></x:TrackPointExtension>`,
    `<TrackPointExtension xmlns="${garmin}"><hr>122</hr></TrackPointExtension>`,
    // Prefixes that nobody declares, and none at all.
    '<gpxtpx:TrackPointExtension><gpxtpx:hr>123</gpxtpx:hr></gpxtpx:TrackPointExtension>',
    '<hr>124</hr>',
    '<gpxtpx:hr xmlns:gpxtpx="http://example.org/other">99</gpxtpx:hr>',
  ];
  const points = rates.map((one, at) =>
    trackPoint(at, at * 0.0001, { in: `<extensions>${one}</extensions>` }),
  );
  const mixed = await imported(
    gpxOf([points.join('')], { root: 'xmlns="http://www.topografix.com/GPX/1/1"' }),
  );
  t.same((await streamsOf(api, mixed)).heart_rate, [121, 122, 123, 124]);
  t.same(unkept(mixed.done), ['hr: Elements of this kind are not kept. 1']);
});

t.test('totals come from the points, and the time between segments is a pause', async (t) => {
  const { workouts } = await imported(caseFile('gpx-pause.gpx'));
  t.match(workouts, [{ duration_seconds: 3899, distance_meters: 6649.466, elevation_gain_meters: 0 }]);
  t.match(workouts, [{ avg_pace_sec_per_km: 598 / 6.649466, details: { moving_seconds: 598 } }]);
});

t.test('a stop within a segment, and a position that nobody reaches, do not count', async (t) => {
  const standing = range(300).map((at) => trackPoint(100 + at, 100 * 0.00003));
  const lost = trackPoint(405, 30);
  const points = [seconds(0, 100), ...standing, trackPoint(400, 0.003), lost, trackPoint(410, 0.0033)];
  const { workouts } = await imported(gpxOf([points.join('')]));
  t.match(workouts, [{ duration_seconds: 410, details: { moving_seconds: 110 } }]);
  t.match(workouts, [{ distance_meters: 333.585 }]);
});

t.test('climbs count from a threshold on, in smoothed altitudes', async (t) => {
  const up = (second: number) => Math.min(second, 600 - second) / 6;
  const wavering = range(600).map((at) => trackPoint(at, at * 0.00003, { ele: 200 + (at % 2) * 2 }));
  const hill = range(601).map((at) => trackPoint(at, at * 0.00003, { ele: 500 + up(at) }));
  const [flat, climbed] = [
    await imported(gpxOf([wavering.join('')])),
    await imported(gpxOf([hill.join('')])),
  ];
  t.match(flat.workouts, [{ elevation_gain_meters: 0 }]);
  const [{ elevation_gain_meters, details } = { details: null }] = climbed.workouts;
  t.ok(Math.abs(Number(elevation_gain_meters) - 50) < 2, `${elevation_gain_meters} of 50 m up`);
  t.ok(Math.abs(Number(Reflect.get(Object(details), 'elevation_loss_meters')) - 50) < 2);
});

t.test('the totals that a track states go before those of its points', async (t) => {
  const space = 'xmlns:s="http://www.garmin.com/xmlschemas/TrackStatsExtension/v1"';
  const stated = '<s:Distance>1234</s:Distance><s:MovingTime>90</s:MovingTime><s:Ascent>17</s:Ascent>';
  const head = `<extensions><s:TrackStatsExtension>${stated}</s:TrackStatsExtension></extensions>`;
  const { workouts } = await imported(gpxOf([seconds(0, 120)], { head, root: space }));
  t.match(workouts, [{ distance_meters: 1234, elevation_gain_meters: 17, details: { moving_seconds: 90 } }]);
});

t.test('distances count from the start of the activity', async (t) => {
  for (const name of ['tcx-cumulative.tcx', 'tcx-cumulative-nolap.tcx']) {
    const file = await imported(caseFile(name));
    t.match(file.workouts, [{ distance_meters: 132.35 }], name);
    const { distance = [] } = await streamsOf(api, file);
    t.same([distance[0], distance.at(-1)], [0, 132.35], name);
  }
  const lap = (from: number, distances: readonly number[]) =>
    `<Lap StartTime="${timeAt(from)}"><TotalTimeSeconds>3</TotalTimeSeconds>${tcxTrack(from, distances)}</Lap>`;
  // Each lap from 0, the second leg of a triathlon, and a first point that has gone some meters.
  for (const [laps, last] of [
    [[lap(0, [0, 10, 20]), lap(3, [0, 12, 24])], 44],
    [[lap(0, [1500, 1510, 1520])], 20],
    [[lap(0, [3, 13, 23])], 23],
  ] as const) {
    const file = await imported(tcxOf([laps]));
    t.equal((await streamsOf(api, file)).distance?.at(-1), last);
  }
});

t.test('sports have the types of other providers', async (t) => {
  for (const [name, type] of [
    ['gpx-type-9.gpx', 'running'],
    ['gpx-type-1.gpx', 'cycling'],
    ['gpx-type-lap_swimming.gpx', 'swimming'],
    ['gpx-type-indoor_cycling.gpx', 'cycling'],
    ['gpx-type-trail_running.gpx', 'running'],
  ] as const)
    t.match((await imported(caseFile(name))).workouts, [{ type }], name);
  for (const [raw, type] of [
    ['10', 'walking'],
    ['77', 'other'],
    ['Mountain Bike', 'cycling'],
  ] as const) {
    const file = await imported(gpxOf([seconds(0, 5)], { head: `<type>${raw}</type>` }));
    t.match(file.workouts, [{ type }], raw);
  }
});

t.test('figures that nobody reaches are refused and named', async (t) => {
  const file = await imported(caseFile('tcx-hr-zero.tcx'));
  t.match(file.workouts, [{ calories_kcal: null, avg_heart_rate_bpm: null, max_heart_rate_bpm: null }]);
  t.match(file.workouts, [{ distance_meters: 300, laps: [{ avg_heart_rate_bpm: null }] }]);
  t.same(unkept(file.done), ['workouts: The calories_kcal is out of its range. 1']);
  t.same((await streamsOf(api, file)).heart_rate, undefined);
  const lap = (second: number, figures: string) =>
    `<Lap StartTime="${timeAt(second)}"><TotalTimeSeconds>60</TotalTimeSeconds>${figures}</Lap>`;
  const laps = [
    lap(0, '<DistanceMeters>200</DistanceMeters><Calories>20</Calories><MaximumSpeed>900</MaximumSpeed>'),
    lap(
      60,
      '<DistanceMeters>200</DistanceMeters><AverageHeartRateBpm><Value>999</Value></AverageHeartRateBpm>',
    ),
  ];
  const { workouts, done } = await imported(tcxOf([laps]));
  t.match(workouts, [
    { distance_meters: 400, calories_kcal: null, laps: [{ avg_heart_rate_bpm: null }, {}] },
  ]);
  t.same(unkept(done), [
    'laps: The max_speed_meters_per_second is out of its range. 1',
    'laps: The avg_heart_rate_bpm is out of its range. 1',
  ]);
});

t.test('a planned route is no workout', async (t) => {
  const planned = (count: number) => `workouts: A planned route is no workout. ${count}`;
  const still = range(3).map((at) => trackPoint(0, at * 0.001));
  const route = '<rte><rtept lat="1" lon="1"><name>n</name></rtept></rte><wpt lat="1" lon="1"/>';
  const course = `<Courses><Course><Name>n</Name>${tcxTrack(0, [0, 1, 2])}</Course></Courses>`;
  for (const [text, named] of [
    [gpxOf([still.join('')]), [planned(1)]],
    [gpxOf([seconds(0, 3)], { before: route }), [planned(1), 'wpt: Elements of this kind are not kept. 1']],
    [tcxOf([], course), [planned(1)]],
  ] as const) {
    const { workouts, done } = await imported(text);
    t.same([workouts.length, unkept(done)], [text.includes('rtept') ? 1 : 0, named]);
    t.equal(done.state, 'done');
  }
});

t.test('the activities of a multisport session are workouts of their own', async (t) => {
  const activity = (sport: string, from: number, first: number) =>
    `<Activity Sport="${sport}"><Id>a</Id><Lap StartTime="${timeAt(from)}"><TotalTimeSeconds>2</TotalTimeSeconds><Intensity>Active</Intensity>${tcxTrack(from, [first, first + 8])}</Lap></Activity>`;
  const first = `<FirstSport>${activity('Biking', 0, 0)}</FirstSport>`;
  const next = `<NextSport>${activity('Running', 600, 40_000)}</NextSport>`;
  const session = `<MultiSportSession><Id>${timeAt(0)}</Id>${first}${next}</MultiSportSession>`;
  const text = `<TrainingCenterDatabase><Activities>${session}</Activities></TrainingCenterDatabase>`;
  const { workouts, done } = await imported(text);
  const found = workouts.map(({ type, distance_meters }) => `${type} ${distance_meters}`);
  t.same(found.toSorted(), ['cycling 8', 'running 8']);
  t.same(unkept(done), ['Intensity: Elements of this kind are not kept. 2']);
});
