import { z } from 'zod';
import { pulseOx, respiration } from '../fields/wellness.ts';
import { flag, head, map, type Normaliser } from './item.ts';
import { named } from './named.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { madeBy, offsetSamples, orElse, singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

/**
 * Types with one or two maps from seconds after the start to values, which grow with each delivery. If a sender omits
 * the map and sends only a mean, the mean becomes one sample at the start.
 */

const Respiration = z.object({
  ...head,
  timeOffsetEpochToBreaths: map,
  avgWakingRespirationValue: valueIn('respiratory_rate'),
});

/** Breaths per minute. */
export const normaliseRespiration: Normaliser = named(
  { timeOffsetEpochToBreaths: ['timeOffsetEpochToBreaths', 'timeOffsetRespirationRateValues'] },
  (item, nowMs) => {
    const read = readTimed(Respiration, [], item, nowMs);
    if (!read.ok) return read;
    const { fields, origin } = read;
    const { timeOffsetEpochToBreaths: breaths, avgWakingRespirationValue: mean } = fields;
    return sampleItem(read, {
      dataType: 'respiration',
      fields: respiration,
      key: String(fields.startTimeInSeconds),
      supersede: 'longest',
      anyOf: ['timeOffsetEpochToBreaths', 'avgWakingRespirationValue'],
      samples: [
        orElse(
          offsetSamples('timeOffsetEpochToBreaths', 'respiratory_rate', breaths, origin),
          singleSample('respiratory_rate', mean, origin),
        ),
      ],
    });
  },
);

const PulseOx = z.object({
  ...head,
  timeOffsetSpo2Values: map,
  avgSpo2: valueIn('oxygen_saturation'),
  onDemand: flag,
});

/** Oxygen saturation. A measurement on demand may begin in the same second as that of a night. */
export const normalisePulseOx: Normaliser = (item, nowMs) => {
  const read = readTimed(PulseOx, [], item, nowMs);
  if (!read.ok) return read;
  const { fields } = read;
  const start = String(fields.startTimeInSeconds);
  const origin = madeBy(read.origin, fields.onDemand === true ? 'on_demand' : null);
  return sampleItem(read, {
    dataType: 'pulseOx',
    fields: pulseOx,
    key: fields.onDemand === true ? `${start}/on-demand` : start,
    supersede: 'longest',
    anyOf: ['timeOffsetSpo2Values', 'avgSpo2'],
    samples: [
      orElse(
        offsetSamples('timeOffsetSpo2Values', 'oxygen_saturation', fields.timeOffsetSpo2Values, origin),
        singleSample('oxygen_saturation', fields.avgSpo2, origin),
      ),
    ],
  });
};
