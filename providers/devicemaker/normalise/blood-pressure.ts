import { z } from 'zod';
import { parseInstant } from '../../../domain/time/time.ts';
import { bloodPressures } from '../fields/wellness.ts';
import { head, isObject, type Normaliser } from './item.ts';
import { named } from './named.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { madeBy, singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const BloodPressure = z.object({
  ...head,
  systolic: valueIn('blood_pressure_systolic'),
  diastolic: valueIn('blood_pressure_diastolic'),
  pulse: valueIn('heart_rate'),
});

const reading = named(
  {
    startTimeInSeconds: ['measurementTimeInSeconds', 'measurementTimestampGMT', 'startTimeInSeconds'],
    startTimeOffsetInSeconds: ['measurementTimeOffsetInSeconds', 'startTimeOffsetInSeconds'],
  },
  (item, nowMs) => {
    const read = readTimed(BloodPressure, [], item, nowMs);
    if (!read.ok) return read;
    const { fields } = read;
    const origin = madeBy(read.origin, isTypedIn(item) ? 'manual' : null);
    return sampleItem(read, {
      dataType: 'bloodPressures',
      fields: bloodPressures,
      key: String(fields.startTimeInSeconds),
      supersede: 'latest',
      anyOf: ['systolic', 'diastolic', 'pulse'],
      samples: [
        singleSample('blood_pressure_systolic', fields.systolic, origin),
        singleSample('blood_pressure_diastolic', fields.diastolic, origin),
        singleSample('heart_rate', fields.pulse, origin),
      ],
    });
  },
);

function isTypedIn(item: unknown): boolean {
  return isObject(item) && typeof item.sourceType === 'string' && item.sourceType.toUpperCase() === 'MANUAL';
}

/** A cuff reading: systolic, diastolic and pulse at one instant. */
export const normaliseBloodPressure: Normaliser = (item, nowMs) => reading(withSeconds(item), nowMs);

// The field arrives as seconds, as milliseconds or as UTC text. An unreadable value is passed on and rejected by the
// schema.
function withSeconds(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { measurementTimestampGMT: reported } = item;
  const ms =
    typeof reported === 'string' && !/^\d+$/.test(reported)
      ? parseInstant(reported)?.ms
      : millisecondsOf(reported);
  return ms === undefined ? item : { ...item, measurementTimestampGMT: ms / 1000 };
}

function millisecondsOf(reported: unknown): number | undefined {
  return typeof reported === 'number' && reported >= 1e11 ? reported : undefined;
}
