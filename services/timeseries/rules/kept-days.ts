import type { RetentionRule } from '../../../contracts/timeseries/retention.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';

/** The first local days whose data is kept. Null keeps all. */
export interface KeptDays {
  /** Of samples, intervals and tracks. */
  readonly samples: string | null;
  /** Of events other than workouts and sleep. */
  readonly events: string | null;
}

/** Keeps all data. */
export const keptAll: KeptDays = { samples: null, events: null };

/** The stricter of the days of the installation (0 keeps all) and of the rule of a project. */
export function keptDays(nowMs: number, installationDays: number, rule: RetentionRule | null): KeptDays {
  return {
    samples: stricter(keptFrom(nowMs, installationDays), keptFrom(nowMs, rule?.samples_days ?? 0)),
    events: keptFrom(nowMs, rule?.events_days ?? 0),
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
