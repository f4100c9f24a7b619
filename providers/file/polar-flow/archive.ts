import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { ArchiveContext, ArchiveKind, ElementTable, GroupTable, MemberTable } from '../archives.ts';
import { Clocks } from '../clocks.ts';
import type { ElementReader } from '../elements.ts';
import type { Entry } from '../entry.ts';
import { heartRateReader, readDay, readFitnessTest } from './days.ts';
import { nightReader, readRecovery } from './nights.ts';
import { Sessions } from './sessions.ts';

/** Members that are known and not kept, by the beginnings of their names. */
const unread: Readonly<Record<string, string>> = {
  ppi_samples: 'Times between beats are not kept.',
  nightly_recovery_blob: 'Values without the date of their night are not kept.',
  'calendar-items': 'Weights and notes of the calendar are not kept, because their form is not known.',
  'orthostatic-test-result': 'Orthostatic tests are not kept.',
  'training-target|favourite-targets|programs': 'Plans are not kept.',
  'account-data|account-profile|profile-picture|products-devices|sport-profiles':
    'The account and its settings are not kept.',
};

/** The families of members that are read, by the beginnings of their names. */
const families = {
  scores: 'sleep_score',
  nights: 'sleep_result',
  sessions: 'training-session',
  recoveries: 'nightly_recovery_(?!blob)',
  tests: 'fitness-test-results?',
  days: 'activity-(?=\\d)',
  heartRates: '247ohr',
} as const;

const named = (begin: string, end = 'json') => new RegExp(`(?:^|/)(?:${begin})[^/]*\\.${end}$`);

const marks = [...Object.values(families), 'ppi_samples', 'calendar-items', 'account-data', 'sport-profiles'];

/** The export of an account of Polar Flow: JSON, whose members are known by the beginnings of their names. */
export const polarFlow: ArchiveKind = {
  kind: 'polar_flow',
  recognise(names) {
    const found = marks.filter((mark) => names.some((name) => named(mark).test(name)));
    return found.length > 1 ? '' : null;
  },
  begin: tablesOf,
};

function tablesOf({ nowMs, rules, timeZone }: ArchiveContext): MemberTable[] {
  const scores = new Map<unknown, unknown>();
  const clocks = new Clocks();
  clocks.zone = timeZone;
  const sessions = new Sessions(clocks, { nowMs, rules });
  const readNight = nightReader(scores, clocks);
  const elements = (begin: string, read: ElementReader, list: readonly string[] = []): ElementTable => ({
    form: 'elements',
    pattern: named(begin),
    list,
    read: (element) => read(element, nowMs),
  });
  // Later members need the clocks and the spans of these.
  const documents = (
    begin: string,
    read: (document: unknown, name: string) => readonly Entry[],
  ): GroupTable => ({
    form: 'groups',
    pattern: named(begin),
    collects: true,
    groupOf: (name) => name,
    read: (members) => [...members].flatMap(([name, list]) => list.flatMap((one) => read(one, name))),
  });
  return [
    {
      ...elements(families.scores, (element) => {
        if (isItem(element)) scores.set(element.night, element.sleepScoreResult);
        return [];
      }),
      collects: true,
    },
    documents(families.nights, (night) => readNight(night, nowMs)),
    documents(families.sessions, (session, name) => sessions.read(session, name)),
    elements(families.recoveries, readRecovery),
    elements(families.tests, readFitnessTest),
    elements(families.days, readDay),
    {
      ...elements(families.heartRates, () => [], ['deviceDays']),
      read: heartRateReader(sessions, nowMs),
    },
    ...Object.entries(unread).map(
      ([begin, reason]): MemberTable => ({ form: 'unread', pattern: named(begin, '\\w+'), reason }),
    ),
  ];
}
