import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { dayMs } from '../../domain/time/time.ts';
import { apiPath, scopesIn, settingNames } from '../listed.ts';
import { list, networks, origin, url, webhookSecrets } from '../setting-forms.ts';
import { dataTypes } from './data-types.ts';

const Names = z.array(z.string()).max(1000);
const Switches = z
  .record(z.string(), z.boolean())
  .transform((map) => Object.keys(map).filter((name) => map[name] === true));
const Permissions = z.union([
  Names,
  z.object({ permissions: z.union([Names, Switches]) }).transform((one) => one.permissions),
  Switches,
]);

/** The permissions in an answer, which is a list or a map of booleans. Null if it contains neither. */
export function readPermissions(text: string): string[] | null {
  const { data } = Permissions.safeParse(jsonOrNull(text));
  return data === undefined ? null : scopesIn(data);
}

const settings = {
  WEBHOOK_SECRET_DEVICEMAKER: webhookSecrets.optional(),
  WEBHOOK_SENDERS_DEVICEMAKER: networks.default([]),
  DEVICEMAKER_API_URL: url.default('https://apis.garmin.com/wellness-api/rest'),
  DEVICEMAKER_AUTHORIZE_URL: url.default('https://connect.garmin.com/oauth2Confirm'),
  DEVICEMAKER_TOKEN_URL: url.default('https://diauth.garmin.com/di-oauth2-service/oauth/token'),
  DEVICEMAKER_CLIENT_ID: z
    .string()
    .optional()
    .describe(
      'the client id that the provider issued, and the required value of the header `devicemaker-client-id`; unset: any. `sandbox-devicemaker` with the sandbox',
    ),
  DEVICEMAKER_CLIENT_SECRET: z.string().optional(),
  DEVICEMAKER_CALLBACK_ORIGINS: list
    .pipe(z.array(origin))
    .optional()
    .describe('origins that data may be fetched from; unset: that of the API'),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const UserId = z.object({
  userId: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .refine((id) => !id.includes('\0')),
});

/** The device maker: the Garmin Health API. */
export const devicemaker = {
  title: 'Garmin',
  colour: '#3572db',
  settings,
  names: settingNames('DEVICEMAKER'),
  ingest: {
    service: 'devicemaker-ingest',
    readsWithTokens: false,
    hasFigures: false,
    reprocesses: true,
  },
  normaliserVersion: 8,
  fields: Object.fromEntries(dataTypes.map(({ name, fields }) => [name, fields])),
  projectClientRefusal:
    'Data comes to addresses that are registered for one OAuth client, which a header names, and an installation has one.',
  oauth: {
    authorizeUrl: ({ DEVICEMAKER_AUTHORIZE_URL }: Settings) => new URL(DEVICEMAKER_AUTHORIZE_URL),
    tokenUrl: ({ DEVICEMAKER_TOKEN_URL }: Settings) => new URL(DEVICEMAKER_TOKEN_URL),
    scope: null,
    usesPkce: true,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: '/user/id',
      readAccount: (text) => UserId.safeParse(jsonOrNull(text)).data?.userId ?? null,
      scope: { path: '/user/permissions', read: readPermissions },
    },
    isScopeEnough: (scope) => scope.length > 0,
    revocation: {
      url: ({ DEVICEMAKER_API_URL }: Settings) => apiPath(DEVICEMAKER_API_URL, '/user/registration'),
      method: 'DELETE',
      sendsTokenInForm: false,
    },
  },
  webhooks: {
    clientIdHeaders: ['devicemaker-client-id', 'garmin-client-id'],
    keptHeaders: [],
    subscriptionSettings: [],
    body: { form: 'items-by-type' },
  },
  backfill: {
    from: 'requests',
    types: dataTypes.map(({ name }) => name),
    brings: Object.fromEntries(dataTypes.map(({ name, brings }) => [name, brings])),
    isPastGranted: (scope) => scope.includes('HISTORICAL_DATA_EXPORT'),
    longestSpanMs: 30 * dayMs,
    // The provider's paths use the names of our types. Only its notifications use other spellings.
    url: ({ DEVICEMAKER_API_URL }: Settings, { type, startMs, endMs }) => {
      const request = apiPath(DEVICEMAKER_API_URL, `/backfill/${encodeURIComponent(type)}`);
      request.searchParams.set('summaryStartTimeInSeconds', String(startMs / 1000));
      request.searchParams.set('summaryEndTimeInSeconds', String(endMs / 1000));
      return request;
    },
    refusals: { 403: 'HISTORY_WITHHELD', 409: 'ASKED_BEFORE', 412: 'TYPE_OFF' },
  },
  shares: [
    'activities',
    'daily_activity',
    'heart_rate',
    'oxygen_saturation',
    'sleep',
    'stress',
    'body',
    'blood_pressure',
    'cycle',
    'routes',
  ],
  cadenceHours: { daily_activity: 48, heart_rate: 48, sleep: 48, stress: 48 },
  // Activities have a permission of their own; all else is health data.
  withholds: (scope, kind) => !scope.includes(kind === 'activities' ? 'ACTIVITY_EXPORT' : 'HEALTH_EXPORT'),
} as const satisfies Provider;
