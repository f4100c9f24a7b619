import { fitbitArchive } from './fitbit-archive.ts';
import { autoExport } from './health-auto-export.ts';
import { samsungExport, samsungZip } from './samsung-health.ts';
import { stravaArchive } from './strava-archive.ts';
import { zeppExport } from './zepp.ts';
import { zipOf } from './zip.ts';

/** The user whose archives are written. */
export interface ArchiveUser {
  readonly seed: string;
  /** Midnight of the first day, in UTC milliseconds. */
  readonly startMs: number;
  readonly days: number;
}

/** An archive, and the numbers that its import must give. */
export interface WrittenArchive {
  readonly file: string;
  readonly bytes: Buffer;
  readonly numbers: Readonly<Record<string, number>>;
}

/** Writes the archive of a user. */
export type WriteArchive = (user: ArchiveUser) => WrittenArchive;

/** Archives of makers that the sandbox does not play, by the names of `npm run sandbox-files`, with their oddities. */
export const sandboxArchives: Readonly<Record<string, WriteArchive>> = {
  'strava-archive': ({ seed, startMs, days }) => {
    const { zip, ledger } = stravaArchive({ seed, startMs, activities: days, language: 'en' });
    const { ids, distanceMeters, movingSeconds, tracks, damaged } = ledger;
    const numbers = { workouts: ids.length, distanceMeters, movingSeconds, tracks, damaged };
    return { file: 'export_1.zip', bytes: zip, numbers };
  },
  'samsung-health': ({ seed, startMs, days }) => {
    const export_ = samsungExport({ seed, startMs, days, offsetMinutes: 0 });
    const { ledger } = export_;
    const numbers = {
      steps: ledger.steps.reduce((sum, steps) => sum + steps, 0),
      heartRates: ledger.heartRateInstants,
      nights: ledger.nights,
      asleepSeconds: ledger.asleepSeconds.reduce((sum, seconds) => sum + seconds, 0),
      workouts: ledger.runs + ledger.others,
    };
    return { file: 'samsunghealth_user.zip', bytes: samsungZip(export_), numbers };
  },
  'fitbit-archive': (user) => {
    const { members, ledger } = fitbitArchive({ ...user, zone: 'Europe/Berlin' });
    const { nights, weights, restingRates, ...numbers } = ledger;
    const bytes = zipOf(Object.entries(members).map(([name, text]) => ({ name, bytes: Buffer.from(text) })));
    const counts = { nights: nights.length, weights: weights.length, restingRates: restingRates.length };
    return { file: 'takeout-001.zip', bytes, numbers: { ...numbers, ...counts } };
  },
  'health-auto-export': (user) => {
    const { json, ledger } = autoExport({ ...user, offsetMinutes: 0, grouping: 'hours' });
    const { steps, nights, runs, kilograms, heartRates } = ledger;
    const counts = { nights: nights.length, workouts: runs.length, weights: kilograms.length };
    return {
      file: 'HealthAutoExport.zip',
      bytes: zipOf([{ name: 'HealthAutoExport.json', bytes: Buffer.from(json) }]),
      numbers: { steps: steps.reduce((sum, count) => sum + count, 0), heartRates, ...counts },
    };
  },
  zepp: (user) => {
    const { files, ledger } = zeppExport({ ...user, offsetMinutes: 0 });
    const { steps, nights, kilograms, ...numbers } = ledger;
    const counts = { nights: nights.length, weights: kilograms.length };
    const all = { steps: steps.reduce((sum, count) => sum + count, 0), ...numbers, ...counts };
    return { file: 'zepp.zip', bytes: zipOf(files), numbers: all };
  },
};
