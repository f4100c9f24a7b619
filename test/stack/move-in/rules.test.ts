import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { archiveItems, sampleItems } from '../../../stack/move-in/rules/items.ts';
import type { Mapped } from '../../../stack/move-in/rules/mapped.ts';
import { recordItem, scoreItem } from '../../../stack/move-in/rules/records.ts';
import type { ArchiveRow, SampleRow } from '../../../stack/move-in/rules/rows.ts';
import { providerOf } from '../../../stack/move-in/rules/sources.ts';
import { definitions, nowMs, record, recordId, sample, score, source, sourceId, total } from './rows.ts';

const garmin = source('garmin');
const samplesOf = (rows: readonly SampleRow[], from = garmin) => sampleItems(from, rows, definitions, nowMs);
/** Items are those that the store takes, so that each is parsed. */
const parsed = ({ items }: Mapped) => items.map((item) => StoreItem.parse(item));
const leftOf = ({ left }: Mapped) => left.map(({ what, reason, count }) => `${count} ${what}: ${reason}`);
const only = (mapped: Mapped) => {
  const [item] = parsed(mapped);
  if (item === undefined) throw new Error(`nothing is moved: ${leftOf(mapped)}`);
  return item;
};

t.test('providers of theirs have our names', async (t) => {
  const names = [
    ['garmin', null, 'devicemaker'],
    ['strava', null, 'activitynet'],
    ['apple', null, 'phone'],
    ['samsung', null, 'phone'],
    ['google', 'health_connect', 'phone'],
    ['google', 'google_health_api', 'googlehealth'],
    ['fitbit', null, 'googlehealth'],
    ['Oura', null, 'oura'],
    ['whoop', null, 'whoop'],
    ['polar', null, 'polar'],
    ['suunto', null, 'suunto'],
    ['ultrahuman', null, 'ultrahuman'],
    ['sensorbio', null, undefined],
    ['unknown', null, undefined],
    ['', null, undefined],
  ] as const;
  for (const [provider, label, ours] of names)
    t.equal(providerOf({ provider, source: label })?.provider, ours, provider);
});

t.test('samples of a week are one item, in blocks by series and offset', async (t) => {
  const rows = [
    sample('heart_rate', '2026-03-02T00:00:00Z', '61.000', { zone_offset: '+01:00' }),
    sample('heart_rate', '2026-03-01T23:59:59Z', '60.000', { zone_offset: '+01:00' }),
    sample('heart_rate', '2026-03-02T01:00:00Z', '62.000', { zone_offset: '-0330' }),
    sample('weight', '2026-03-02T01:00:00Z', '70.123'),
  ];
  const mapped = samplesOf(rows);
  t.same(leftOf(mapped), []);
  const items = parsed(mapped);
  t.same(
    items.map(({ data_type, key, supersede }) => [data_type, key, supersede]),
    [
      ['moved', `${sourceId} 2026-03-02`, 'latest'],
      ['moved', `${sourceId} 2026-02-23`, 'latest'],
    ],
  );
  const device = 'unknown';
  const at = Date.UTC(2026, 2, 2);
  t.same(items[0]?.samples, [
    { type: 'heart_rate', device, zone_offset_minutes: 60, base_ms: at, at: [0], values: [61] },
    { type: 'heart_rate', device, zone_offset_minutes: -210, base_ms: at + 3_600_000, at: [0], values: [62] },
    { type: 'weight', device, zone_offset_minutes: null, base_ms: at + 3_600_000, at: [0], values: [70.123] },
  ]);
});

t.test('the same rows in another order are the same items', async (t) => {
  const rows = [
    sample('heart_rate', '2026-03-02T00:00:00Z', '61'),
    sample('heart_rate', '2026-03-02T00:00:00Z', '90'),
    sample('heart_rate', '2026-03-02T00:00:10Z', '62'),
    sample('weight', '2026-03-02T00:00:10Z', '70'),
  ];
  const [one, other] = [samplesOf(rows), samplesOf(rows.toReversed())];
  t.same(parsed(one), parsed(other));
  t.same(leftOf(one), ['1 heart_rate: another sample of the series has the same time']);
  t.same(only(one).samples[0]?.values, [90, 62]);
  const changed = samplesOf([...rows, sample('weight', '2026-03-03T00:00:10Z', '71')]);
  t.not(only(changed).hash, only(one).hash);
});

