import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { hourMs, minuteMs } from '../../domain/time/time.ts';
import { jsonEvents, limit, listed, pace, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { dataScopes, dataTypes, failureOf, fields, scopeOf } from './data-types.ts';
import { isVerification, readHints } from './notifications.ts';
import { keyId, readKeyset, verify } from './signature.ts';
import { ServiceAccount, subscriber } from './subscription.ts';

const settings = {
  WEBHOOK_SECRET_GOOGLEHEALTH: webhookSecrets.optional(),
  WEBHOOK_SENDERS_GOOGLEHEALTH: networks.default([]),
  GOOGLEHEALTH_API_URL: url.default('https://health.googleapis.com'),
  GOOGLEHEALTH_AUTHORIZE_URL: url.default('https://accounts.google.com/o/oauth2/v2/auth'),
  GOOGLEHEALTH_TOKEN_URL: url.default('https://oauth2.googleapis.com/token'),
  GOOGLEHEALTH_REVOKE_URL: url.default('https://oauth2.googleapis.com/revoke'),
  GOOGLEHEALTH_KEYSET_URL: url
    .default('https://www.gstatic.com/googlehealthapi/webhooks/webhooks_public_keyset.json')
    .describe('the public keys of its notifications'),
  GOOGLEHEALTH_CLIENT_ID: z.string().optional(),
  GOOGLEHEALTH_CLIENT_SECRET: z.string().optional(),
  GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: z
    .string()
    .min(16)
    .max(1000)
    .optional()
    .describe('the whole value of the Authorization header that the provider sends with notifications'),
  GOOGLEHEALTH_PROJECT_NUMBER: z
    .string()
    .regex(/^\d{1,20}$/, 'must be a number')
    .optional()
    .describe('with the service account and PUBLIC_URL the subscriber is created and checked'),
  GOOGLEHEALTH_SUBSCRIBER_ID: z
    .string()
    .regex(/^[a-z][a-z0-9-]{3,35}$/, 'must be 4 to 36 letters, digits or -')
    .default('pulsebus')
    .describe('the id of the subscriber'),
  GOOGLEHEALTH_SERVICE_ACCOUNT: z
    .string()
    .transform((text) => ServiceAccount.safeParse(jsonOrNull(text)).data)
    .refine((account) => account !== undefined, 'must be the JSON key of a service account')
    .optional()
    .describe('the JSON key of a service account of the project'),
  GOOGLEHEALTH_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(300).describe('requests of a user'),
  GOOGLEHEALTH_PROJECT_REQUESTS_PER_MINUTE: whole(1, 100_000_000)
    .default(120_000)
    .describe('requests of all users'),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const identityPath = '/v4/users/me/identity';
const Identity = z.object({ healthUserId: z.union([z.string().min(1).max(255), z.int().transform(String)]) });

const anyData: readonly string[] = Object.values(dataScopes);

/** The health data platform: the Google Health API v4. */
export const googlehealth = {
  title: 'Google Health',
  colour: '#18863d',
  ...listed,
  settings,
  names: settingNames('GOOGLEHEALTH'),
  normaliserVersion: 6,
  fields,
  projectClientRefusal:
    'Notifications come by a subscriber of the Google Cloud project of the OAuth client, and an installation has one.',
  oauth: {
    authorizeUrl: ({ GOOGLEHEALTH_AUTHORIZE_URL }: Settings) => new URL(GOOGLEHEALTH_AUTHORIZE_URL),
    tokenUrl: ({ GOOGLEHEALTH_TOKEN_URL }: Settings) => new URL(GOOGLEHEALTH_TOKEN_URL),
    scope: [...anyData, scopeOf('profile'), scopeOf('settings')].join(' '),
    // Without these there is no refresh token.
    authorizeFields: { access_type: 'offline', prompt: 'consent' },
    usesPkce: true,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: identityPath,
      scope: null,
      readAccount: (text) => Identity.safeParse(jsonOrNull(text)).data?.healthUserId ?? null,
    },
    isScopeEnough: (scope) => scope.some((one) => anyData.includes(one)),
    revocation: {
      url: ({ GOOGLEHEALTH_REVOKE_URL }: Settings) => new URL(GOOGLEHEALTH_REVOKE_URL),
      method: 'POST',
      sendsTokenInForm: true,
      tokenField: 'token',
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['google-health-api-signature', 'x-healthapi-signature'],
    subscriptionSettings: ['GOOGLEHEALTH_WEBHOOK_AUTHORIZATION'],
    body: withoutData,
  },
  shares: ['activities', 'daily_activity', 'heart_rate', 'oxygen_saturation', 'sleep', 'body', 'profile'],
  cadenceHours: { daily_activity: 36, heart_rate: 36, sleep: 48 },
  pull: {
    notifications: {
      ...jsonEvents,
      kind: 'notifications',
      bodyLimitBytes: 1024 * 1024,
      acceptedStatus: 204,
      example: {
        data: {
          version: '1',
          healthUserId: 'health-1001',
          operation: 'UPSERT',
          dataType: 'steps',
          intervals: [
            { physicalTimeInterval: { startTime: '2026-01-01T06:00:00Z', endTime: '2026-01-01T07:00:00Z' } },
          ],
        },
      },
      authentication: {
        by: 'signature',
        headers: ['google-health-api-signature', 'x-healthapi-signature'],
        keyset: {
          url: ({ GOOGLEHEALTH_KEYSET_URL }: Settings) => new URL(GOOGLEHEALTH_KEYSET_URL),
          read: readKeyset,
          freshMs: 6 * hourMs,
          floorMs: minuteMs,
        },
        keyId,
        verify,
      },
      isHandshake: isVerification,
      authorization: ({ GOOGLEHEALTH_WEBHOOK_AUTHORIZATION: value }: Settings) => value,
      read: readHints,
    },
    types: dataTypes,
    probe: { path: identityPath },
    failure: failureOf,
    limits: [
      limit('account', ({ GOOGLEHEALTH_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs),
      limit('application', ({ GOOGLEHEALTH_PROJECT_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs),
    ],
    pace,
    subscription: subscriber,
  },
} as const satisfies Provider;
