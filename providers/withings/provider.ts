import { z } from 'zod';
import type { Provider } from '../../domain/provider/provider.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { limit, listed, settingNames, withoutData } from '../listed.ts';
import { networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { apiPath } from '../urls.ts';
import { failureOf } from './calls.ts';
import { notifications, subscription, subscriptionEnding } from './notifications.ts';
import { plainReply } from './plain-reply.ts';
import { fields, types } from './types.ts';

const settings = {
  WEBHOOK_SECRET_WITHINGS: webhookSecrets.optional(),
  WEBHOOK_SENDERS_WITHINGS: networks.default([]),
  WITHINGS_API_URL: url.default('https://wbsapi.withings.net'),
  WITHINGS_AUTHORIZE_URL: url.default('https://account.withings.com/oauth2_user/authorize2'),
  WITHINGS_CLIENT_ID: z.string().optional(),
  WITHINGS_CLIENT_SECRET: z.string().optional(),
  WITHINGS_REQUESTS_PER_MINUTE: whole(1, 100_000).default(120),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
const TokenAnswer = z.object({ userid: Id });

const probe = { path: '/v2/user', form: { action: 'getdevice' } };

/** Withings: the public health data API. */
export const withings = {
  title: 'Withings',
  colour: '#17847b',
  ...listed,
  settings,
  names: settingNames('WITHINGS'),
  normaliserVersion: 4,
  fields,
  plainReply,
  projectClientRefusal: null,
  oauth: {
    authorizeUrl: ({ WITHINGS_AUTHORIZE_URL }: Settings) => new URL(WITHINGS_AUTHORIZE_URL),
    tokenUrl: ({ WITHINGS_API_URL }: Settings) => apiPath(WITHINGS_API_URL, '/v2/oauth2'),
    scope: 'user.info,user.metrics,user.activity',
    usesPkce: false,
    tokenFields: { action: 'requesttoken' },
    clientAuthentication: 'form',
    grant: {
      from: 'token-answer',
      readAccount: (body) => TokenAnswer.safeParse(body).data?.userid ?? null,
    },
    isScopeEnough: (scope) => scope.includes('user.metrics') || scope.includes('user.activity'),
    revocation: subscriptionEnding,
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: [],
    subscriptionSettings: [],
    body: withoutData,
  },
  shares: [
    'daily_activity',
    'activities',
    'heart_rate',
    'oxygen_saturation',
    'sleep',
    'body',
    'blood_pressure',
    'profile',
  ],
  cadenceHours: { daily_activity: 48, heart_rate: 48, sleep: 48 },
  pull: {
    notifications,
    types,
    probe,
    failure: failureOf,
    limits: [limit('application', ({ WITHINGS_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs)],
    // Retries of a notification come within 10 s and then minutes apart.
    pace: { settleMs: 2000, floorMs: 5000 },
    subscription,
  },
} as const satisfies Provider;
