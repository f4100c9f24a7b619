import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo } from '../../domain/page.ts';
import { repeated, Text, UserId } from '../../domain/wire.ts';
import {
  CategoryTokens,
  CodeTokens,
  DateParameter,
  Format,
  LastUpdated,
  PatientReference,
  userOfReference,
  userOfResource,
} from './params.ts';
import { FhirBundle, FhirCapabilityStatement, FhirDevice, FhirObservation, FhirPatient } from './schemas.ts';

const shared = { method: 'GET', tag: 'FHIR', fhir: true } as const;
const data = { ...shared, access: 'data.read', reads: 'fhir' } as const;
const form = { _format: Format };
const page = {
  ...form,
  _count: limitUpTo(100).describe('The number of resources of a page, at most. A page may have fewer.'),
  _cursor: CursorParameter.describe('The position of a page, from the link `next` of an earlier page.'),
};

/** The reads and searches of resources. */
export const resourceActions = {
  metadata: action({
    summary: 'Read what the FHIR API supports',
    description: 'The base address of the FHIR API is `/api/v1/fhir`. docs/fhir has codes and rules.',
    params: z.object(form),
    returns: FhirCapabilityStatement,
    http: { ...shared, path: '/fhir/metadata', access: 'public' },
  }),
  patients: action({
    summary: 'Search Patients',
    // The project of `user_id` is checked.
    params: z
      .object({
        ...page,
        _id: UserId.optional().describe('The `id` of a user.'),
        identifier: Text.max(400)
          .optional()
          .describe('The `external_user_id` of a user, alone or after the system and a vertical bar.'),
      })
      .transform((given) => ({ ...given, user_id: given._id })),
    returns: FhirBundle,
    http: {
      ...shared,
      path: '/fhir/Patient',
      access: 'users.read',
      userOf: ({ _id }) => userOfReference(_id),
      audit: 'user.read',
    },
  }),
  patient: action({
    summary: 'Read a user as Patient',
    params: z.object({ ...form, user_id: UserId }),
    returns: FhirPatient,
    http: { ...shared, path: '/fhir/Patient/:user_id', access: 'users.read' },
  }),
  devices: action({
    summary: 'Search the Devices of a user',
    description: 'Each source of the data of the user, a provider and a device, is a Device.',
    params: z
      .object({ ...form, patient: PatientReference.describe('The user.') })
      .transform((given) => ({ ...given, user_id: userOfReference(given.patient) ?? '' })),
    returns: FhirBundle,
    http: { ...data, path: '/fhir/Device', userOf: ({ patient }) => userOfReference(patient) },
  }),
  device: action({
    summary: 'Read a Device',
    params: z
      .object({ ...form, device_id: z.string().max(64).describe('The `id` of a Device.') })
      .transform((given) => ({ ...given, user_id: userOfResource(given.device_id) })),
    returns: FhirDevice,
    http: { ...data, path: '/fhir/Device/:device_id', userOf: ({ device_id }) => userOfResource(device_id) },
  }),
  observations: action({
    summary: 'Search the Observations of a user',
    description:
      'Samples of a local day that lie on a raster are one Observation with a SampledData; other samples, blood pressures, sleeps, workouts and totals of days are Observations of their own. A date is a local day of the user. Answers have `total` only if they have no further page.',
    params: z
      .object({
        ...page,
        patient: PatientReference.optional().describe('The user. It, or `subject`, is required.'),
        subject: PatientReference.optional().describe('The same as `patient`.'),
        category: CategoryTokens.optional().describe('Categories, such as `vital-signs`.'),
        code: CodeTokens.optional().describe('Codes: `http://loinc.org|8867-4`, or the code alone.'),
        date: repeated(DateParameter, 4)
          .optional()
          .describe('Dates or times after a prefix: `date=ge2026-01-01&date=lt2026-02-01`.'),
        _lastUpdated: LastUpdated.optional().describe(
          'Only what may have changed since a time: `ge2026-01-31T12:00:00Z`.',
        ),
        _sort: z
          .enum(['date', '-date'], 'must be date or -date')
          .default('-date')
          .describe('`date` oldest first, `-date` newest first, by local day and start. Default: `-date`.'),
      })
      .transform((given, context) => {
        const named = [given.patient, given.subject].flatMap((one) => userOfReference(one) ?? []);
        const [user_id] = named;
        if (user_id !== undefined && new Set(named).size === 1) return { ...given, user_id };
        const message = 'is required, and subject must not name another user';
        context.addIssue({ code: 'custom', path: ['patient'], message });
        return z.NEVER;
      }),
    returns: FhirBundle,
    http: {
      ...data,
      path: '/fhir/Observation',
      userOf: ({ patient, subject }) => userOfReference(patient ?? subject),
    },
    timeoutMs: 30_000,
  }),
  observation: action({
    summary: 'Read an Observation',
    params: z
      .object({ ...form, observation_id: z.string().max(64).describe('The `id` of an Observation.') })
      .transform((given) => ({ ...given, user_id: userOfResource(given.observation_id) })),
    returns: FhirObservation,
    http: {
      ...data,
      path: '/fhir/Observation/:observation_id',
      userOf: ({ observation_id }) => userOfResource(observation_id),
    },
    timeoutMs: 15_000,
  }),
};
