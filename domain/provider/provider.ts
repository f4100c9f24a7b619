import { z } from 'zod';
import type { FieldTable } from './field-table.ts';
import type { OfSettings } from './of-settings.ts';
import type { Pull } from './pulled-provider.ts';
import type { Region } from './region.ts';

/** Kinds of data that the connect page names when a user is asked to share them. */
export const SharedData = z.enum([
  'activities',
  'daily_activity',
  'heart_rate',
  'oxygen_saturation',
  'sleep',
  'stress',
  'body',
  'blood_pressure',
  'glucose',
  'nutrition',
  'mindfulness',
  'cycle',
  'routes',
  'profile',
]);

export type SharedData = z.infer<typeof SharedData>;

/**
 * A provider as data and pure functions. Each folder of providers/ defines one, and providers/all.ts registers them. The
 * functions receive all settings; a provider reads only its own.
 */
export interface Provider {
  /** The name that people know it by. PROVIDER_NAMES overrides it. */
  readonly title: string;
  /**
   * The colour of its monogram, as `#rrggbb`: a choice of ours, with at least 3:1 to the pages of both themes and 4.5:1 to the
   * white letters on it.
   */
  readonly colour: `#${string}`;
  /** The names that people know its sources by, by a part of the device's or the app's name in lower case. */
  readonly sourceTitles?: Readonly<Record<string, string>>;
  /** Its settings by name, each with its schema and default; config.ts adds them to its own. */
  readonly settings: Readonly<Record<string, z.ZodType>>;
  /** The names of the settings of its API and its webhooks. Null: it has neither, because users' own devices send the data. */
  readonly names: SettingNames | null;
  readonly ingest: Ingest;
  /**
   * The version of its normalisers, at most 32,767. It is raised when the same data is normalised to other records or
   * samples; a test compares it with a digest of what the normalisers make of the fixtures.
   */
  readonly normaliserVersion: number;
  /** The fields of each data type, and where each of them ends. docs/data.md is generated from them. */
  readonly fields: Readonly<Record<string, FieldTable>>;
  /** The status and the body that an answer means in HTTP. Set by providers that report errors in the body of a 200. */
  readonly plainReply?: (reply: Reply) => Reply;
  /** The sentence that refuses a client of a project's own. Null: a project may have one. */
  readonly projectClientRefusal: string | null;
  /** Headers that every request of its API needs, such as the key of a subscription. Token requests do not have them. */
  readonly apiHeaders?: OfSettings<[], Readonly<Record<string, string>>>;
  /**
   * The regions in which it keeps accounts apart, by their names in the API. A connection has one, and all its requests go to the
   * addresses of that region. Such a provider has no subscription of the application.
   */
  readonly regions?: Readonly<Record<string, Region>>;
  /** Null: its users connect without a consent page. */
  readonly oauth: OAuth | null;
  readonly webhooks: Webhooks;
  readonly backfill: RequestedBackfill | PagedBackfill | UploadedBackfill | ImportedBackfill;
  /** What a user shares by connecting, for the connect page. */
  readonly shares: readonly SharedData[];
  /**
   * The longest usual time between two arrivals of a kind of data in hours, for kinds that come regularly from whoever uses a device.
   * The others are expected in the rhythm of each connection.
   */
  readonly cadenceHours: Partial<Readonly<Record<SharedData, number>>>;
  /**
   * Most of its data came from other providers. Of a workout that another one has too, that counts, whatever more this one says of it.
   * It stands after the others in `providers`, so that it is the last choice for days too.
   */
  readonly isAggregator?: true;
  /** Whether the granted scope excludes a kind of data. Providers with `pull` need none: their types know. */
  readonly withholds?: (scope: readonly string[], kind: SharedData) => boolean;
  /** Set if notifications name what changed, and service pull-ingest reads it. */
  readonly pull?: Pull;
}

/** Names of the settings of a provider with an API. */
export interface SettingNames {
  readonly apiUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Secrets of the secret webhook addresses. Null: it has no webhooks. */
  readonly webhookSecrets: string | null;
  /** Network addresses that may send webhooks. Null: it has no webhooks. */
  readonly webhookSenders: string | null;
}

/** The service that ingests the provider's data. */
interface Ingest {
  readonly service: string;
  /** The service reads at the provider with users' tokens, so it needs ENCRYPTION_KEY. */
  readonly readsWithTokens: boolean;
  /** The action `figures` of the service returns the queue lengths and the remaining quota of the provider. */
  readonly hasFigures: boolean;
  /** Its deliveries contain data, and the action `reprocess` of the service processes kept ones again. */
  readonly reprocesses?: true;
}

/** The provider's OAuth 2 dialect. */
export interface OAuth {
  readonly authorizeUrl: OfSettings<[], URL>;
  readonly tokenUrl: OfSettings<[], URL>;
  /** The scope that is requested; the user may grant less. Null where the consent page has a list of its own. */
  readonly scope: string | null;
  /** Parameters of the consent page in addition to those of RFC 6749. */
  readonly authorizeFields?: Readonly<Record<string, string>>;
  /** Proof Key for Code Exchange, method S256. */
  readonly usesPkce: boolean;
  /** Fields of a token request in addition to those of RFC 6749. */
  readonly tokenFields?: Readonly<Record<string, string>>;
  /** How a token request proves which client sends it: fields of the form, or an Authorization header. */
  readonly clientAuthentication: 'form' | 'basic';
  /** How the connected account and the granted scope are read. */
  readonly grant: GrantInTokenAnswer | GrantByRequest;
  /** Whether a granted scope allows anything to be read. */
  readonly isScopeEnough: (scope: readonly string[]) => boolean;
  /** Set if the provider gives no data before the account is registered with the application. */
  readonly registration?: Registration;
  /** Null: only the user can end our access, at the provider, and there are no subscriptions to end. */
  readonly revocation: Revocation | SubscriptionEnding | null;
}

