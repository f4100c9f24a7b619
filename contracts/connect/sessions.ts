import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { SharedData } from '../../domain/provider/provider.ts';
import { Text, Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName, providerNames } from '../../providers/all.ts';
import { LogoName, RegionChoice } from '../fields.ts';
import { ConsentText } from './consents.ts';
import { ConnectReason, ConnectStatus, Language, StaleReason } from './schemas.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** What a browser proves about a session: the hash of its secret, and that it had the token of the session. */
export const BrowserProof = z.object({ secret_hash: Hash, proof: Hash });

const ConnectPageUrl = z.object({ url: z.string(), token: z.string(), expires_at: Timestamp });

/** Why the connect page is not shown. */
const Refused = z.object({
  kind: z.literal('refused'),
  reason: z.enum(['unknown', 'expired', 'foreign', 'user_gone']),
  language: Language.nullable(),
  return_url: z.string().nullable(),
});

/** One provider of the connect page. `expired`: the user has to connect again. */
const ConnectChoice = z.object({
  provider: ProviderName,
  name: z.string(),
  colour: z.string(),
  state: z.enum(['none', 'connected', 'expired']),
  shares: z.array(SharedData),
  /** The regions of which the user chooses that of the account, each with its country; null: all others. Empty: there is no choice. */
  regions: z.array(z.object({ name: z.string(), country: z.string().nullable() })),
  /** The region of the connection. */
  region: z.string().nullable(),
});

/** What the page shows of the product. Null: the installation's. */
const brand = {
  app: z.string().nullable(),
  colour: z.string().nullable(),
  logo: LogoName.nullable(),
};

/** What the connect page shows. */
const SessionView = z.object({
  kind: z.literal('session'),
  language: Language.nullable(),
  ...brand,
  choices: z.array(ConnectChoice),
  /** The outcome of the last attempt. */
  last: z.object({ name: z.string(), status: ConnectStatus, reason: ConnectReason.nullable() }).nullable(),
  /** Why the link was made. Null: the page does not say it. */
  reason: StaleReason.nullable(),
  return_url: z.string().nullable(),
});

const SessionQuestion = z.object({ session_id: z.uuid(), browser: BrowserProof.nullable() });

/** Sessions of the connect page. The gateway renders the page. */
export const sessionActions = {
  createSession: action({
    summary: 'Create a link to the connect page',
    description:
      "Open `url` in the user's browser within 30 minutes. The page lists the providers with their state, shows what each shares, and connects them. It works in the first browser in which the user agrees. Its link back leads to `redirect_uri` with `status`: `connected` with the connected providers in `provider`, separated by commas; `denied` or `failed` with `provider` and `reason` of the last attempt; or `cancelled`. With a single provider the browser is redirected as soon as it is connected. Never give the link to another user.",
    params: z
      .object({
        user_id: UserId.optional(),
        external_user_id: Text.min(1)
          .max(255)
          .optional()
          .describe("The user's id in your own system, instead of `user_id`."),
        providers: z
          .array(ProviderName)
          .min(1)
          .max(providerNames.length)
          .optional()
          .describe(
            'The providers that the page offers. Default: all that are configured and have a consent page. A provider without one shows a code for the app.',
          ),
        redirect_uri: Text.min(1)
          .max(2048)
          .optional()
          .describe('The address of the link back: one of CONNECT_REDIRECTS. Default: no link back.'),
        language: Language.optional().describe(
          'The language of the page. Default: the language of the browser.',
        ),
        reason: StaleReason.optional().describe(
          'Why the user is sent to the page, which says it in a sentence with what to do: `access_ended`, the provider refused the access; `no_data`, no new data arrives. Default: the page says nothing of it.',
        ),
      })
      .refine((given) => (given.user_id === undefined) !== (given.external_user_id === undefined), {
        path: ['user_id'],
        message: 'must be given, or external_user_id instead, but not both',
      })
      .meta({ id: 'ConnectSessionRequest' }),
    returns: ConnectPageUrl.meta({
      id: 'ConnectSession',
      description: 'The address of the connect page for one user. No later response contains the token.',
    }),
    http: {
      method: 'POST',
      path: '/connect/sessions',
      access: 'connections.link',
      status: 201,
      tag: 'Connections',
      idempotencyKey: true,
      userInBody: true,
      audit: 'connection.session_created',
    },
    timeoutMs: 10_000,
  }),
  /** Finds the session of a token. Nothing is changed, so that a link preview does not use up the link. */
  openSession: action({
    summary: 'Find the session of the connect page by the hash of its token',
    params: z.object({ token_hash: Hash }),
    returns: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('open'), session_id: z.string() }),
      Refused,
    ]),
    idempotent: true,
  }),
  /** Binds nothing: a link preview may read the page. */
  showSession: action({
    summary: 'Get what the connect page shows',
    params: SessionQuestion,
    returns: z.discriminatedUnion('kind', [SessionView, Refused]),
    idempotent: true,
  }),
  /** Binds the session to the first browser that asks. */
  startAttempt: action({
    summary: 'Start an attempt to connect on the connect page',
    params: SessionQuestion.extend({ provider: ProviderName, region: RegionChoice, text: ConsentText }),
    returns: z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('started'),
        language: Language.nullable(),
        ...brand,
        name: z.string(),
        authorization_url: z.string(),
      }),
      /** The provider has no consent page: the user types a code into an app. */
      z.object({
        kind: z.literal('code'),
        language: Language.nullable(),
        ...brand,
        name: z.string(),
        code: z.string(),
      }),
      Refused,
    ]),
    timeoutMs: 10_000,
  }),
};

export type BrowserProof = z.infer<typeof BrowserProof>;
export type ConnectChoice = z.infer<typeof ConnectChoice>;
export type Refused = z.infer<typeof Refused>;
export type SessionView = z.infer<typeof SessionView>;
