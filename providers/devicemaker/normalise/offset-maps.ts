import { z } from 'zod';
import { pulseOx } from '../fields/wellness.ts';
import { flag, head, map, type Normaliser } from './item.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { madeBy, offsetSamples, orElse, singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

/**
 * Types with one or two maps from seconds after the start to values, which grow with each delivery. If a sender omits
 * the map and sends only a mean, the mean becomes one sample at the start.
 */

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
