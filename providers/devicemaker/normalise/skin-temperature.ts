import { z } from 'zod';
import { skinTemp } from '../fields/wellness.ts';
import { head, type Normaliser } from './item.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const SkinTemperature = z.object({
  ...head,
  avgDeviationCelsius: valueIn('devicemaker_skin_temperature'),
  skinTemperature: valueIn('skin_temperature'),
});

/**
 * The deviation of a night from the user's usual skin temperature. An absolute temperature is stored too if present.
 */
export const normaliseSkinTemperature: Normaliser = (item, nowMs) => {
  const read = readTimed(SkinTemperature, [], item, nowMs);
  if (!read.ok) return read;
  const { fields, origin } = read;
  return sampleItem(read, {
    dataType: 'skinTemp',
    fields: skinTemp,
    key: String(fields.startTimeInSeconds),
    supersede: 'longest',
    anyOf: ['avgDeviationCelsius', 'skinTemperature'],
    samples: [
      singleSample('devicemaker_skin_temperature', fields.avgDeviationCelsius, origin),
      singleSample('skin_temperature', fields.skinTemperature, origin),
    ],
  });
};
