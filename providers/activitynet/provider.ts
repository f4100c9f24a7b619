import { z } from 'zod';
import type { Provider } from '../../domain/provider/provider.ts';
import { apiPath, settingNames } from '../listed.ts';
import { flag, networks, url, webhookSecrets, whole } from '../setting-forms.ts';
import { fields } from './fields.ts';

const settings = {
  WEBHOOK_SECRET_ACTIVITYNET: webhookSecrets.optional(),
  WEBHOOK_SENDERS_ACTIVITYNET: networks.default([]),
  ACTIVITYNET_API_URL: url.default('https://www.strava.com/api/v3'),
  ACTIVITYNET_OAUTH_URL: url.default('https://www.strava.com/oauth'),
  ACTIVITYNET_CLIENT_ID: z.string().optional(),
  ACTIVITYNET_CLIENT_SECRET: z.string().optional(),
  ACTIVITYNET_VERIFY_TOKEN: z
    .string()
    .optional()
    .describe(
      'a text of your own that the provider repeats when it checks the webhook address; unset: its check is refused',
    ),
  ACTIVITYNET_SUBSCRIPTION_ID: whole(0, 999_999_999_999)
    .optional()
    .describe('the id of the webhook subscription; events of another one are skipped. Unset: any'),
  ACTIVITYNET_REQUIRE_SIGNATURE: flag
    .default(false)
    .describe('true: events without a valid signature are refused'),
  ACTIVITYNET_READS_PER_15_MIN: whole(1, 1_000_000).default(100),
  ACTIVITYNET_READS_PER_DAY: whole(1, 100_000_000).default(1000),
};

interface Urls {
  readonly ACTIVITYNET_OAUTH_URL: string;
}

const TokenAnswer = z.object({
  athlete: z.object({ id: z.union([z.int(), z.string().min(1).max(255)]) }),
});

function readAccount(body: unknown): string | null {
  const read = TokenAnswer.safeParse(body);
  return read.success ? String(read.data.athlete.id) : null;
}

// The id of an activity may equal the id of another account, so it does not identify an account.
function accountsOf(fields: ReadonlyMap<string, string | undefined>): string[] | null {
  const accountId = fields.get('owner_id');
  if (accountId === undefined) return null;
  const object = fields.get('object_id');
  return fields.get('object_type') === 'athlete' && object !== undefined ? [accountId, object] : [accountId];
}

/** The activity platform: the Strava API V3. */
export const activitynet = {
  title: 'Strava',
  colour: '#ca4d24',
  settings,
  names: settingNames('ACTIVITYNET'),
  ingest: { service: 'activitynet-ingest', readsWithTokens: true, hasFigures: true },
  normaliserVersion: 2,
  fields,
  projectClientRefusal:
    'Events of each OAuth client come by a subscription of its own, and an installation has one.',
  oauth: {
    authorizeUrl: ({ ACTIVITYNET_OAUTH_URL }: Urls) => apiPath(ACTIVITYNET_OAUTH_URL, '/authorize'),
    tokenUrl: ({ ACTIVITYNET_OAUTH_URL }: Urls) => apiPath(ACTIVITYNET_OAUTH_URL, '/token'),
    scope: 'activity:read_all,profile:read_all',
    usesPkce: false,
    clientAuthentication: 'form',
    grant: { from: 'token-answer', readAccount },
    isScopeEnough: (scope) => scope.includes('activity:read') || scope.includes('activity:read_all'),
    revocation: {
      url: ({ ACTIVITYNET_OAUTH_URL }: Urls) => apiPath(ACTIVITYNET_OAUTH_URL, '/deauthorize'),
      method: 'POST',
      sendsTokenInForm: true,
    },
  },
  webhooks: {
    clientIdHeaders: [],
    keptHeaders: ['x-strava-signature'],
    subscriptionSettings: ['ACTIVITYNET_VERIFY_TOKEN', 'ACTIVITYNET_SUBSCRIPTION_ID'],
    body: { form: 'single-event', accountsOf },
  },
  backfill: { from: 'pages', service: 'activitynet-ingest' },
  shares: ['activities', 'heart_rate', 'routes', 'profile'],
  cadenceHours: {},
} as const satisfies Provider;
