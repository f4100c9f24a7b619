import { phoneDays } from '../phone/days.ts';
import { appleExport } from './apple-export.ts';
import { fitOf, gpxOf, recordedRun, tcxOf } from './recorded-run.ts';

/** The data of a user whose files are written. */
export interface FileUser {
  readonly seed: string;
  /** Midnight of the first day, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
  readonly offsetMinutes: number;
}

/** What the files contain, to compare with what is stored. */
export interface FileLedger {
  /** Steps of each day, as the best device counted them. */
  readonly steps: readonly number[];
  readonly heartRates: number;
  readonly nights: number;
  readonly runs: number;
  /** The points of the run in the files of one activity. */
  readonly runPoints: number;
}

/** The files of a user by name, in each kind, with what is in them. */
export function userFiles({ seed, startMs, days, offsetMinutes }: FileUser): {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly ledger: FileLedger;
} {
  const { data, steps } = phoneDays({ seed, startMs, days });
  const { xml, zip } = appleExport(data, offsetMinutes);
  const [first] = data.workouts;
  const run = recordedRun(seed, Date.parse(first?.startDate ?? ''), Date.parse(first?.endDate ?? ''));
  const heartRates = data.records.filter(({ type }) => type === 'HKQuantityTypeIdentifierHeartRate');
  const lines = heartRates.map(
    ({ startDate, value }) => `heart_rate,${startDate},${String(value)},bpm,Apple Watch`,
  );
  return {
    files: {
      'export.zip': zip,
      'export.xml': xml,
      'run.fit': fitOf(run, offsetMinutes),
      'run.tcx': tcxOf(run),
      'run.gpx': gpxOf(run, 'Evening run'),
      'heart-rate.csv': ['type,timestamp,value,unit,source', ...lines, ''].join('\n'),
    },
    ledger: {
      steps,
      heartRates: heartRates.length,
      nights: days,
      runs: data.workouts.length,
      runPoints: run.points.length,
    },
  };
}
