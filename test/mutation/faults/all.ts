import type { PlantedFault } from '../planted.ts';
import { domain } from './domain.ts';

/** All planted faults, by the part of the tree that they are in. */
export const planted: Readonly<Record<string, readonly PlantedFault[]>> = { domain };
