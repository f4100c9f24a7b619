import { type Finding, found, missing } from './finding.ts';
import { mean } from './statistics.ts';

/** The least minutes of moderate activity a week by the WHO guideline of 2020; a vigorous minute counts twice. */
const weeklyMinutes = 150;
const weekDays = 7;
const leastDays = 4;

/** The activity of a day in minutes. Null without data. */
export interface ActiveDay {
  readonly moderateMinutes: number;
  readonly vigorousMinutes: number;
}

/** The activity of seven days against the guideline. */
export interface WeekOfActivity {
  readonly moderateMinutes: number;
  readonly vigorousMinutes: number;
  /** Moderate minutes plus twice the vigorous ones. */
  readonly equivalentMinutes: number;
  readonly isReached: boolean;
}

/** The minutes of the last seven days. A week with data of fewer than four days has none. */
export function weekOfActivity(days: readonly (ActiveDay | null)[]): Finding<WeekOfActivity> {
  const known = days.slice(-weekDays).filter((one) => one !== null);
  const share = known.length / weekDays;
  if (known.length < leastDays) return missing('too_few_days', share);
  const sum = (minutes: (day: ActiveDay) => number) => known.reduce((all, day) => all + minutes(day), 0);
  const moderateMinutes = sum((day) => day.moderateMinutes);
  const vigorousMinutes = sum((day) => day.vigorousMinutes);
  const equivalentMinutes = moderateMinutes + 2 * vigorousMinutes;
  const isReached = equivalentMinutes >= weeklyMinutes;
  return found({ moderateMinutes, vigorousMinutes, equivalentMinutes, isReached }, share);
}

const peakMinutes = 30;
const leastMinutes = 600;

/**
 * Peak 30-minute cadence (Tudor-Locke 2012): the mean of the 30 highest numbers of steps in a minute of a day, which need not
 * follow each other. A day with fewer than ten hours of known minutes has none. Of the known minutes the highest 30 suffice.
 */
export function peakCadence(
  stepsOfMinutes: readonly number[],
  knownMinutes = stepsOfMinutes.length,
): Finding<number> {
  const share = knownMinutes / leastMinutes;
  if (knownMinutes < leastMinutes) return missing('too_little_coverage', share);
  return found(mean(stepsOfMinutes.toSorted((a, b) => b - a).slice(0, peakMinutes)));
}
