import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import type { ArchiveContext, ArchiveKind, ElementTable, MemberTable } from '../archives.ts';
import type { Entry } from '../entry.ts';
import { Activities } from './activities.ts';
import { readDay } from './days.ts';
import type { DayClock } from './entries.ts';
import { readHydration } from './hydration.ts';
import {
  biometricKey,
  biometricReader,
  bloodPressureReader,
  healthReader,
  isCycling,
  maxMetReader,
  readinessRank,
  readReadiness,
} from './measurements.ts';
import { nightReader } from './nights.ts';
import { dateOf, timeMs } from './times.ts';

const isOfGarmin = /(^|\/)DI_CONNECT\/|[^/]*summarizedActivities\.json$/i;

/** The export of a Garmin account. Its folders were renamed several times, so members are known by the names of their files. */
export const garminAccount: ArchiveKind = {
  kind: 'garmin_account',
  recognise: (names) => (names.some((name) => isOfGarmin.test(name)) ? '' : null),
  begin: (context) => new GarminTables(context).tables(),
};

/** Members that are known and not kept, by the beginnings of the names of their files. */
const unread: readonly (readonly [names: string, reason: string])[] = [
  [
    'MetricsAcuteTrainingLoad|TrainingHistory|MetricsHeatAltitudeAcclimation|EnduranceScore|HillScore|RunRacePredictions',
    'Training loads and predictions are not kept.',
  ],
  ['[^/]*_(heartRateZones|userBioMetricProfileData|fitnessAgeData)', 'Settings and ages are not kept.'],
  ['[^/]*abnormalHrEvents', 'Alerts are not kept.'],
];

/** What a member said of a date, by which entries of one date are compared. */
interface OfDate {
  readonly rank: number;
  readonly entries: readonly Entry[];
}

/** The members of one export, and what has been read of them. What several members decide together is stored when all are read. */
class GarminTables {
  readonly #nowMs: number;
  readonly #activities = new Activities();
  readonly #days = new Map<string, OfDate>();
  readonly #clocks = new Map<string, DayClock>();
  readonly #nights = new Map<string, OfDate>();
  readonly #biometrics = new Map<string, OfDate>();
  readonly #readiness = new Map<string, OfDate>();
  readonly #rests = new Set<string>();
  readonly #maxMets = new Map<string, OfDate>();
  readonly #cyclingVo2 = new Set<string>();
  readonly #drinks: Item[] = [];
  readonly #leftOut: Entry[] = [];

  constructor({ nowMs }: ArchiveContext) {
    this.#nowMs = nowMs;
  }