const at = '2026-03-02T00:00:00Z';
const notMoved: readonly (readonly [row: SampleRow, reason: string])[] = [
  [sample('heart_rate', at, null), 'heart_rate: the value is not a number'],
  [sample('heart_rate', at, 'NaN'), 'heart_rate: the value is not a number'],
  [sample('heart_rate', at, '0'), 'heart_rate: the value is out of the range of the series'],
  [sample('heart_rate', '1989-12-31T00:00:00Z', '60'), 'heart_rate: is before 1990'],
  [sample('heart_rate', '2026-11-02T00:00:01Z', '60'), 'heart_rate: is more than a day ahead'],
  [sample('heart_rate', 'never', '60'), 'heart_rate: has no valid time'],
  [sample('latitude', at, '50.1'), 'latitude: location data, which no series has'],
  [sample('dietary_protein', at, '50.1'), 'dietary_protein: no series has this code'],
  [sample('hydration', at, '500'), 'hydration: the unit of its definition cannot be converted'],
  [sample('no such code', at, '1'), 'unknown: no definition has this series type'],
];

for (const [row, reason] of notMoved)
  t.test(`a row is left because ${reason}`, async (t) => {
    const good = sample('weight', at, '70');
    const mapped = samplesOf([row, good, row]);
    t.same(leftOf(mapped), [`2 ${reason}`]);
    t.equal(only(mapped).samples.length, 1);
  });

t.test('values are converted by the unit of the definition', async (t) => {
  const rows = [
    sample('distance_walking_running', at, '1.500'),
    sample('skin_temperature', at, '95'),
    sample('active_energy', at, '12'),
    sample('nike_fuel', at, '3'),
    sample('garmin_stress_level', at, '40'),
    sample('air_temperature', at, '-3.5'),
    sample('skin_temperature_deviation', at, '0.3'),
    sample('running_vertical_ratio', at, '8.1'),
    sample('elevation', at, '-12'),
  ];
  const valuesOf = (from: ReturnType<typeof source>) =>
    Object.fromEntries(only(samplesOf(rows, from)).samples.map(({ type, values }) => [type, values[0]]));
  t.same(valuesOf(garmin), {
    distance_walking_running: 1500,
    skin_temperature: 35,
    energy: 12,
    sportswear_fuel: 3,
    devicemaker_stress_level: 40,
    weather_temperature: -3.5,
    devicemaker_skin_temperature: 0.3,
    running_vertical_ratio: 8.1,
    elevation: -12,
  });
  const { air_temperature, skin_temperature_deviation } = valuesOf(source('oura'));
  t.same([air_temperature, skin_temperature_deviation], [-3.5, 0.3]);
});

const devices: readonly (readonly [from: ReturnType<typeof source>, code: string, device: string])[] = [
  [source('garmin', { device_model: 'Forerunner 955' }), 'heart_rate', 'Forerunner 955'],
  [source('garmin', { device_model: 'Garmin' }), 'heart_rate', 'unknown'],
  [source('strava', { device_model: 'Strava' }), 'heart_rate', 'unknown'],
  [source('oura', { device_model: 'Oura Ring Gen3' }), 'heart_rate', 'Oura Ring'],
  [source('oura'), 'heart_rate_variability_rmssd', 'Oura Ring, asleep'],
  [source('whoop'), 'heart_rate', 'WHOOP'],
  [source('polar'), 'heart_rate', 'Polar continuous heart rate'],
  [source('polar'), 'heart_rate_variability_rmssd', 'Polar Nightly Recharge'],
  [source('suunto', { device_model: 'Suunto Race' }), 'heart_rate', 'Suunto'],
  [source('ultrahuman'), 'heart_rate', 'Ultrahuman Ring'],
  [source('apple'), 'heart_rate', 'unknown'],
  [source('apple', { device_model: 'Watch7,1' }), 'heart_rate', 'Watch7,1'],
  [
    source('apple', { device_model: 'Watch7,1', original_source_name: 'Zepp Life' }),
    'weight',
    'Watch7,1 (Zepp Life)',
  ],
  [
    source('apple', { device_model: 'Watch7,1', original_source_name: 'Apple Watch (Jo)' }),
    'weight',
    'Watch7,1',
  ],
  [source('apple', { device_model: 'A\0\u001fmanual' }), 'weight', 'Amanual'],
  [source('apple', { device_model: 'x'.repeat(300) }), 'weight', 'x'.repeat(100)],
];

