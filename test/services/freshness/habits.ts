import type { FreshKind } from '../../../domain/freshness/shared-kinds.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** When a kind of data is recorded on a day, in local hours. */
type Habit = Partial<Readonly<Record<FreshKind, readonly number[]>>>;

/** What the users of each provider record. */
export const habits: Partial<Readonly<Record<ProviderName, Habit>>> = {
  oura: { sleep: [7.5], heart_rate: [7.5, 20], daily_activity: [7.5, 13, 20] },
  whoop: { sleep: [7], heart_rate: [7, 12, 19] },
  polar: { sleep: [8], daily_activity: [8, 21] },
  suunto: { sleep: [7], daily_activity: [7, 22] },
  withings: { sleep: [7], daily_activity: [9, 21], heart_rate: [9, 21] },
  googlehealth: { sleep: [7], daily_activity: [8, 12, 16, 21], heart_rate: [8, 12, 16, 21] },
  devicemaker: {
    ...{ sleep: [7], daily_activity: [7, 10, 13, 16, 19, 22], heart_rate: [7, 10, 13, 16, 19, 22] },
    stress: [7, 13, 22],
  },
  phone: { daily_activity: [8, 13, 19] },
};
/** The series of a kind of data. Sleep has records. */
export const seriesOf: Partial<Readonly<Record<FreshKind, string>>> = {
  heart_rate: 'heart_rate',
  daily_activity: 'steps',
  stress: 'devicemaker_stress_level',
};

/** The kinds of the habits. */
export const kindNames = ['sleep', 'heart_rate', 'daily_activity', 'stress'] as const;

/** The kind with a name. */
export function kindNamed(name: string): FreshKind {
  const kind = kindNames.find((one) => one === name);
  if (kind === undefined) throw new Error(`${name} is no habit`);
  return kind;
}
