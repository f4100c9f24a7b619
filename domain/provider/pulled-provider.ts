import type { IntervalRecord, IntervalSource, SummedType } from '../records/interval-records.ts';
import type { StoreItem } from '../records/records.ts';
import type { SeriesType } from '../records/series.ts';
import type { Track } from '../workouts/track.ts';

/**
 * A provider whose notifications name what changed. A job reads it again and replaces what is stored. All functions are
 * pure and receive all settings; a provider reads only its own.
 */
export interface Pull {
  readonly notifications: Notifications;
  /** The data that is read, by the name in a backfill and in the store's `data_type`. */
  readonly types: Readonly<Record<string, PulledType>>;
  /** A small read that needs only a valid token. It decides whether our access has ended. */
  readonly probe: PullRequest;
  /** What an answer means. Null: it is a success. It decides before an answer is read as a page. */
  readonly failure: (reply: PullReply, nowMs: number) => PullFailure | null;
  /** Limits of requests, each over a sliding window. A request counts against all of them. */
  readonly limits: readonly RequestLimit[];
  readonly pace: PullPace;
  /** How notifications are subscribed to. Null: outside of this product. */
  readonly subscription: ApplicationSubscription | AccountSubscription | null;
}

/**
 * A function of all settings of which a provider reads its own. As the type of a method it accepts functions that name
 * those only.
 */
export type OfSettings<A extends readonly unknown[], T> = { of(settings: object, ...rest: A): T }['of'];

/** How often one type of one account is read after notifications. */
export interface PullPace {
  /** Time for which notifications of one account and type are collected. */
  readonly settleMs: number;
  /** Least time between two reads of one account and type. */
  readonly floorMs: number;
  /** Least time between two reads of one account that only unauthenticated notifications demand. */
  readonly unauthenticatedFloorMs: number;
}

/** A request to the provider's API. Without `form` and `json` it is a GET. The path is relative to the API's URL. */
export interface PullRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly method?: 'DELETE' | 'PATCH' | 'PUT' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer. Header names are lower case. Status 0: there was none. */
export interface PullReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * `later`: a temporary failure. `limited`: a limit is reached, of the account or of the application, for `waitMs` (null:
 * the provider does not say). `unauthorized`: the token is refused. `withheld`: the user did not grant this type.
 * `missing`: there is no such data, as an empty page. `refused`: a permanent failure.
 */
export type PullFailure =
  | { readonly kind: 'later' | 'unauthorized' | 'withheld' | 'missing' | 'refused'; readonly reason: string }
  | {
      readonly kind: 'limited';
      readonly reason: string;
      readonly of: 'account' | 'application';
      readonly waitMs: number | null;
    };

/** At most so many requests of an account, or of the application, in a window. */
export interface RequestLimit {
  readonly of: 'account' | 'application';
  readonly requests: OfSettings<[], number>;
  readonly windowMs: number;
}

/** The notifications of a provider, at /webhooks/{provider}/{kind}. */
export interface Notifications {
  readonly kind: string;
  /** A body for the documentation. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly bodyLimitBytes: number;
  /** The media type of the bodies. */
  readonly form: 'json' | 'form';
  /** The status of the answer to a stored notification. 204 has no body. */
  readonly acceptedStatus: 200 | 204;
  /** HEAD and GET of the address return 200, because the provider checks it so when it subscribes. */
  readonly answersProbe: boolean;
  readonly authentication: AddressAuthentication | SignatureAuthentication | HmacAuthentication;
  /** GET of the address with our token answers the provider's challenge. */
  readonly challenge?: Challenge;
  /**
   * Whether a body is a check of the address at which the provider wants a status: 200 with the right Authorization header
   * (`authorization`), otherwise 401. Null without such a check.
   */
  readonly isHandshake: ((body: Buffer) => boolean) | null;
  /** The value that the Authorization header must have if it is present. Null: the header is not used. */
  readonly authorization: OfSettings<[], string | undefined> | null;
  /** What a body names. Null: it cannot be read. At most 1,000 hints of a body are used. */
  readonly read: (body: Buffer) => readonly Hint[] | null;
}

/** Only the secret address authenticates a notification. On the plain address it is an unauthenticated hint. */
export interface AddressAuthentication {
  readonly by: 'address';
}

