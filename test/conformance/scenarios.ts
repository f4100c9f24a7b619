import type { Post } from '../../sandbox/server/delivery.ts';
import type { Product } from './product.ts';

/** A user of ours with an account at a played provider. */
export interface Account {
  readonly userId: string;
  /** The number of the person at the simulation. */
  readonly person: number;
  /** The time of the provider's clock at which the account was connected. */
  readonly fromMs: number;
  /** The permissions that the user withheld. */
  readonly without: readonly string[];
}

/** What the simulation expects and what the product serves, in the same form. */
export interface Comparison {
  readonly want: unknown;
  readonly have: unknown;
}

/** A scenario that the provider cannot have, and why. */
export interface DoesNotApply {
  readonly doesNotApply: string;
}

/** Plays a trouble while the account gets new data, and repairs what it left. Returns how often the trouble occurred. */
export interface Disturbance {
  play(product: Product, account: Account): Promise<number>;
}

/** A request of a stranger, and the status that refuses it. */
export interface Forgery {
  readonly title: string;
  readonly post: Post;
  readonly status: number;
}

/** Requests of strangers. They cause no request to the provider. */
export type Forgeries = (
  product: Product,
  account: Account,
) => readonly Forgery[] | Promise<readonly Forgery[]>;

/** The provider answers 429 to everything for a while. Until its pause is over, at most `mostRequests` are sent. */
export interface RateLimit extends Disturbance {
  readonly mostRequests: number;
}

/** The user withholds a part. `tooLittle`: without these nothing could be read, so no connection is made. */
export interface PartialScopes {
  readonly without: readonly string[];
  readonly tooLittle: readonly string[];
}

/** The user ends our access at the provider. The connection then has this status. */
export interface EndAtProvider {
  end(product: Product, account: Account): Promise<void>;
  readonly status: 'revoked' | 'expired';
}

/** A disconnect in the product. `isEnded` shows whether the provider has learned of it. */
export interface EndInProduct {
  isEnded(product: Product, account: Account): boolean;
}

/** What is left of a user who is deleted while work of the account waits in queues. */
interface Erasure {
  /** Leaves work in the queues: data that is not read or not complete yet. */
  queue(product: Product, account: Account): Promise<unknown>;
}

/** What a provider must have an answer for. */
export interface Means {
  readonly forged: Forgeries;
  readonly duplicate: Disturbance;
  readonly lost: Disturbance;
  readonly outOfOrder: Disturbance;
  readonly late: Disturbance;
  readonly rotatedTokens: Disturbance;
  readonly expiredTokens: Disturbance;
  readonly rateLimit: RateLimit;
  readonly serverErrors: Disturbance;
  readonly partialScopes: PartialScopes;
  readonly endedAtProvider: EndAtProvider;
  readonly endedInProduct: EndInProduct;
  readonly erasure: Erasure;
}

/** The name of a scenario. */
export type Scenario = keyof Means;

/**
 * The name of a disturbance of uploads: `damaged` contents, senders in `parallel`, an `interrupted` store, a `revoked` credential, a
 * source that is `connectedAgain`, data that is `deleted` or `changed` at the source, and a user who shares a `selection` of types.
 */
type More =
  | 'damaged'
  | 'parallel'
  | 'interrupted'
  | 'revoked'
  | 'connectedAgain'
  | 'deleted'
  | 'changed'
  | 'selection';

/** An answer for every scenario: how it is played, or why it does not apply. */
type Scenarios = { readonly [S in Scenario]: Means[S] | DoesNotApply };

/** A played provider as the suite uses it. Only its descriptor names it. */
export interface Descriptor {
  /** Connects a user of ours; `person` is a number from 0 that each connection of the suite has once. */
  connect(product: Product, person: number, without: readonly string[]): Promise<Account>;
  /** The account gets new data, and the provider sends what it sends of it. */
  newData(product: Product, account: Account): Promise<void>;
  compare(product: Product, account: Account): Promise<Comparison>;
  /** A genuine notification or upload of the account. The provider may send it late. */
  genuine(product: Product, account: Account): Post | Promise<Post>;
  readonly scenarios: Scenarios;
  /** Disturbances that only some sources can have. */
  readonly more?: Readonly<Partial<Record<More, Disturbance>>>;
}

/** Whether a scenario applies. */
export function applies<T extends object>(answer: T | DoesNotApply): answer is T {
  return !('doesNotApply' in answer);
}
