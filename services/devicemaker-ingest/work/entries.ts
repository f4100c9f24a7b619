import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { LinkedUser, LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import type { DataType } from '../../../providers/devicemaker/data-types.ts';
import { cleanText, type Problem } from '../../../providers/devicemaker/normalise/item.ts';
import type { Group } from '../rules/read-push.ts';

/** What is reported of an account that no user connected. */
export const notConnected = 'no user is connected to this userId';

/** The result of an item for one user. */
type Status = 'saved' | 'duplicate' | 'user_not_found' | 'validation_error';

/** One item for one of our users. It becomes one line of the answer. */
export interface Entry {
  readonly key: string;
  readonly type: DataType;
  readonly index: number;
  readonly item: unknown;
  readonly providerUserId: string | null;
  /** Null if no user is linked to the account. */
  readonly linkedUser: LinkedUser | null;
  /** Null until the item is processed. */
  status: Status | null;
  /** Storing it failed. It is tried again with the delivery. */
  isLeft: boolean;
  recordIds: readonly string[];
  problems: readonly Problem[];
}

/** The account that an item belongs to. Null if the item does not name one. */
export function providerUserIdOf(item: unknown): string | null {
  const id = isItem(item) ? item.userId : null;
  return typeof id === 'string' && id !== '' ? id : null;
}

/**
 * The items of one group, once for each linked user of their account. The number of items of unknown accounts is
 * bounded.
 */
export function entriesOf(
  { key, type, items }: Group,
  linkedUsers: LinkedUsers,
  unknown: UnknownItems,
): Entry[] {
  return items.flatMap((item, index) => {
    const providerUserId = providerUserIdOf(item);
    const found = providerUserId === null ? [] : (linkedUsers.get(providerUserId) ?? []);
    if (found.length === 0 && !unknown.admits(key)) return [];
    const linked = found.length === 0 ? [null] : found;
    return linked.map((linkedUser) => ({
      key,
      type,
      index,
      item,
      providerUserId,
      linkedUser,
      isLeft: false,
      ...verdictOf(item, providerUserId, linkedUser),
    }));
  });
}

function verdictOf(item: unknown, providerUserId: string | null, linkedUser: LinkedUser | null) {
  const nothing = { recordIds: [], problems: [] };
  if (linkedUser !== null) return { status: null, ...nothing };
  if (providerUserId !== null) return { status: 'user_not_found' as const, ...nothing };
  const problem = isItem(item)
    ? { field: 'userId', reason: 'must be a text' }
    : { field: '', reason: 'must be an object' };
  return { status: 'validation_error' as const, recordIds: [], problems: [problem] };
}

/** The sentences that an entry adds to `errors`: item, field and reason, never a value. */
export function sentencesOf(entry: Entry): string[] {
  const where = whereOf(entry);
  if (entry.status === 'user_not_found') return [`${where}: ${notConnected}`];
  if (entry.isLeft) return [`${where}: could not be stored for now; it is tried again`];
  const errors = entry.problems.filter(({ placeholders }) => placeholders === undefined);
  return errors.map(({ field, reason }) =>
    field === '' ? `${where}: ${reason}` : `${where}: ${field}: ${reason}`,
  );
}

/** Number of placeholder values ("not measured") of entries. */
export function placeholdersOf(entries: readonly Entry[]): number {
  return entries
    .flatMap(({ problems }) => problems)
    .reduce((sum, { placeholders = 0 }) => sum + placeholders, 0);
}

function whereOf({ key, index, item }: Entry): string {
  const summaryId = isItem(item) ? item.summaryId : null;
  const named = typeof summaryId === 'string' ? cleanText(summaryId, 100) : '';
  return named === '' ? `${key}[${index}]` : `${key}[${index}] (${named})`;
}

/**
 * Limits how many items of unknown accounts an answer lists. A small body can contain thousands of them, and each costs
 * a status, a sentence and a line. The others are only counted.
 */
export class UnknownItems {
  readonly #most: number;
  readonly #left = new Map<string, number>();
  #listed = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether the next item of this key is listed. */
  admits(key: string): boolean {
    if (this.#listed < this.#most) {
      this.#listed += 1;
      return true;
    }
    this.#left.set(key, (this.#left.get(key) ?? 0) + 1);
    return false;
  }

  /** One sentence for each key whose items are not all listed. */
  sentences(): string[] {
    return [...this.#left].map(
      ([key, left]) => `${key}: ${left} more items belong to no user and are not listed`,
    );
  }
}
