import { dayFields, fitnessTestFields, heartRateFields } from './days.ts';
import { nightFields, recoveryFields } from './nights.ts';
import { sessionFields } from './sessions.ts';

/** The fields of the export of Polar Flow, by what they are of. */
export const polarFlowFields = {
  polarSessions: sessionFields,
  polarNights: nightFields,
  polarRecoveries: recoveryFields,
  polarDays: dayFields,
  polarHeartRates: heartRateFields,
  polarFitnessTests: fitnessTestFields,
} as const;
