import type {
  ConnectionFreshness,
  DataGap,
  FreshDataType,
  FreshnessState,
  IncidentReason,
} from '../../clients/typescript/src/index.ts';

/** The states of a kind of data, in the order of the choice. */
export const freshnessStates: readonly FreshnessState[] = ['stale', 'late', 'silent', 'paused', 'fresh'];

/** What each state means. */
export const stateMeanings: Readonly<Record<FreshnessState, string>> = {
  fresh: 'Data is fresh when it arrived within the expected time, or none is expected.',
  late: 'Data is late when none arrived within the expected time. It is then read again automatically.',
  stale:
    'Data is stale when none arrived for twice the expected time and reads found none, or when the provider refused the access.',
  silent: 'Data is silent when none of its kind ever arrived.',
  paused: 'Data is paused when the user does not share it, or does not wear the device.',
};

/** The kinds of data, as people name them. */
export const kindNames: Readonly<Record<FreshDataType, string>> = {
  activities: 'workouts',
  daily_activity: 'daily activity',
  heart_rate: 'heart rate',
  sleep: 'sleep',
  stress: 'stress and recovery',
  body: 'weight and body composition',
  blood_pressure: 'blood pressure',
  glucose: 'blood glucose and insulin',
  nutrition: 'nutrition',
  mindfulness: 'mindful sessions',
  cycle: 'menstrual cycle',
};

/** Why an incident of a provider began. */
export const incidentReasons: Readonly<Record<IncidentReason, string>> = {
  late: 'data of far more connections than usual is late',
  failing: 'more than half of the requests to the provider fail',
};

/** A connection in a sentence, by its worst state. */
export const connectionSentences: Readonly<Record<FreshnessState, string>> = {
  fresh: 'Data arrives as expected.',
  paused: 'The user shares no data, or does not wear the device.',
  silent: 'No data has arrived yet.',
  late: 'Data did not arrive within the expected time.',
  stale: 'Data is missing.',
};

const stateNames = [
  ['stale', 'Stale'],
  ['late', 'Late'],
  ['silent', 'Never arrived'],
  ['paused', 'Paused'],
] as const;

/** The kinds of data that are not fresh, by state: `Stale: sleep. Late: heart rate, workouts.` */
export function kindsByState({ data_types }: Pick<ConnectionFreshness, 'data_types'>): string {
  const named = stateNames.flatMap(([state, name]) => {
    const kinds = data_types.filter((one) => one.state === state).map((one) => kindNames[one.data_type]);
    return kinds.length === 0 ? [] : [`${name}: ${kinds.join(', ')}.`];
  });
  return named.join(' ');
}

/** The days of a gap, with its kind of data: `sleep: 2026-01-03 to 2026-01-05`. */
export function gapText({ data_type, first_date, last_date }: DataGap): string {
  const days = first_date === last_date ? first_date : `${first_date} to ${last_date}`;
  return `${kindNames[data_type]}: ${days}`;
}

/** How the user is brought to do what only the user can do. */
export const actionTexts: Readonly<Record<NonNullable<ConnectionFreshness['action']>, string>> = {
  reconnect: 'Send the user a link to the connect page, which says that the access has ended.',
  open_app: 'Nothing was uploaded. The user has to open the app, which then sends its data.',
};
