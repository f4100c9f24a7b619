import { accepts, type SeriesType } from '../../domain/series.ts';
import { isoTime } from '../../domain/time.ts';
import { noSeconds, type Seconds } from './seconds.ts';

/** What takes the samples of items. */
export interface SampleSink {
  /** Takes a value, unless it is a placeholder or out of its type's range: those are not stored. */
  add(type: SeriesType, device: string, second: number, value: number | null | undefined): void;
}

/** Samples as they should end up: per type and device those seconds that have one, however often they were sent. */
export interface SeriesTruth extends SampleSink {
  list(): SeriesLine[];
}

/** A series of one account. */
export interface SeriesLine {
  readonly type: SeriesType;
  readonly device: string;
  readonly samples: number;
  readonly first: string | null;
  readonly last: string | null;
}

/** 0 or less is a device's way to say that there is none, in types that begin at 0 as well. */
const neverZero: ReadonlySet<SeriesType> = new Set([
  'heart_rate_variability_rmssd',
  'heart_rate_variability_sdnn',
]);

function isKept(type: SeriesType, value: number | null | undefined): value is number {
  return accepts(type, value) && (value > 0 || !neverZero.has(type));
}

/** A series with its values: a second, its value, and others that items of other types reported. */
export interface ValuedSeries {
  readonly type: SeriesType;
  readonly device: string;
  readonly samples: readonly (readonly number[])[];
}

/** Samples with their values; only those of a type, where one is given. */
export function noValues(only: SeriesType | null): SampleSink & { list(): ValuedSeries[] } {
  const all = new Map<string, { type: SeriesType; device: string; values: Map<number, number[]> }>();
  return {
    add(type, device, second, value) {
      if ((only !== null && type !== only) || !isKept(type, value)) return;
      const key = `${type}\n${device}`;
      const known = all.get(key) ?? { type, device, values: new Map<number, number[]>() };
      all.set(key, known);
      const values = known.values.get(second);
      if (values === undefined) known.values.set(second, [value]);
      else if (!values.includes(value)) values.push(value);
    },
    list: () =>
      [...all.values()].map(({ type, device, values }) => ({
        type,
        device,
        samples: [...values].sort(([a], [b]) => a - b).map(([second, own]) => [second, ...own]),
      })),
  };
}

/** Series without any sample. */
export function noSeries(): SeriesTruth {
  const all = new Map<string, { type: SeriesType; device: string; seconds: Seconds }>();
  return {
    add(type, device, second, value) {
      if (!isKept(type, value)) return;
      const key = `${type}\n${device}`;
      const known = all.get(key) ?? { type, device, seconds: noSeconds() };
      all.set(key, known);
      known.seconds.add(second);
    },
    list: () =>
      [...all.values()]
        .map(({ type, device, seconds }) => ({
          type,
          device,
          samples: seconds.size,
          first: isoOfSecond(seconds.first),
          last: isoOfSecond(seconds.last),
        }))
        .toSorted((a, b) => (`${a.type} ${a.device}` < `${b.type} ${b.device}` ? -1 : 1)),
  };
}

function isoOfSecond(second: number | null): string | null {
  return second === null ? null : isoTime(second * 1000);
}