/** A signature over the raw body. A body without a valid one is refused at every address. */
export interface SignatureAuthentication {
  readonly by: 'signature';
  /** Alternative names of the header, in lower case; list them in `webhooks.keptHeaders` too. */
  readonly headers: readonly string[];
  readonly keyset: Keyset;
  /** The id of the key of a signature. Null: the signature is malformed. */
  readonly keyId: (signature: string) => string | null;
  readonly verify: (signature: string, body: Buffer, key: PublicKey) => boolean;
}

/**
 * An HMAC-SHA256 over the raw body, with a secret that the provider shares with the application. A body without a valid one
 * is refused at every address.
 */
export interface HmacAuthentication {
  readonly by: 'hmac';
  /** In lower case; list it, and the header of the time, in `webhooks.keptHeaders` too. */
  readonly header: string;
  /** The header whose text stands before the body in what is signed. */
  readonly timeHeader?: string;
  readonly encoding: 'hex' | 'base64';
  /** `stored`: the provider gave it when the subscription was made. */
  readonly secret: OfSettings<[], string | undefined> | 'stored';
}

/** The names of the query fields of a check, and our token. */
export interface Challenge {
  readonly token: string;
  readonly challenge: string;
  readonly expected: OfSettings<[], string | undefined>;
}

/** Keys that rotate, published at an address. */
export interface Keyset {
  readonly url: OfSettings<[], URL>;
  /** The usable keys of the published text, by id. Null: it cannot be read. */
  readonly read: (text: string) => ReadonlyMap<string, PublicKey> | null;
  /** A keyset is fetched again after this time. */
  readonly freshMs: number;
  /** Least time between two fetches. */
  readonly floorMs: number;
}

/** A public key as a JSON Web Key. */
export type PublicKey = Readonly<Record<string, string>>;

/** What a notification names. A hint changes nothing by itself. */
export type Hint = ChangeHint | AccessHint;

/** Data of an account changed. */
export interface ChangeHint {
  readonly kind: 'changed';
  readonly account: string;
  /** The names of types; unknown ones are ignored. */
  readonly types: readonly string[];
  /** The changed span; null if the types are read from a cursor, or if the notification names none. */
  readonly span: Span | null;
  /** The provider's id of the record. Where it is stored, the span that it has there is read as well. */
  readonly id?: string;
}

/** Our access to an account may have ended: the probe is sent, and only a refused token ends the connection. */
export interface AccessHint {
  readonly kind: 'access';
  readonly account: string;
}

/** Instants in [startMs, endMs). */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** One kind of data and how it is read. */
export interface PulledType {
  /** Whether the granted scope permits its reads. Types without a grant are not read. */
  readonly isGranted: (scope: readonly string[]) => boolean;
  /**
   * `spans`: a hint names a span that is read again. `cursor`: a hint leads to a read of all that is newer than the cursor;
   * spans are read for backfill and for the sweep.
   */
  readonly follows: 'spans' | 'cursor';
  /** The reads of a part, each of one or more pages. All pages of all passes are read before anything is replaced. */
  readonly passes: Readonly<Record<string, PullPass>>;
  /** The longest span of one part. What is stored of a part is replaced in one transaction. */
  readonly longestSpanMs: number;
  /** Widens a span to whole units, such as days or nights, before it is read and replaced. */
  readonly widen?: (span: Span) => Span;
  /** A hint without a span leads to a read of this time until now. Omitted: such a hint is ignored. */
  readonly recentMs?: number;
  /** Its records have times of the device's clock without an offset. */
  readonly hasLocalTimes?: boolean;
  /** The provider gives nothing that is older. Older spans are not read: what is stored of them would be deleted. */
  readonly oldestMs?: number;
  /** It lists only what it received since the account was registered: nothing that is stored of the time before is deleted. */
  readonly listsSinceConnection?: boolean;
  /** Periodic reads without a notification. */
  readonly sweeps: readonly Sweep[];
  readonly replaces: ReplacedTypes;
  /** What the records of a part become. */
  readonly normalise: (read: PartRead) => Normalised;
}

/** A read of the last `days` days, or from the cursor (`days` 0), every `everyMs`. */
export interface Sweep {
  readonly everyMs: number;
  readonly days: number;
}

/** One kind of request of a part. */
export interface PullPass {
  readonly request: OfSettings<[part: PullPart], PullRequest>;
  /** The records of an answer. Null: it cannot be read. */
  readonly read: (reply: PullReply, part: PullPart) => PullPage | null;
  /** The page of an answer that there is no such data, behind the first page. Null: the part cannot be read as a whole. */
  readonly missing?: (part: PullPart) => PullPage | null;
  /** Read instead once the provider has refused this pass with a reason of the fallback. */
  readonly fallback?: { readonly on: string; readonly pass: PullPass };
}