for (const [from, code, device] of devices)
  t.test(`${code} of ${from.provider} ${from.device_model} is of ${device.slice(0, 40)}`, async (t) =>
    t.equal(only(samplesOf([sample(code, at, '60')], from)).samples[0]?.device, device),
  );

t.test('a malformed offset is counted, and its row is placed without one', async (t) => {
  const rows = ['+2', '+25:00', '+02:75', 'Europe/Berlin'].map((zone_offset, index) =>
    sample('weight', `2026-03-02T00:00:0${index}Z`, '70', { zone_offset }),
  );
  const mapped = samplesOf([
    ...rows,
    sample('weight', at.replace(':00Z', ':09Z'), '70', { zone_offset: '' }),
  ]);
  t.same(
    only(mapped).samples.map(({ zone_offset_minutes, at: times }) => [zone_offset_minutes, times.length]),
    [[null, 5]],
  );
  t.same(mapped.changed, [
    { what: 'weight', reason: 'the zone offset cannot be read: placed by the clock of the user', count: 4 },
  ]);
});

t.test('totals of a day are the day of the provider, and no samples', async (t) => {
  const rows = [
    total('steps', '2026-03-01T22:00:00Z', '1000'),
    total('active_energy', '2026-03-02T21:59:30Z', '321.5'),
    total('distance_walking_running', '2026-03-02T21:59:30Z', '1.2'),
    total('exercise_time', '2026-03-02T21:59:30Z', '30'),
    sample('active_time', '2026-03-02T21:59:30Z', '90', { zone_offset: '+02:00' }),
    total('steps', '2026-03-02T21:59:30Z', '1200'),
    total('steps', '2026-03-02T22:00:00Z', '2000'),
  ];
  const mapped = samplesOf(rows);
  t.same(leftOf(mapped), ['1 steps: another total of the day has the same series']);
  const [first, second] = parsed(mapped);
  const start = Date.UTC(2026, 2, 1, 22);
  t.match(first, {
    data_type: 'dailies',
    key: String(start / 1000),
    supersede: 'moved',
    duration_seconds: 0,
    samples: [],
    day: {
      date: '2026-03-02',
      start_ms: start,
      duration_seconds: 86_400,
      steps: 1000,
      active_calories_kcal: 321.5,
      distance_meters: 1200,
      active_seconds: 5400,
      floors_climbed: null,
    },
    day_values: { date: '2026-03-02', values: {}, extra: { exercise_time: 30 } },
  });
  t.match(second, { day: { date: '2026-03-03', steps: 2000 }, day_values: null });
});

const dayPlaces: readonly (readonly [
  time: string,
  offset: string | null,
  date: string | null,
  start: string,
])[] = [
  ['2026-03-01T23:00:00Z', '+01:00', '2026-03-02', '2026-03-01T23:00:00Z'],
  ['2026-03-02T22:59:30Z', '+01:00', '2026-03-02', '2026-03-01T23:00:00Z'],
  ['2026-03-02T00:00:00Z', null, '2026-03-02', '2026-03-02T00:00:00Z'],
  ['2026-03-02T12:00:00Z', null, '2026-03-02', '2026-03-02T00:00:00Z'],
  ['2026-03-02T23:59:30Z', null, '2026-03-02', '2026-03-02T00:00:00Z'],
  ['2026-03-02T22:59:30Z', null, null, '2026-03-01T23:00:00Z'],
  ['2026-03-02T23:00:00Z', null, null, '2026-03-02T23:00:00Z'],
];

