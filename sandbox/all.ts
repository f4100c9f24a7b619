import { activitynet } from './activitynet/simulation.ts';
import type { SimulatedUploads } from './connect/uploads.ts';
import { devicemaker } from './devicemaker/simulation.ts';
import { googlehealth } from './googlehealth/simulation.ts';
import { oura } from './oura/simulation.ts';
import { phoneUploads } from './phone/uploads.ts';
import { polar } from './polar/simulation.ts';
import { suunto } from './suunto/simulation.ts';
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
] as const;

/** Users whose devices upload data by themselves. */
export const uploads: readonly SimulatedUploads[] = [phoneUploads];

/** The name of a simulated provider. */
export type SimulatedProvider = (typeof simulations)[number]['name'];
