import {
  assumed,
  computed,
  decides,
  type FieldTable,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import type { DeviceType } from '../../domain/records/interval-records.ts';
import { dayMs, hourMs } from '../../domain/time/time.ts';
import { rowDevice, textOf, unknownDevice, wholeWithin } from './rows.ts';

/** An entry of the map of an answer, with its key as `epoch`. One without a duration is of a single instant, such as a heart rate. */
const fields: FieldTable = {
  epoch: kept('s', 'start_time'),
  steps: kept('count', 'series.steps'),
  distance: kept('m', 'series.distance_walking_running'),
  calories: kept('kcal', 'series.energy'),
  duration: computed(
    (duration, { epoch }) => {
      const seconds = wholeWithin(duration, 1, dayMs / 1000);
      return seconds === null ? null : (Number(epoch) + seconds) * 1000;
    },
    's',
    'end_time',
  ),
  heart_rate: kept('bpm', 'series.heart_rate'),
  ...rowDevice,
  ...assumed({
    deviceid: decides(null, 'source'),
    elevation: kept('floors', 'series.flights_climbed'),
    stroke: kept('count', 'series.swimming_stroke_count'),
    pool_lap: notKept('the workout has its laps', 'count'),
  }),
};

const kinds: readonly (readonly [pattern: RegExp, type: DeviceType])[] = [
  [/phone|ios|android|healthkit|google fit|samsung health|huawei/i, 'phone'],
  [/watch|activit|steel|move|pulse hr/i, 'watch'],
  [/pulse|\bgo\b/i, 'band'],
  [/body|scale|wbs|ws-?30/i, 'scale'],
];

/** Activity within a day: sums with a start and an end, and heart rates. */
export const intraday: RecordType = {
  fields,
  device: unknownDevice,
  // Heart rates of an hour and device are one item, so that the same answer again is recognised as stored.
  sampleItem: {
    key: ({ startMs, device }) => `${(Math.floor(startMs / hourMs) * hourMs) / 1000} ${device}`,
    seconds: hourMs / 1000,
  },
  intervals: {
    source: ({ device, item: { deviceid } }) => ({
      device_type: kinds.find(([pattern]) => pattern.test(device))?.[1] ?? 'unknown',
      device,
      device_id: textOf(deviceid),
      app: null,
    }),
    id: (type, startMs, { item: { deviceid } }) => `${type} ${startMs / 1000} ${textOf(deviceid) ?? ''}`,
  },
};
