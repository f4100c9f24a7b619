import type { ConsentText } from '../../../contracts/connect/consents.ts';
import type { Language } from '../../../contracts/connect/schemas.ts';
import type { Cursor } from '../../../domain/cursor.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** What a user agrees to. Null `text`: on the page of the provider only. */
export interface NewConsent {
  readonly userId: string;
  readonly provider: ProviderName;
  readonly scopes: readonly string[];
  readonly sessionId: string | null;
  readonly text: ConsentText | null;
}

const insert = `
insert into connect.consent (user_id, provider, kind, text_version, language, scopes, session_id)
select id, $2, $3, $4, $5, $6, $7 from users.live_of(array[$1::uuid]) as id`;

/** Stores a consent, unless the user is deleted. */
export async function insertConsent(
  transaction: Queryable,
  { userId, provider, scopes, sessionId, text }: NewConsent,
): Promise<void> {
  const kind = sessionId === null ? 'provider' : 'page';
  const values = [userId, provider, kind, text?.version ?? null, text?.language ?? null, scopes, sessionId];
  await transaction.query(insert, values);
}

/** A consent as it is stored. */
export interface ConsentRow {
  readonly id: string;
  readonly provider: ProviderName;
  readonly kind: 'page' | 'provider';
  readonly text_version: number | null;
  readonly language: Language | null;
  readonly scopes: string[];
  readonly session_id: string | null;
  readonly agreed_at: Date;
  readonly withdrawn_at: Date | null;
}

/** The user and the range of times; null: without this end. */
interface ConsentFilter {
  readonly userId: string;
  readonly start: Date | null;
  readonly end: Date | null;
}

const filtered = `from connect.consent where user_id = $1 and ($2::timestamptz is null or agreed_at >= $2)
  and ($3::timestamptz is null or agreed_at < $3)`;
const valuesOf = ({ userId, start, end }: ConsentFilter) => [userId, start, end];

/** At most `most` consents in the order in which they are read: newest first, backward oldest first. */
export function selectConsents(
  database: Queryable,
  filter: ConsentFilter,
  cursor: Cursor<readonly [string]> | null,
  most: number,
): Promise<ConsentRow[]> {
  const [comparison, order] = cursor?.direction === 'previous' ? ['>', 'asc'] : ['<', 'desc'];
  const text = `
    select id::text, provider, kind, text_version, language, scopes, session_id, agreed_at, withdrawn_at
    ${filtered} and ($4::bigint is null or id ${comparison} $4)
    order by consent.id ${order} limit $5`;
  return database.query<ConsentRow>(text, [...valuesOf(filter), cursor?.key[0] ?? null, most]);
}

/** The number of consents. */
export async function countConsents(database: Queryable, filter: ConsentFilter): Promise<number> {
  const text = `select count(*)::int as n ${filtered}`;
  const [row] = await database.query<{ n: number }>(text, valuesOf(filter));
  return row?.n ?? 0;
}

/** Deletes the consents of a user. */
export async function deleteConsents(database: Queryable, userId: string): Promise<void> {
  await database.query('delete from connect.consent where user_id = $1', [userId]);
}
