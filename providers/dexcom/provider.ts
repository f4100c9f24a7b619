import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { fieldsOf } from '../../domain/recipe/collection.ts';
import { failureByStatus } from '../../domain/recipe/failure.ts';
import { hourMs } from '../../domain/time/time.ts';
import { apiPath, limit, listed, noWebhooks, pace, settingNamesOfPolled } from '../listed.ts';
import { url, whole } from '../setting-forms.ts';
import { collections, types } from './records.ts';

const settings = {
  // Of accounts in the US.
  DEXCOM_API_URL: url.default('https://api.dexcom.com'),
  DEXCOM_CLIENT_ID: z.string().optional(),
  DEXCOM_CLIENT_SECRET: z.string().optional(),
  DEXCOM_JP_API_URL: url.default('https://api.dexcom.jp'),
  DEXCOM_JP_CLIENT_ID: z.string().optional(),
  DEXCOM_JP_CLIENT_SECRET: z.string().optional(),
  // Of accounts in all other countries.
  DEXCOM_EU_API_URL: url.default('https://api.dexcom.eu'),
  DEXCOM_EU_CLIENT_ID: z.string().optional(),
  DEXCOM_EU_CLIENT_SECRET: z.string().optional(),
  DEXCOM_REQUESTS_PER_HOUR: whole(1, 10_000_000).default(60_000),
};

type Settings = z.output<z.ZodObject<typeof settings>>;

const scope = 'offline_access';
const rangePath = '/v3/users/self/dataRange';
const Account = z.object({ userId: z.string().min(1).max(200) });

/** A region other than that of DEXCOM_API_URL. Assumed: each has clients of its own, as outside of the US. */
const region = <const R extends string>(country: string | null, name: R) => ({
  country,
  settings: {
    DEXCOM_API_URL: `DEXCOM_${name}_API_URL`,
    DEXCOM_CLIENT_ID: `DEXCOM_${name}_CLIENT_ID`,
    DEXCOM_CLIENT_SECRET: `DEXCOM_${name}_CLIENT_SECRET`,
  },
});

/** Dexcom, API v3: retrospective data, an hour old in the US and three hours elsewhere. */
export const dexcom = {
  title: 'Dexcom',
  colour: '#3f7f3a',
  ...listed,
  settings,
  names: settingNamesOfPolled('DEXCOM'),
  normaliserVersion: 1,
  fields: fieldsOf(collections),
  projectClientRefusal: null,
  regions: { us: { country: 'US', settings: {} }, jp: region('JP', 'JP'), eu: region(null, 'EU') },
  oauth: {
    // Assumed: clients also use these paths below /v3.
    authorizeUrl: ({ DEXCOM_API_URL }: Settings) => apiPath(DEXCOM_API_URL, '/v2/oauth2/login'),
    tokenUrl: ({ DEXCOM_API_URL }: Settings) => apiPath(DEXCOM_API_URL, '/v2/oauth2/token'),
    scope,
    usesPkce: false,
    clientAuthentication: 'form',
    grant: {
      from: 'requests',
      accountPath: rangePath,
      readAccount: (text) => Account.safeParse(jsonOrNull(text)).data?.userId ?? null,
      scope: null,
    },
    // There is one scope, and it is for the refresh token.
    isScopeEnough: () => true,
    // No address is documented: the user ends our access in the account.
    revocation: null,
  },
  webhooks: noWebhooks,
  shares: ['glucose', 'nutrition'],
  cadenceHours: { glucose: 12 },
  pull: {
    notifications: null,
    types,
    probe: { path: rangePath },
    failure: failureByStatus(),
    limits: [limit('application', ({ DEXCOM_REQUESTS_PER_HOUR: most }: Settings) => most, hourMs)],
    pace,
    subscription: null,
  },
} as const satisfies Provider;