for (const [time, offset, date, start] of dayPlaces)
  t.test(`a total of ${time} ${offset} is of ${date}`, async (t) => {
    const { day } = only(samplesOf([total('steps', time, '10', offset)]));
    t.match(day, { date, start_ms: Date.parse(start) });
  });

const archived = (
  code: string,
  aggregation_type: string | null,
  value: string,
  day = '2025-01-05',
): ArchiveRow => ({
  bucket_start_at: `${day}T00:00:00Z`,
  aggregation_type,
  value,
  series_type_definition_id: sample(code, at, '').series_type_definition_id,
});

t.test('archived days are values of days, unless their samples are there', async (t) => {
  const rows = [
    archived('steps', 'sum', '9000'),
    archived('heart_rate', 'avg', '61.4'),
    archived('heart_rate', 'min', '44'),
    archived('heart_rate', 'max', '171'),
    archived('resting_heart_rate', 'avg', '52.5'),
    archived('weight', 'avg', '70.5'),
    archived('weight', null, '70.6'),
    archived('weight', 'median', '70'),
    archived('steps', 'sum', '8000', '2025-01-06'),
  ];
  const mapped = archiveItems(garmin, rows, definitions, (_, date) => date === '2025-01-06');
  t.same(leftOf(mapped), [
    '1 weight: another value of the day has the same series',
    '1 weight: its aggregation is unknown',
    '1 steps: samples of the day are there',
  ]);
  t.match(only(mapped), {
    data_type: 'moved',
    day: {
      date: '2025-01-05',
      steps: 9000,
      avg_heart_rate_bpm: 61,
      min_heart_rate_bpm: 44,
      max_heart_rate_bpm: 171,
    },
    day_values: { values: { resting_heart_rate_bpm: 52.5 }, extra: { weight_avg: 70.5 } },
  });
});

t.test('a workout keeps its id, its figures and its details', async (t) => {
  const row = record('workout', {
    external_id: '991',
    type: 'trail_running',
    duration_seconds: 3500,
    workout_details: {
      heart_rate_min: '80',
      heart_rate_max: '171.4',
      heart_rate_avg: '140.6',
      energy_burned: '512.5',
      distance: '9000.000',
      steps_count: 8000,
      moving_time_seconds: 3400,
      total_elevation_gain: '120',
      average_speed: '2.5',
      max_speed: '4',
      average_cadence: '84',
      segments: [
        { kind: 'lap', index: 2, duration_seconds: 600, distance_meters: 2000 },
        { kind: 'lap', index: 1, duration_seconds: 300, average_heartrate: 130 },
        { kind: 'split', index: 1, distance_meters: 1000, duration_seconds: 400 },
        { kind: 'odd', index: 1 },
      ],
      hr_zones: { zones: [{ zone: 1, seconds: 60 }] },
    },
  });
  const item = only(recordItem(source('garmin', { device_model: 'Forerunner 955' }), row, nowMs));
  const start_ms = Date.UTC(2026, 2, 1, 6);
  t.match(item, {
    data_type: 'activities',
    key: '991',
    supersede: 'moved',
    hash: /^moved /,
    record_id: recordId,
    workout: {
      type: 'running',
      raw_type: 'trail_running',
      name: 'Trail running',
      plain_name: true,
      start_ms,
      end_ms: start_ms + 3_600_000,
      zone_offset_minutes: 60,
      duration_seconds: 3500,
      moving_seconds: 3400,
      device: 'Forerunner 955',
      calories_kcal: 512.5,
      distance_meters: 9000,
      avg_heart_rate_bpm: 141,
      max_heart_rate_bpm: 171,
      avg_pace_sec_per_km: 400,
      elevation_gain_meters: 120,
      steps: 8000,
    },
    extras: {
      details: {
        min_heart_rate_bpm: 80,
        avg_speed_meters_per_second: 2.5,
        max_speed_meters_per_second: 4,
      },
      laps: [
        { start_ms, end_ms: start_ms + 300_000, avg_heart_rate_bpm: 130 },
        { start_ms: start_ms + 300_000, distance_meters: 2000 },
      ],
      splits: [{ unit: 'kilometer', split: 1, duration_seconds: 400 }],
      extra: {
        average_cadence: 84,
        hr_zones: { zones: [{ zone: 1, seconds: 60 }] },
        segments: [{ kind: 'odd', index: 1 }],
      },
    },
  });
});

