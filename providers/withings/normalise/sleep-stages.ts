import { z } from 'zod';
import { mostStageSpans, type SampleBlock, type StageSpan } from '../../../domain/records/records.ts';
import { accepts, type SeriesType } from '../../../domain/records/series.ts';
import { byEpoch, epochSeconds, text } from './fields.ts';

/** A time in one stage, with values by seconds since 1970. */
export const Stage = z.object({
  startdate: epochSeconds,
  enddate: epochSeconds,
  state: z.int(),
  model: text(100),
  hr: byEpoch,
  rr: byEpoch,
});

export type Stage = z.output<typeof Stage>;

/** Stages by number. Others, such as stages that were typed in, are not measured. */
const stageNames: Readonly<Record<number, StageSpan[0]>> = { 0: 'awake', 1: 'light', 2: 'deep', 3: 'rem' };

/** The stages of a night as seconds after its start, sorted; null without any. They are cut at the ends of the night. */
export function spansOf(
  stages: readonly Stage[],
  startSeconds: number,
  endSeconds: number,
): StageSpan[] | null {
  const spans = stages
    .map(({ startdate, enddate, state }): StageSpan => {
      const from = Math.max(startdate, startSeconds) - startSeconds;
      return [stageNames[state] ?? 'unmeasurable', from, Math.min(enddate, endSeconds) - startSeconds];
    })
    .filter(([, from, to]) => from < to)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  return spans.length === 0 || spans.length > mostStageSpans ? null : spans;
}

/** The number of times awake between the first and the last stage; null without stages. */
export function interruptionsIn(spans: readonly StageSpan[] | null): number | null {
  if (spans === null) return null;
  return spans.slice(1, -1).filter(([stage]) => stage === 'awake').length;
}

const measured = { hr: 'heart_rate', rr: 'respiratory_rate' } as const satisfies Record<string, SeriesType>;

/** The samples of a night. */
export function samplesOf(
  stages: readonly Stage[],
  origin: { readonly startSeconds: number; readonly device: string; readonly zoneOffset: number | null },
): SampleBlock[] {
  return (['hr', 'rr'] as const).flatMap((field) => {
    const values = new Map(stages.flatMap((stage) => valuesOf(stage[field], measured[field])));
    return blockOf(measured[field], [...values], origin);
  });
}

function valuesOf(map: Stage['hr'], type: SeriesType): [number, number][] {
  return Object.entries(map ?? {}).flatMap(([epoch, value]): [number, number][] =>
    /^\d{1,12}$/.test(epoch) && accepts(type, value) ? [[Number(epoch), value]] : [],
  );
}

function blockOf(
  type: SeriesType,
  values: readonly (readonly [epoch: number, value: number])[],
  { startSeconds, device, zoneOffset }: Parameters<typeof samplesOf>[1],
): SampleBlock[] {
  if (values.length === 0) return [];
  const sorted = values.toSorted(([a], [b]) => a - b);
  return [
    {
      type,
      device,
      zone_offset_minutes: zoneOffset,
      base_ms: startSeconds * 1000,
      at: sorted.map(([epoch]) => (epoch - startSeconds) * 1000),
      values: sorted.map(([, value]) => value),
    },
  ];
}
