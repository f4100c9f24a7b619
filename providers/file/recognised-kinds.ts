import type { ArchiveKind } from './archives.ts';
import type { DocumentKind } from './documents.ts';
import { fitbit } from './fitbit/fitbit.ts';
import { garminAccount } from './garmin/archive.ts';
import { healthAutoExport } from './health-auto-export/document.ts';
import { ouraData } from './oura/archive.ts';
import { polarFlow } from './polar-flow/archive.ts';
import { samsungHealth } from './samsung-health/archive.ts';
import { stravaArchive } from './strava-archive/archive.ts';
import { whoopData } from './whoop/archive.ts';
import { withingsData } from './withings/archive.ts';
import { zepp } from './zepp/archive.ts';

/** The archives that are recognised, in the order in which they are tried. */
export const archiveKinds: readonly ArchiveKind[] = [
  stravaArchive,
  garminAccount,
  samsungHealth,
  fitbit,
  polarFlow,
  zepp,
  whoopData,
  ouraData,
  withingsData,
];

/** The documents that are recognised, in the order in which they are tried. */
export const documentKinds: readonly DocumentKind[] = [healthAutoExport];