/** The part that a request is for. `span` is null for a read from the cursor; `page` is null for the first page. */
export interface PullPart {
  readonly span: Span | null;
  /** Null: there is none yet, and the request chooses where it begins. Past data is read by spans. */
  readonly cursor: string | null;
  readonly page: string | null;
  readonly nowMs: number;
}

/** A page. `next` is the `page` of the following request, null on the last page. */
export interface PullPage {
  readonly records: readonly unknown[];
  readonly next: string | null;
  /** The cursor after this page; the last page decides. Omitted for types without a cursor. */
  readonly cursor?: string | null;
}

/** All records of a part, by pass. */
export interface PartRead {
  readonly records: Readonly<Record<string, readonly unknown[]>>;
  /** Null for a read from the cursor: nothing is removed then. */
  readonly span: Span | null;
  readonly nowMs: number;
  /** The latest known offset of the user's clocks, for times without one. */
  readonly offsetMinutes?: number | null;
}

/**
 * The items of a part. Samples of summed types are `intervals`, everything else is in `items`. The hash of an item without
 * records is replaced by the service, so that a repeated read is stored. Records that cannot be used are counted by reason.
 */
export interface Normalised {
  readonly items: readonly StoreItem[];
  readonly intervals?: PartIntervals;
  /** The tracks of workouts by the keys of their items, with all positions. */
  readonly tracks?: ReadonlyMap<string, Track>;
  readonly skipped: Readonly<Record<string, number>>;
}

/** Intervals of a part; each names its source by the index. */
export interface PartIntervals {
  readonly sources: readonly IntervalSource[];
  readonly intervals: readonly IntervalRecord[];
}

/**
 * What is deleted in the span of a part if its items do not contain it: samples of `series`, intervals of the summed types,
 * records that start in the span. With `devices`, only samples of these. Samples of the types `together` are deleted with a sample of `series` of the same device
 * and instant.
 */
export interface ReplacedTypes {
  readonly series?: readonly SeriesType[];
  readonly devices?: readonly string[];
  readonly together?: readonly SeriesType[];
  readonly intervals?: readonly SummedType[];
  readonly records?: readonly ('workouts' | 'sleeps' | 'days' | 'others' | 'scores')[];
}

/** The subscriptions of the application, checked with credentials of the application. */
export interface ApplicationSubscription {
  readonly of: 'application';
  readonly everyMs: number;
  /** How requests show which application sends them. Null: its credentials are not set, so nothing is checked. */
  readonly proof: OfSettings<[nowMs: number], ApplicationProof | null>;
  readonly check: OfSettings<[], PullRequest>;
  readonly read: OfSettings<[reply: PullReply, address: string, nowMs: number], SubscriptionState>;
  /** The requests that create or renew what is missing at `address`, after a check that did not find all of it active. */
  readonly renewals: OfSettings<[reply: PullReply, address: string, nowMs: number], readonly PullRequest[]>;
  /** The secret that the answer to a renewal contains, with which the provider signs from then on. */
  readonly secretOf?: (reply: PullReply) => string | null;
  /** The requests that end the subscriptions of a check, so that a new one gives its secret again. */
  readonly endings?: (reply: PullReply) => readonly PullRequest[];
}

/** The form of a token request of the application, its id and secret (RFC 6749, 2.3.1), or headers. */
export type ApplicationProof =
  | { readonly url: URL; readonly form: Readonly<Record<string, string>> }
  | { readonly client: { readonly id: string; readonly secret: string } }
  | { readonly headers: Readonly<Record<string, string>> };

/** Subscriptions of each account, with its token. */
export interface AccountSubscription {
  readonly of: 'account';
  readonly everyMs: number;
  /** The request that lists the subscriptions of an account. */
  readonly list: OfSettings<[address: string], PullRequest>;
  /** The requests that complete them. */
  readonly missing: OfSettings<
    [reply: PullReply, account: { readonly address: string; readonly scope: readonly string[] }],
    readonly PullRequest[] | null
  >;
}

/** The state of a subscription at the provider. `off`: the provider switched it off. */
export type SubscriptionState = 'active' | 'missing' | 'off' | 'unknown';
