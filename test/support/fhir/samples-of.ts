import { z } from 'zod';
import { isSeriesType } from '../../../domain/records/series.ts';
import { formatInstant } from '../../../domain/time/time.ts';

const Quantity = z.object({ value: z.number(), unit: z.string(), code: z.string() });
const Concept = z.object({ coding: z.array(z.object({ system: z.string(), code: z.string() })) });
const Read = z.looseObject({
  code: Concept,
  device: z.object({ reference: z.string() }),
  effectiveDateTime: z.string().optional(),
  effectivePeriod: z.object({ start: z.string(), end: z.string() }).optional(),
  valueQuantity: Quantity.optional(),
  valueSampledData: z
    .object({ origin: z.object({ value: z.number() }), period: z.number(), data: z.string() })
    .optional(),
  component: z.array(z.looseObject({ code: Concept, valueQuantity: Quantity.optional() })).optional(),
});

/** A sample as a client finds it in an Observation: type, instant, value. */
export type ReadSample = readonly [type: string, timestamp: string, value: number];

/** The samples of the Observations that a client has read. Records are none. */
export function samplesOf(observations: readonly object[]): ReadSample[] {
  return observations.map((one) => Read.parse(one)).flatMap(samplesIn);
}

function samplesIn(read: z.infer<typeof Read>): ReadSample[] {
  const start = Date.parse(read.effectiveDateTime ?? read.effectivePeriod?.start ?? '');
  const of = (concept: z.infer<typeof Concept>, value: number | undefined): ReadSample[] => {
    const name = concept.coding.find(({ system }) => system === 'urn:pulsebus:observation')?.code ?? '';
    return value === undefined || !isSeriesType(name) ? [] : [[name, formatInstant(start), value]];
  };
  const name = read.code.coding.at(-1)?.code ?? '';
  if (read.valueSampledData !== undefined) return slotsOf(name, start, read.valueSampledData);
  const parts = (read.component ?? []).flatMap(({ code, valueQuantity }) => of(code, valueQuantity?.value));
  return [...of(read.code, read.valueQuantity?.value), ...parts];
}

interface Sampled {
  readonly origin: { readonly value: number };
  readonly period: number;
  readonly data: string;
}

function slotsOf(name: string, start: number, { origin, period, data }: Sampled): ReadSample[] {
  return data
    .split(' ')
    .flatMap((text, slot): ReadSample[] =>
      text === 'E' ? [] : [[name, formatInstant(start + slot * period), origin.value + Number(text)]],
    );
}
