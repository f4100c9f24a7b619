import { z } from 'zod';
import { withoutNoise } from '../../../domain/json/decimals.ts';
import { bodyComps } from '../fields/wellness.ts';
import { head, type Normaliser } from './item.ts';
import { named } from './named.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const gramsPerKilogram = 1000;

const BodyComp = z.object({
  ...head,
  weightInGrams: valueIn('weight', gramsPerKilogram),
  muscleMassInGrams: valueIn('skeletal_muscle_mass', gramsPerKilogram),
  boneMassInGrams: valueIn('bone_mass', gramsPerKilogram),
  bodyWaterInPercent: valueIn('body_water_percentage'),
  bodyFatInPercent: valueIn('body_fat_percentage'),
  bodyMassIndex: valueIn('body_mass_index'),
});

const measured = [
  ...['weightInGrams', 'muscleMassInGrams', 'boneMassInGrams', 'bodyWaterInPercent', 'bodyFatInPercent'],
  'bodyMassIndex',
];

/** A measurement of a scale. Fat mass and lean mass are computed if weight and fat percentage are both present. */
export const normaliseBodyComp: Normaliser = named(
  {
    startTimeInSeconds: ['measurementTimeInSeconds', 'startTimeInSeconds'],
    startTimeOffsetInSeconds: ['measurementTimeOffsetInSeconds', 'startTimeOffsetInSeconds'],
  },
  (item, nowMs) => {
    const read = readTimed(BodyComp, [], item, nowMs);
    if (!read.ok) return read;
    const { fields, origin } = read;
    const { bodyFatInPercent: fat } = fields;
    const weight = kilograms(fields.weightInGrams);
    const fatMass = weight === null || fat === null ? null : withoutNoise((weight * fat) / 100);
    const leanMass = weight === null || fatMass === null ? null : withoutNoise(weight - fatMass);
    return sampleItem(read, {
      dataType: 'bodyComps',
      fields: bodyComps,
      key: String(fields.startTimeInSeconds),
      supersede: 'latest',
      anyOf: measured,
      samples: [
        singleSample('weight', weight, origin),
        singleSample('skeletal_muscle_mass', kilograms(fields.muscleMassInGrams), origin),
        singleSample('bone_mass', kilograms(fields.boneMassInGrams), origin),
        singleSample('body_water_percentage', fields.bodyWaterInPercent, origin),
        singleSample('body_fat_percentage', fat, origin),
        singleSample('body_mass_index', fields.bodyMassIndex, origin),
        singleSample('body_fat_mass', fatMass, origin),
        singleSample('lean_body_mass', leanMass, origin),
      ],
    });
  },
);

function kilograms(grams: number | null): number | null {
  return grams === null ? null : grams / gramsPerKilogram;
}
