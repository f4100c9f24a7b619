import { z } from 'zod';
import type { SeriesType } from '../../../domain/series.ts';
import { head, list, map, type Normaliser, type Problem, readItem } from './item.ts';
import { named } from './named.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { offsetSamples, orElse, type ReadSamples, type SampleOrigin, singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const Snapshot = z.object({ ...head, summaries: list });

/** Names of summaries in lower case, by the series that each becomes. */
const seriesOfSummary: Readonly<Record<string, SeriesType>> = {
  heart_rate: 'heart_rate',
  respiration: 'respiratory_rate',
  stress: 'devicemaker_stress_level',
  spo2: 'oxygen_saturation',
  pulse_ox: 'oxygen_saturation',
  rmssd_hrv: 'heart_rate_variability_rmssd',
  sdrr_hrv: 'heart_rate_variability_sdnn',
};

/** Two minutes of holding still: each summary second by second, or its mean as one sample at the start. */
export const normaliseHealthSnapshot: Normaliser = named(
  { startTimeOffsetInSeconds: ['startTimeOffsetInSeconds', 'offsetStartTimeInSeconds'] },
  (item, nowMs) => {
    const read = readTimed(Snapshot, [], item, nowMs);
    if (!read.ok) return read;
    const { fields, origin } = read;
    const summaries = fields.summaries ?? [];
    return sampleItem(read, {
      dataType: 'healthSnapshot',
      key: String(fields.startTimeInSeconds),
      supersede: 'longest',
      anyOf: ['summaries'],
      samples: summaries.map((summary, index) => readSummary(`summaries[${index}]`, summary, origin)),
    });
  },
);

function readSummary(place: string, summary: unknown, origin: SampleOrigin): ReadSamples {
  const Named = z.object({ summaryType: z.string('must be a text') });
  const name = readItem(Named, ['summaryType'], summary);
  if (!name.ok) return nothing(placed(place, name.problems));
  const plain = name.fields.summaryType.trim().toLowerCase().replaceAll(/[\s-]/g, '_');
  const type = Object.hasOwn(seriesOfSummary, plain) ? seriesOfSummary[plain] : undefined;
  if (type === undefined) return nothing([{ field: `${place}.summaryType`, reason: 'is not known' }]);
  const Summary = z.object({ avgValue: valueIn(type), epochSummaries: map });
  const read = readItem(Summary, [], summary);
  if (!read.ok) return nothing(placed(place, read.problems));
  const { avgValue, epochSummaries } = read.fields;
  const found = orElse(
    offsetSamples(`${place}.epochSummaries`, type, epochSummaries, origin),
    singleSample(type, avgValue, origin),
  );
  return { block: found.block, problems: [...placed(place, read.problems), ...found.problems] };
}

function placed(place: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ field, ...rest }) => ({
    field: field === '' ? place : `${place}.${field}`,
    ...rest,
  }));
}

function nothing(problems: readonly Problem[]): ReadSamples {
  return { block: null, problems };
}
