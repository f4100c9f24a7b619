import type { SeriesType } from '../../../domain/records/series.ts';
import { mapOf, numberIn, Unusable } from './checks.ts';
import { isObject, type Problem } from './item.ts';
import { seriesRange } from './ranges.ts';
import type { ReadItem } from './read-item.ts';
import type { Reading } from './read-table.ts';

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

/** A snapshot with its summaries: each second by second, or its mean as one sample at the start. */
export function withSummaries(read: ReadItem): ReadItem {
  const { summaries = null } = read.item;
  if (summaries !== null && !Array.isArray(summaries))
    return { ...read, problems: [...read.problems, { field: 'summaries', reason: 'must be a list' }] };
  const made = (summaries ?? []).map((summary: unknown, index: number) =>
    readSummary(`summaries[${index}]`, summary),
  );
  return {
    ...read,
    readings: made.flatMap(({ readings }) => readings),
    problems: [...read.problems, ...made.flatMap(({ problems }) => problems)],
  };
}

function readSummary(path: string, summary: unknown): Pick<ReadItem, 'readings' | 'problems'> {
  const [readings, problems]: [Reading[], Problem[]] = [[], []];
  const refuse = (field: string, reason: string) => ({ readings, problems: [{ field, reason }] });
  if (!isObject(summary)) return refuse(path, 'must be an object');
  const { summaryType: name } = summary;
  if (typeof name !== 'string')
    return refuse(`${path}.summaryType`, name === undefined ? 'is required' : 'must be a text');
  const plain = name.trim().toLowerCase().replaceAll(/[\s-]/g, '_');
  const type = Object.hasOwn(seriesOfSummary, plain) ? seriesOfSummary[plain] : undefined;
  if (type === undefined) return refuse(`${path}.summaryType`, 'is not known');
  const checks = { epochSummaries: mapOf, avgValue: numberIn(seriesRange(type, 1)) };
  for (const [part, check] of Object.entries(checks)) {
    const [field, sent] = [`${path}.${part}`, summary[part] ?? null];
    const value = sent === null ? null : check(sent);
    if (value instanceof Unusable) problems.push(value.problemOf(field));
    else if (value !== null) readings.push({ type, field, value });
  }
  return { readings, problems };
}
