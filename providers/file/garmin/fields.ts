import { activityFields } from './activities.ts';
import { dayFields } from './days.ts';
import { hydrationFields } from './hydration.ts';
import {
  biometricFields,
  bloodPressureFields,
  healthFields,
  maxMetFields,
  readinessFields,
} from './measurements.ts';
import { nightFields } from './nights.ts';

/** The fields of the export of a Garmin account, by what they are of. */
export const garminFields = {
  garminActivities: activityFields,
  garminDays: dayFields,
  garminNights: nightFields,
  garminHealthStatus: healthFields,
  garminBiometrics: biometricFields,
  garminMaxMet: maxMetFields,
  garminBloodPressure: bloodPressureFields,
  garminReadiness: readinessFields,
  garminHydration: hydrationFields,
} as const;
