import { contract } from '../domain/contract.ts';
import { exportActions } from './fhir/exports.ts';
import { resourceActions } from './fhir/resources.ts';

/** The data of users as FHIR R4. */
export const fhir = contract('fhir', { ...resourceActions, ...exportActions });
