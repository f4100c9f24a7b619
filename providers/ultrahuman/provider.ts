import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { apiPath, limit, listed, noWebhooks, pace, settingNamesOfPolled } from '../listed.ts';
import { url, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const settings = {
  ULTRAHUMAN_API_URL: url.default('https://partner.ultrahuman.com'),
  // The reference also spells it `authorize`; integrations that work have this one.
  ULTRAHUMAN_AUTHORIZE_URL: url.default('https://auth.ultrahuman.com/authorise'),
  ULTRAHUMAN_TOKEN_URL: url.default('https://partner.ultrahuman.com/api/partners/oauth/token'),
  ULTRAHUMAN_CLIENT_ID: z.string().optional(),
  ULTRAHUMAN_CLIENT_SECRET: z.string().optional(),
  // The provider publishes no limit: it answers 429.
  ULTRAHUMAN_REQUESTS_PER_MINUTE: whole(1, 1_000_000).default(120),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const profilePath = '/api/partners/v1/user_data/user_info';
const Id = z.union([z.int(), z.string().min(1).max(100)]).transform(String);
// Its name differs between descriptions of the API.
const Profile = z.union([
  z.object({ user_id: Id }).transform(({ user_id }) => user_id),
  z.object({ id: Id }).transform(({ id }) => id),
]);

const byStatus = failureByStatus();

/** Ultrahuman, Partner API v1. It has no notifications. */
export const ultrahuman = {
  title: 'Ultrahuman',
  colour: '#3d7a94',
  ...listed,
  settings,
  names: settingNamesOfPolled('ULTRAHUMAN'),
  normaliserVersion: 1,
  fields: fieldsOf(collections),
  projectClientRefusal: null,
  oauth: {
    authorizeUrl: ({ ULTRAHUMAN_AUTHORIZE_URL }: Settings) => new URL(ULTRAHUMAN_AUTHORIZE_URL),
    tokenUrl: ({ ULTRAHUMAN_TOKEN_URL }: Settings) => new URL(ULTRAHUMAN_TOKEN_URL),
    // Without `profile` the account is not shown.
    scope: 'ring_data cgm_data profile',
    usesPkce: false,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: profilePath,
      readAccount: (text) => Profile.safeParse(jsonOrNull(text)).data ?? null,
      scope: null,
    },
    isScopeEnough: (scope) => Object.values(types).some(({ isGranted }) => isGranted(scope)),
    revocation: {
      url: ({ ULTRAHUMAN_API_URL }: Settings) => apiPath(ULTRAHUMAN_API_URL, '/api/partners/oauth/revoke'),
      method: 'POST',
      sendsTokenInForm: true,
      tokenField: 'token',
      sendsClientInForm: true,
    },
  },
  webhooks: noWebhooks,
  shares: ['daily_activity', 'heart_rate', 'oxygen_saturation', 'sleep', 'glucose', 'profile'],
  cadenceHours: { daily_activity: 36, heart_rate: 36, sleep: 36 },
  pull: {
    notifications: null,
    types,
    probe: { path: profilePath },
    // 404 is an account that is unknown or not shared, 403 one without a ring: nothing that is stored is deleted.
    failure: (reply, nowMs) =>
      reply.status === 404 ? { kind: 'withheld', reason: 'HTTP_404' } : byStatus(reply, nowMs),
    limits: [limit('application', ({ ULTRAHUMAN_REQUESTS_PER_MINUTE: most }: Settings) => most, minuteMs)],
    pace,
    subscription: null,
  },
} as const satisfies Provider;
