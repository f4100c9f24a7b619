import type { IntervalRecord, IntervalSource, SummedType } from '../records/interval-records.ts';
import type { StoreItem } from '../records/records.ts';
import type { SeriesType } from '../records/series.ts';
import type { Track } from '../workouts/track.ts';
import type { Notifications } from './notifications.ts';
import type { OfSettings } from './of-settings.ts';
import type { RecordFile, RecordFiles } from './record-file.ts';

/**
 * A provider whose notifications name what changed, or that is read again and again because it has none. A job reads it again and
 * replaces what is stored. All functions are pure and receive all settings; a provider reads only its own.
 */
export interface Pull {
  /** Null: it has none. The sweeps of its types are frequent instead. */
  readonly notifications: Notifications | null;
  /** The data that is read, by the name in a backfill and in the store's `data_type`. */
  readonly types: Readonly<Record<string, PulledType>>;
  /** A small read that needs only a valid token. It decides whether our access has ended. */
  readonly probe: PullRequest;
  /** What an answer means. Null: it is a success. It decides before an answer is read as a page. */
  readonly failure: (reply: PullReply, nowMs: number) => PullFailure | null;
  /** Whether records that came from a provider to which the user is connected are left out. Omitted: none are. */
  readonly leavesOutConnected?: OfSettings<[], boolean>;
  /** Limits of requests, each over a sliding window. A request counts against all of them. */
  readonly limits: readonly RequestLimit[];
  readonly pace: PullPace;
  /** How notifications are subscribed to. Null: outside of this product. */
  readonly subscription: ApplicationSubscription | AccountSubscription | null;
}

/** How often one type of one account is read after notifications. */
interface PullPace {
  /** Time for which notifications of one account and type are collected. */
  readonly settleMs: number;
  /** Least time between two reads of one account and type. */
  readonly floorMs: number;
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
interface RequestLimit {
  readonly of: 'account' | 'application';
  readonly requests: OfSettings<[], number>;
  readonly windowMs: number;
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
  /** The file that each record names. It is read after the records. */
  readonly file?: RecordFile;
  /** Its samples and intervals have times of the user's clock without an offset, so that a span of them is local too. */
  readonly hasLocalTimes?: boolean;
  /** The provider gives nothing that is older. Older spans are not read: what is stored of them would be deleted. */
  readonly oldestMs?: number;
  /** It lists only what it received since the account was registered: nothing that is stored of the time before is deleted. */
  readonly listsSinceConnection?: boolean;
  /** The name of the provider of ours from which a record came. Null: it came from none of ours, or does not say it. */
  readonly origin?: (record: unknown) => string | null;
  /** Periodic reads without a notification. */
  readonly sweeps: readonly Sweep[];
  readonly replaces: ReplacedTypes;
  /** What the records of a part become. */
  readonly normalise: (read: PartRead) => Normalised;
}

/** A read of the last `days` days, or from the cursor (`days` 0), every `everyMs`. */
interface Sweep {
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
  /** It is one record that a list named. It may say no more than the list did. */
  readonly isDetail?: true;
  /** The cursor after this page; the last page decides. Omitted for types without a cursor. */
  readonly cursor?: string | null;
}

/** All records of a part, by pass. */
export interface PartRead {
  readonly records: Readonly<Record<string, readonly unknown[]>>;
  /** Null for a read from the cursor: nothing is removed then. */
  readonly span: Span | null;
  readonly nowMs: number;
  /** Set for a type whose records name files. */
  readonly files?: RecordFiles;
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

/**
 * The state of a subscription at the provider. `off`: the provider switched it off; `no_address`: none is registered, because the
 * provider cannot reach PUBLIC_URL.
 */
export type SubscriptionState = 'active' | 'missing' | 'off' | 'unknown' | 'no_address';
