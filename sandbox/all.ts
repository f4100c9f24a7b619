import { activitynet } from './activitynet/simulation.ts';
import { devicemaker } from './devicemaker/simulation.ts';
import { googlehealth } from './googlehealth/simulation.ts';

/** The simulated providers. The start page connects a visitor to the first. */
export const simulations = [devicemaker, activitynet, googlehealth] as const;

/** The name of a simulated provider. */
export type SimulatedProvider = (typeof simulations)[number]['name'];