  /** In the order in which they need each other: days have the clocks of everything that has none. */
  tables(): MemberTable[] {
    const clocks = this.#clocks;
    const readNight = nightReader(clocks);
    const readHealth = healthReader(clocks, (date) => this.#rests.has(date));
    const readBiometrics = biometricReader(clocks);
    const readMaxMet = maxMetReader(clocks);
    const readBloodPressure = bloodPressureReader(clocks);
    return [
      collected(/UDSFile[^/]*\.json$/i, [], (item) => this.#addDay(item)),
      collected(/summarizedActivities[^/]*\.json$/i, ['*', 'summarizedActivitiesExport'], (item) =>
        this.#activities.add(item, this.#nowMs),
      ),
      collected(/sleepData[^/]*\.json$/i, [], (item) =>
        this.#keepBest(this.#nights, dateOf(item.calendarDate), {
          rank: lengthOf(item),
          entries: readNight(item, this.#nowMs),
        }),
      ),
      collected(/MetricsMaxMetData[^/]*\.json$/i, [], (item) => {
        const date = dateOf(item.calendarDate);
        if (date !== null && isCycling(item)) this.#cyclingVo2.add(date);
        this.#keepBest(this.#maxMets, date === null ? null : `${date} ${isCycling(item)}`, {
          rank: timeMs(item.updateTimestamp) ?? 0,
          entries: readMaxMet(item, this.#nowMs),
        });
      }),
      collected(/userBioMetrics\.json$/i, [], (item) =>
        this.#keepBest(this.#biometrics, biometricKey(item), {
          rank: numberOf(item.version) ?? 0,
          entries: readBiometrics(this.#withoutRepeatedVo2(item), this.#nowMs),
        }),
      ),
      collected(/TrainingReadinessDTO[^/]*\.json$/i, [], (item) =>
        this.#keepBest(this.#readiness, dateOf(item.calendarDate), {
          rank: -readinessRank(item),
          entries: readReadiness(item, this.#nowMs),
        }),
      ),
      collected(/HydrationLogFile[^/]*\.json$/i, [], (item) => this.#drinks.push(item)),
      { form: 'joined', read: () => this.#ofDates() },
      elements(/healthStatusData[^/]*\.json$/i, (item) => readHealth(item, this.#nowMs)),
      elements(/BloodPressureFile[^/]*\.json$/i, (item) => readBloodPressure(item, this.#nowMs)),
      {
        form: 'archives',
        pattern: /UploadedFiles[^/]*\.zip$/i,
        members: [
          {
            form: 'recordings',
            collects: true,
            pattern: /\.(fit|tcx|gpx)(\.gz)?$/i,
            complete: (recording) => this.#activities.completed(recording),
            rest: () => [],
          },
        ],
      },
      { form: 'joined', read: () => this.#activities.withoutRecording() },
      ...unread.map(
        ([names, reason]): MemberTable => ({
          form: 'unread',
          pattern: new RegExp(`(^|/)(${names})[^/]*\\.json$`, 'i'),
          reason,
        }),
      ),
    ];
  }

  #addDay(item: Item): void {
    const entries = readDay(item, this.#nowMs);
    const date = dateOf(item.calendarDate);
    this.#keepBest(this.#days, date, { rank: numberOf(item.version) ?? 0, entries });
    const [entry] = this.#days.get(date ?? '')?.entries ?? [];
    if (date === null || entry?.kind !== 'item') return;
    const { day_values: values } = entry.item;
    if (values?.values.resting_heart_rate_bpm === undefined) this.#rests.delete(date);
    else this.#rests.add(date);
    if (values?.zone_offset_minutes != null)
      this.#clocks.set(date, { startMs: values.start_ms, offset: values.zone_offset_minutes });
  }

  // Of two entries of a date with one rank the later one counts.
  #keepBest(map: Map<string, OfDate>, date: string | null, read: OfDate): void {
    const isStored = read.entries.some(({ kind }) => kind !== 'skipped');
    if (date === null || !isStored) this.#leftOut.push(...read.entries);
    else if (read.rank >= (map.get(date)?.rank ?? Number.NEGATIVE_INFINITY)) map.set(date, read);
  }

  #withoutRepeatedVo2(item: Item): Item {
    const { vo2MaxCycling: _, ...others } = item;
    const date = dateOf(isItem(item.metaData) ? item.metaData.calendarDate : null);
    return date !== null && this.#cyclingVo2.has(date) ? others : item;
  }

  #ofDates(): Entry[] {
    const ofDates = [this.#days, this.#nights, this.#biometrics, this.#maxMets, this.#readiness];
    return [
      ...ofDates.flatMap((map) => [...map.values()].flatMap(({ entries }) => entries)),
      ...readHydration(this.#drinks, this.#clocks, this.#nowMs),
      ...this.#leftOut,
    ];
  }
}

/** A table whose elements are stored when all members are read. */
function collected(pattern: RegExp, list: readonly string[], add: (item: Item) => void): ElementTable {
  const read = (element: unknown) => {
    if (isItem(element)) add(element);
    return [];
  };
  return { form: 'elements', collects: true, pattern, list, read };
}

function elements(pattern: RegExp, read: (item: Item) => Entry[]): ElementTable {
  return { form: 'elements', pattern, list: [], read: (element) => (isItem(element) ? read(element) : []) };
}

function lengthOf({ sleepStartTimestampGMT: start, sleepEndTimestampGMT: end }: Item): number {
  return (timeMs(end) ?? 0) - (timeMs(start) ?? 0);
}