/** The POST with the new token that registers an account. The path is relative to the API. */
interface Registration {
  readonly path: string;
  readonly json: (connected: { readonly userId: string; readonly account: string }) => object;
  /** The status of an account that is registered already. */
  readonly knownStatus: number;
}

/** The token answer contains the account; the scope is there too, or in the callback's address. */
export interface GrantInTokenAnswer {
  readonly from: 'token-answer';
  /** Null: the answer names no account. */
  readonly readAccount: (body: unknown) => string | null;
}

/** The account is requested with the new token, and the scope too unless it is in the token answer. Paths are relative to the API. */
export interface GrantByRequest {
  readonly from: 'requests';
  readonly accountPath: string;
  /** Null: the answer cannot be read. */
  readonly readAccount: (text: string) => string | null;
  /** Null: the scope is in the token answer. */
  readonly scope: { readonly path: string; readonly read: (text: string) => string[] | null } | null;
}

/** The request that ends our access to an account. */
export interface Revocation {
  readonly url: OfSettings<[account: string], URL>;
  readonly method: 'DELETE' | 'POST';
  /** The token is also sent in the form, as `tokenField`, or as `access_token`. */
  readonly sendsTokenInForm: boolean;
  readonly tokenField?: string;
  /** The token is also sent in the query, by this name. */
  readonly tokenQuery?: string;
  /**
   * The form proves the client too, by `client_id` and `client_secret` (RFC 7009, 2.1), and the request has no token in its header. A
   * client whose secret is removed cannot end its access.
   */
  readonly sendsClientInForm?: true;
}

/** The requests that end the notifications of an account where only the user can end our access. */
export interface SubscriptionEnding {
  readonly ends: 'subscriptions';
  readonly list: FormRequest;
  /** The requests that end what is listed. Null: the answer cannot be read. */
  readonly requests: (listed: Reply) => readonly FormRequest[] | null;
}

/** A POST of a form with the user's token. The path is relative to the API. */
export interface FormRequest {
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
}

/** The status and the body of an answer of the provider. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The provider's webhooks. */
export interface Webhooks {
  /** Alternative names of the header that must contain the client id; empty if none is required. */
  readonly clientIdHeaders: readonly string[];
  /** Headers that are kept with a delivery in addition to the common ones. */
  readonly keptHeaders: readonly string[];
  /** Names of the settings that its webhook subscription needs. */
  readonly subscriptionSettings: readonly string[];
  /** How the data of one account is found in a kept body. */
  readonly body: ItemsByType | SingleEvent | OneAccount;
}

/** An object of arrays keyed by data type, with items of several accounts, which may be named anywhere. */
interface ItemsByType {
  readonly form: 'items-by-type';
}

/** The whole body belongs to the account that a header of the stored delivery names. The gateway sets the header. */
interface OneAccount {
  readonly form: 'one-account';
  readonly accountHeader: string;
}

/** One object about one account. */
export interface SingleEvent {
  readonly form: 'single-event';
  /** The accounts that the top-level fields of an event name; null if it cannot be read. */
  readonly accountsOf: (fields: ReadonlyMap<string, string | undefined>) => readonly string[] | null;
}

/** Past data is requested span by span, and arrives through webhooks. */
export interface RequestedBackfill {
  readonly from: 'requests';
  /** The data types that can be requested, in the order of requests. */
  readonly types: readonly string[];
  /** The kinds of data that a type brings. A repair of these kinds requests it. */
  readonly brings: Readonly<Record<string, readonly SharedData[]>>;
  /** Whether a granted scope includes past data. */
  readonly isPastGranted: (scope: readonly string[]) => boolean;
  /** The longest span of one request. */
  readonly longestSpanMs: number;
  readonly url: (settings: never, request: BackfillRequest) => URL;
  /** The meaning of a refusal, by its HTTP status. */
  readonly refusals: Readonly<Record<number, BackfillRefusal>>;
}

/** One data type and a span of time. */
export interface BackfillRequest {
  readonly type: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The reason why a provider sends no past data: the user withholds it, it was requested before, the type is disabled. */
export type BackfillRefusal = 'HISTORY_WITHHELD' | 'ASKED_BEFORE' | 'TYPE_OFF';

/** Past data is read page by page, by a service with the actions `startBackfill`, `backfillStatus` and `cancelBackfill`. */
export interface PagedBackfill {
  readonly from: 'pages';
  readonly service: string;
}

/** The user's app sends all past data without a request. The service has the action `backfillStatus`. */
interface UploadedBackfill {
  readonly from: 'uploads';
  readonly service: string;
}

/** Past data is in files, whose import makes the connection. The service has the action `backfillStatus`. */
interface ImportedBackfill {
  readonly from: 'files';
  readonly service: string;
}
