import { seriesCatalogue } from '../../../domain/records/series.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { phone, steps, watch } from '../../services/timeseries/interval-items.ts';
import { activity, at, block, day, item, night, sleep, workout } from '../../services/timeseries/items.ts';
import type { TestApi } from '../api.ts';

/** The local days of the data. */
export const range = 'start_time=2026-02-01&end_time=2026-04-01';

/** A day of heart rates each minute, with a gap, on a clock of UTC+2. */
export const minuteRates = Array.from({ length: 1440 }, (_, minute): [number, number] => [
  at('22:00:00', '2026-02-28') + minute * minuteMs,
  60 + (minute % 40),
]).filter((_, minute) => minute < 300 || minute >= 360);

/** Stores data of every kind for a user: each series type, dense and sparse samples, intervals, a panel, records. */
export async function storeOfEveryKind(api: TestApi, user_id: string): Promise<void> {
  const store = (items: ReturnType<typeof item>[], provider: 'devicemaker' | 'oura' = 'devicemaker') =>
    api.call('timeseries.store', { user_id, provider, items });
  const sparse = seriesCatalogue.map(({ type, min, max }, index) =>
    block(type, [[at('09:00:00', '2026-02-20') + index * 1000, sensible(min, max)]]),
  );
  await store([item({ key: 'every type', samples: sparse })]);
  await store([
    item({ key: 'rates', samples: [block('heart_rate', minuteRates, { zone_offset_minutes: 120 })] }),
    item({
      key: 'irregular',
      samples: [
        block(
          'oxygen_saturation',
          Array.from({ length: 30 }, (_, index): [number, number] => [
            at('01:00:00') + index * index * 7777,
            95.5 + (index % 4),
          ]),
        ),
      ],
    }),
    item({
      key: 'pressures',
      samples: [
        block('blood_pressure_systolic', [
          [at('08:00:00'), 121],
          [at('20:00:00'), 130],
        ]),
        block('blood_pressure_diastolic', [[at('08:00:00'), 80]]),
      ],
    }),
    item({
      key: 'typed in',
      samples: [block('weight', [[at('07:00:00'), 71.35]], { device: 'Scale\u001fmanual' })],
    }),
    night([
      sleep(at('22:00:00', '2026-02-28'), 480, {
        ...{ deep_seconds: 5400, light_seconds: 14_400, rem_seconds: 7200, awake_seconds: 1800 },
      }),
    ]),
    activity(
      workout(at('10:00:00'), 47, {
        ...{ calories_kcal: 512.5, distance_meters: 8123, avg_heart_rate_bpm: 151, max_heart_rate_bpm: 178 },
        ...{ elevation_gain_meters: 61.5, steps: 7800, duration_seconds: 2825 },
      }),
    ),
    item({
      key: 'day',
      day: day('2026-03-01', {
        ...{ steps: 12_345, distance_meters: 9876.5, floors_climbed: 7, active_seconds: 5401, pushes: 3 },
        ...{
          moderate_seconds: 1800,
          vigorous_seconds: 900,
          active_calories_kcal: 640,
          basal_calories_kcal: 1700,
        },
        ...{
          avg_heart_rate_bpm: 66,
          min_heart_rate_bpm: 44,
          max_heart_rate_bpm: 178,
          consumed_calories_kcal: 2100,
        },
      }),
    }),
  ]);
  await store(
    [
      item({
        key: 'ring',
        samples: [block('resting_heart_rate', [[at('06:00:00'), 51]], { device: 'Ring 4' })],
      }),
    ],
    'oura',
  );
  const walk = Array.from({ length: 24 }, (_, index) =>
    steps(at('11:00:00') + index * 5 * minuteMs, 5, 100 + index),
  );
  const errands = [steps(at('15:00:00'), 7, 230, { source: 1 }), steps(at('15:20:00'), 3, 99, { source: 1 })];
  await api.call('timeseries.storeIntervals', {
    ...{ user_id, provider: 'phone', sources: [watch, phone], intervals: [...walk, ...errands] },
  });
}

const sensible = (min: number, max: number) => Math.round((min + (max - min) * 0.4) * 100) / 100;
