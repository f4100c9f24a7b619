import { listedFixtures } from '../../fixtures/listed.ts';
import { activitynetCases } from './activitynet.ts';
import { devicemakerCases } from './devicemaker.ts';
import { fileCases } from './file.ts';
import { googlehealthCases } from './googlehealth.ts';
import { listedCases } from './listed.ts';
import { phoneCases } from './phone.ts';
import type { FieldCase } from './removal.ts';
import { withingsCases } from './withings.ts';

/** The items of each data type, how they are read, and the table of their fields. */
export const fieldCases: Readonly<Record<string, Readonly<Record<string, FieldCase>>>> = {
  devicemaker: devicemakerCases,
  activitynet: activitynetCases,
  phone: phoneCases,
  googlehealth: googlehealthCases,
  withings: withingsCases,
  file: fileCases,
  ...Object.fromEntries(
    listedFixtures.map(({ name, collections, bodies }) => [name, listedCases(collections, bodies)]),
  ),
};
