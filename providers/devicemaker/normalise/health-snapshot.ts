import { z } from 'zod';
import type { SeriesType } from '../../../domain/records/series.ts';
import { healthSnapshot } from '../fields/wellness.ts';
import { head, list, map, type Normaliser, type Problem, readItem } from './item.ts';
import { named } from './named.ts';
import { sampleItem, valueIn } from './sample-item.ts';
import { offsetSamples, orElse, type ReadSamples, type SampleOrigin, singleSample } from './samples.ts';
import { readTimed } from './timed-item.ts';

const Snapshot = z.object({ ...head, summaries: list });

/** Maps summary names in lower case to series. */
const seriesOfSummary: Readonly<Record<string, SeriesType>> = {
  heart_rate: 'heart_rate',
  respiration: 'respiratory_rate',
  stress: 'devicemaker_stress_level',
  spo2: 'oxygen_saturation',
  pulse_ox: 'oxygen_saturation',
  rmssd_hrv: 'heart_rate_variability_rmssd',
  sdrr_hrv: 'heart_rate_variability_sdnn',
};

/** A measurement of two minutes at rest: each summary second by second, or its mean as one sample at the start. */
export const normaliseHealthSnapshot: Normaliser = named(
  { startTimeOffsetInSeconds: ['startTimeOffsetInSeconds', 'offsetStartTimeInSeconds'] },
  (item, nowMs) => {
    const read = readTimed(Snapshot, [], item, nowMs);
    if (!read.ok) return read;
    const { fields, origin } = read;
    const summaries = fields.summaries ?? [];
    return sampleItem(read, {
      dataType: 'healthSnapshot',
      fields: healthSnapshot,
      key: String(fields.startTimeInSeconds),
      supersede: 'longest',
      anyOf: ['summaries'],
      samples: summaries.map((summary, index) => readSummary(`summaries[${index}]`, summary, origin)),
    });
  },
);

function readSummary(path: string, summary: unknown, origin: SampleOrigin): ReadSamples {
  const Named = z.object({ summaryType: z.string('must be a text') });
  const name = readItem(Named, ['summaryType'], summary);
  if (!name.ok) return nothing(withPath(path, name.problems));
  const plain = name.fields.summaryType.trim().toLowerCase().replaceAll(/[\s-]/g, '_');
  const type = Object.hasOwn(seriesOfSummary, plain) ? seriesOfSummary[plain] : undefined;
  if (type === undefined) return nothing([{ field: `${path}.summaryType`, reason: 'is not known' }]);
  const Summary = z.object({ avgValue: valueIn(type), epochSummaries: map });
  const read = readItem(Summary, [], summary);
  if (!read.ok) return nothing(withPath(path, read.problems));
  const { avgValue, epochSummaries } = read.fields;
  const found = orElse(
    offsetSamples(`${path}.epochSummaries`, type, epochSummaries, origin),
    singleSample(type, avgValue, origin),
  );
  return { block: found.block, problems: [...withPath(path, read.problems), ...found.problems] };
}

function withPath(path: string, problems: readonly Problem[]): Problem[] {
  return problems.map(({ field, ...rest }) => ({
    field: field === '' ? path : `${path}.${field}`,
    ...rest,
  }));
}

function nothing(problems: readonly Problem[]): ReadSamples {
  return { block: null, problems };
}
