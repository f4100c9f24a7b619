import type { RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { type SeriesType, seriesTypes } from '../../../domain/records/series.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';

/** The first local days whose data is kept. Null keeps all. */
export interface KeptDays {
  /** Of the series types that are not in `types`, and of tracks. */
  readonly samples: string | null;
  readonly types: ReadonlyMap<SeriesType, string | null>;
  /** Of events other than workouts and sleep. */
  readonly events: string | null;
}

/** Keeps all data. */
export const keptAll: KeptDays = { samples: null, types: new Map(), events: null };

/** Keeps the samples of all types from a local day. */
export function samplesFrom(firstDay: string | null): KeptDays {
  return { ...keptAll, samples: firstDay };
}

/** The first local day of a series type whose samples are kept. Null keeps all. */
export function firstDayOf({ samples, types }: KeptDays, type: SeriesType): string | null {
  const own = types.get(type);
  return own === undefined ? samples : own;
}

/** The stricter of the days of the installation (0 keeps all) and of the rule of a project. */
export function keptDays(nowMs: number, installationDays: number, rule: RetentionRule | null): KeptDays {
  const installation = keptFrom(nowMs, installationDays);
  const of = (days: number | null | undefined) => stricter(installation, keptFrom(nowMs, days ?? 0));
  if (rule === null) return samplesFrom(installation);
  const { default_days, types } = rule.samples;
  const named = seriesTypes.filter((type) => types[type] !== undefined);
  return {
    samples: of(default_days),
    types: new Map(named.map((type) => [type, of(types[type])])),
    events: keptFrom(nowMs, rule.events_days ?? 0),
  };
}

function stricter(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return a > b ? a : b;
}

/*
 * Data is deleted in whole local days, by the clock of each sample, so that no summary covers half a day: a day expires
 * when its last hour is too old in every time zone.
 */
const furthestClockMs = 18 * hourMs;

/** The first local day whose samples are kept, with 0 days null: all are. */
export function keptFrom(nowMs: number, days: number): string | null {
  return days === 0 ? null : passDay(nowMs - days * dayMs);
}

/** The day of the pass at an instant: the kept days change with it. */
export function passDay(nowMs: number): string {
  return new Date(nowMs - furthestClockMs).toISOString().slice(0, 10);
}
