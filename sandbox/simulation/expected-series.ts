import { accepts, type SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { emptySecondSet, type Seconds } from './second-set.ts';

/** Receives the samples of items. */
export interface SampleSink {
  /** Adds a value, unless it is a placeholder or outside of its type's range, because those are not stored. */
  add(type: SeriesType, device: string, second: number, value: number | null | undefined): void;
}

/** The expected samples: for each type and device the seconds that have one. Repeated samples count once. */
export interface ExpectedSeries extends SampleSink {
  list(): SeriesLine[];
}

/** A series of one account. */
interface SeriesLine {
  readonly type: SeriesType;
  readonly device: string;
  readonly samples: number;
  readonly first: string | null;
  readonly last: string | null;
}

/** Types of which 0 is a placeholder, although their range begins at 0. */
const neverZero: ReadonlySet<SeriesType> = new Set([
  'heart_rate_variability_rmssd',
  'heart_rate_variability_sdnn',
]);

function isKept(type: SeriesType, value: number | null | undefined): value is number {
  return accepts(type, value) && (value > 0 || !neverZero.has(type));
}

/** A series with its values. A row contains a second, its value, and different values that other items contain. */
export interface ValuedSeries {
  readonly type: SeriesType;
  readonly device: string;
  readonly samples: readonly (readonly number[])[];
}

/** Collects samples with their values, of one type or (null) of all. */
export function emptyValues(only: SeriesType | null): SampleSink & { list(): ValuedSeries[] } {
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

/** Collects the seconds of samples. */
export function emptySeries(): ExpectedSeries {
  const all = new Map<string, { type: SeriesType; device: string; seconds: Seconds }>();
  return {
    add(type, device, second, value) {
      if (!isKept(type, value)) return;
      const key = `${type}\n${device}`;
      const known = all.get(key) ?? { type, device, seconds: emptySecondSet() };
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
