import { collections as oura } from '../../../providers/oura/records.ts';
import { collections as polar } from '../../../providers/polar/records.ts';
import { collections as suunto } from '../../../providers/suunto/records.ts';
import { collections as whoop } from '../../../providers/whoop/records.ts';
import { bodies as ouraBodies } from '../../fixtures/oura/bodies.ts';
import { bodies as polarBodies } from '../../fixtures/polar/bodies.ts';
import { bodies as suuntoBodies } from '../../fixtures/suunto/bodies.ts';
import { bodies as whoopBodies } from '../../fixtures/whoop/bodies.ts';
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
  whoop: listedCases(whoop, whoopBodies),
  oura: listedCases(oura, ouraBodies),
  suunto: listedCases(suunto, suuntoBodies),
  polar: listedCases(polar, polarBodies),
  file: fileCases,
};