const types = [
  ['treadmill', 'running'],
  ['mountain_biking', 'cycling'],
  ['pool_swimming', 'swimming'],
  ['casual_walking', 'walking'],
  ['trail_hiking', 'hiking'],
  ['rowing_machine', 'rowing'],
  ['cardio_training', 'other'],
  ['mountaineering', 'other'],
  ['motorcycling', 'other'],
  [null, 'other'],
] as const;

for (const [type, ours] of types)
  t.test(`a workout of the type ${type} is ${ours}`, async (t) => {
    const { workout } = only(recordItem(garmin, record('workout', { type }), nowMs));
    t.match(workout, { type: ours, raw_type: type ?? 'other' });
  });

t.test('a night has its minutes in seconds and its hypnogram', async (t) => {
  const stage = (name: string, from: string, to: string) => ({
    stage: name,
    start_time: `2026-03-01T${from}:00Z`,
    end_time: `2026-03-01T${to}:00Z`,
  });
  const row = record('sleep', {
    sleep_details: {
      sleep_total_duration_minutes: 50,
      sleep_time_in_bed_minutes: 60,
      sleep_deep_minutes: 10,
      sleep_light_minutes: 30,
      sleep_rem_minutes: 10,
      sleep_awake_minutes: 5,
      sleep_efficiency_score: '83.33',
      is_nap: false,
      sleep_stages: [
        stage('deep', '06:20', '06:30'),
        stage('in_bed', '06:00', '07:00'),
        stage('light', '06:00', '06:20'),
        stage('awake', '06:30', '06:35'),
        stage('sleeping', '06:35', '06:40'),
        stage('unknown', '06:40', '06:45'),
        stage('rem', '06:45', '07:30'),
        stage('levitating', '06:45', '07:30'),
      ],
    },
  });
  const mapped = recordItem(source('garmin'), row, nowMs);
  t.match(only(mapped), {
    data_type: 'sleeps',
    key: String(Date.UTC(2026, 2, 1, 6) / 1000),
    record_id: recordId,
    sleeps: [
      {
        date: '2026-03-01',
        is_nap: false,
        asleep_seconds: 3000,
        deep_seconds: 600,
        light_seconds: 1800,
        rem_seconds: 600,
        awake_seconds: 300,
        unmeasurable_seconds: 600,
        interruptions: 1,
        stage_intervals: [
          ['light', 0, 1200],
          ['deep', 1200, 1800],
          ['awake', 1800, 2100],
          ['unmeasurable', 2100, 2400],
          ['unmeasurable', 2400, 2700],
          ['rem', 2700, 3600],
        ],
        details: { extra: { efficiency: 83.33, time_in_bed_minutes: 60 } },
      },
    ],
  });
  t.same(mapped.changed, [{ what: 'sleep', reason: 'a stage of the hypnogram cannot be read', count: 1 }]);
});

t.test('zeros in all stages stand for a night without stages', async (t) => {
  const sleep_details = {
    sleep_total_duration_minutes: 45,
    sleep_deep_minutes: 0,
    sleep_light_minutes: 0,
    sleep_rem_minutes: 0,
    sleep_awake_minutes: 0,
  };
  const { sleeps } = only(recordItem(garmin, record('sleep', { sleep_details }), nowMs));
  t.match(sleeps, [{ asleep_seconds: 2700, deep_seconds: null, light_seconds: null, awake_seconds: null }]);
});

