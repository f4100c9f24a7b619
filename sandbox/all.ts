import { activitynet } from './activitynet/simulation.ts';
import { concept2 } from './concept2/simulation.ts';
import type { SimulatedUploads } from './connect/uploads.ts';
import { devicemaker } from './devicemaker/simulation.ts';
import { dexcom } from './dexcom/simulation.ts';
import type { WriteArchive } from './files/archives.ts';
import { googlehealth } from './googlehealth/simulation.ts';
import { intervals } from './intervals/simulation.ts';
import { oura } from './oura/simulation.ts';
import { outsideTwins } from './outside.ts';
import { phoneUploads } from './phone/uploads.ts';
import { polar } from './polar/simulation.ts';
import { suunto } from './suunto/simulation.ts';
import { ultrahuman } from './ultrahuman/simulation.ts';
import { wahoo } from './wahoo/simulation.ts';
import { whoop } from './whoop/simulation.ts';
import { withings } from './withings/simulation.ts';

/** The simulated providers. The start page connects a visitor to the first. */
export const simulations = [
  devicemaker,
  activitynet,
  googlehealth,
  withings,
  whoop,
  oura,
  polar,
  suunto,
  ultrahuman,
  dexcom,
  intervals,
  ...outsideTwins.simulations,
  wahoo,
  concept2,
] as const;

/** Users whose devices upload data by themselves. */
export const uploads: readonly SimulatedUploads[] = [phoneUploads];

/** The name of a simulated provider. */
export type SimulatedProvider = (typeof simulations)[number]['name'];

/** Exports of accounts of simulated providers, by the names of `npm run sandbox-files`. Their code is loaded when it is wanted. */
export const accountArchives: Readonly<Record<string, () => Promise<WriteArchive>>> = {
  'garmin-account': async () => (await import('./devicemaker/account-export.ts')).accountArchive,
  'whoop-data': async () => (await import('./whoop/account-export.ts')).accountArchive,
  'oura-data': async () => (await import('./oura/account-export.ts')).accountArchive,
  'withings-data': async () => (await import('./withings/account-export.ts')).accountArchive,
  'polar-flow': async () => (await import('./polar/account-export.ts')).accountArchive,
};