t.test('a day of the menstrual cycle is kept whole', async (t) => {
  const row = record('menstrual_cycle', {
    type: 'follicular',
    start_datetime: '2026-03-01T00:00:00Z',
    end_datetime: '2026-03-01T00:00:00Z',
    zone_offset: null,
    menstrual_cycle_details: {
      day_in_cycle: 5,
      current_phase_type: 'FOLLICULAR',
      is_predicted_cycle: false,
      last_updated_at: new Date(Date.UTC(2026, 2, 5)),
      pregnancy_snapshot: { title: 'x' },
    },
  });
  const expected = {
    key: '2026-03-05',
    record_id: recordId,
    other: {
      type: 'mct',
      date: '2026-03-05',
      start_ms: Date.UTC(2026, 2, 5),
      data: {
        periodStartDate: '2026-03-01',
        dayInCycle: 5,
        currentPhaseType: 'FOLLICULAR',
        isPredictedCycle: false,
        lastUpdatedTimeInSeconds: Date.UTC(2026, 2, 5) / 1000,
        pregnancySnapshot: { title: 'x' },
      },
    },
  };
  t.match(only(recordItem(garmin, row, nowMs)), { data_type: 'mct', ...expected });
  t.match(only(recordItem(source('apple'), row, nowMs)), { data_type: 'moved', key: `moved ${recordId}` });
});

const leftRecords = [
  [record('workout', { end_datetime: '2026-03-01T05:59:59Z' }), 'workout: ends before it starts'],
  [record('workout', { end_datetime: '2026-03-01T06:00:00Z' }), 'workout: lasts no time'],
  [record('sleep', { end_datetime: null, duration_seconds: 0 }), 'sleep: lasts no time'],
  [record('sleep', { start_datetime: 'x' }), 'sleep: has no valid time'],
  [record('meal'), 'other: no record has this category'],
] as const;

for (const [row, reason] of leftRecords)
  t.test(`a record is left because ${reason}`, async (t) => {
    const mapped = recordItem(garmin, row, nowMs);
    t.same([leftOf(mapped), mapped.items], [[`1 ${reason}`], []]);
  });

t.test('a record without an end ends after its duration', async (t) => {
  const row = record('workout', { end_datetime: null, duration_seconds: 60 });
  const start_ms = Date.UTC(2026, 2, 1, 6);
  t.match(only(recordItem(garmin, row, nowMs)).workout, { start_ms, end_ms: start_ms + 60_000 });
});

t.test('records without a source or a provider are left', async (t) => {
  t.same(leftOf(recordItem(null, record('sleep'), nowMs)), ['1 sleep: its source does not exist']);
  t.same(leftOf(recordItem(source('sensorbio'), record('sleep'), nowMs)), [
    '1 sleep: we have no such provider',
  ]);
  t.same(leftOf(samplesOf([sample('weight', at, '70')], source('sensorbio'))), [
    '1 samples: we have no such provider',
  ]);
});

t.test('scores are those of the provider', async (t) => {
  const row = score('readiness', {
    qualifier: 'GOOD',
    components: { hrv_balance: { value: '80', qualifier: null }, sleep: { qualifier: 'FAIR' } },
  });
  t.match(only(scoreItem(null, row, nowMs)), {
    data_type: 'daily_readiness',
    key: `moved ${recordId}`,
    scores: [
      {
        kind: 'readiness',
        value: 80,
        label: 'GOOD',
        date: '2026-03-01',
        components: { hrv_balance: 80, sleep: 'FAIR' },
      },
    ],
  });
});

const leftScores = [
  [score('luck'), 'other: no score has this category'],
  [
    score('sleep', { provider: 'internal' }),
    'sleep: it was computed by Open Wearables, and is computed anew',
  ],
  [score('sleep', { provider: 'sensorbio' }), 'sleep: we have no such provider'],
  [score('sleep', { value: '101' }), 'sleep: the value is out of the range of its kind'],
  [score('sleep', { value: null }), 'sleep: it has neither a value nor a word'],
] as const;

for (const [row, reason] of leftScores)
  t.test(`a score is left because ${reason}`, async (t) => {
    const mapped = scoreItem(null, row, nowMs);
    t.same([leftOf(mapped), mapped.items], [[`1 ${reason}`], []]);
  });

t.test('computed scores are moved on request, and say so', async (t) => {
  const row = score('sleep', { provider: 'internal' });
  const mapped = scoreItem(garmin, row, nowMs, { internal: true });
  t.equal(mapped.provider, 'devicemaker');
  t.match(only(mapped), { data_type: 'moved', scores: [{ components: { computed_by: 'Open Wearables' } }] });
  t.same(leftOf(scoreItem(null, row, nowMs, { internal: true })), ['1 sleep: we have no such provider']);
});
