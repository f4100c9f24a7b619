import jwt from 'jsonwebtoken';
import t from 'tap';
import type { Tokens } from '../../../contracts/auth/schemas.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import { familyOfId, familyOfRefreshToken } from '../../../services/auth/tables/families.ts';
import { logIn, startAuth, type TestAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';

const shared = await startAuth(t);

const familyOf = ({ access_token }: Tokens): string => Object(jwt.decode(access_token)).family;

/** The time from the start of a family to its end, as PostgreSQL formats it. */
async function lifetimeOf({ database }: TestAuth, tokens: Tokens): Promise<string> {
  const statement = 'select (expires_at - created_at)::text as lifetime from auth.family where id = $1';
  const [row] = await database.query<{ lifetime: string }>(statement, [familyOf(tokens)]);
  return row?.lifetime ?? 'none';
}

/** Moves the start of a family back; its end stays. */
async function age({ database }: TestAuth, tokens: Tokens, interval: string): Promise<void> {
  await database.query('update auth.family set created_at = created_at - $2::interval where id = $1', [
    familyOf(tokens),
    interval,
  ]);
}

const kinds = ['developer', 'sdk'] as const;
type Kind = (typeof kinds)[number];

async function begin(auth: TestAuth, kind: Kind): Promise<Tokens> {
  const { tokens, as } = await logIn(auth.call);
  if (kind === 'developer') return tokens;
  const { id: user_id } = await auth.call('users.create', {});
  return auth.call('auth.issueToken', { user_id }, as);
}

const days: Record<Kind, { readonly refresh: number; readonly absolute: number }> = {
  developer: { refresh: 7, absolute: 30 },
  sdk: { refresh: 60, absolute: 365 },
};

for (const kind of kinds)
  t.test(`${kind}: a refresh moves the end, but not beyond the absolute one`, async (t) => {
    const auth = shared;
    const first = await begin(auth, kind);
    const { refresh, absolute } = days[kind];
    t.equal(await lifetimeOf(auth, first), `${refresh} days`);
    await age(auth, first, `${absolute - 1} days`);
    const second = await auth.call('auth.refresh', { refresh_token: first.refresh_token });
    t.equal(await lifetimeOf(auth, second), `${absolute} days`);
    t.equal(second.expires_in, 3600);
    await age(auth, second, '1 day');
    const { refresh_token } = second;
    await t.rejects(auth.call('auth.refresh', { refresh_token }), refusal('UNAUTHENTICATED'), 'its end');
  });

t.test('no access token outlives its family', async (t) => {
  const auth = shared;
  const first = await begin(auth, 'developer');
  await age(auth, first, '29 days 23:30');
  const second = await auth.call('auth.refresh', { refresh_token: first.refresh_token });
  t.ok(second.expires_in <= 1800, 'half an hour is left');
  const { exp = 0, iat = 0 } = jwt.decode(second.access_token, { json: true }) ?? {};
  t.equal(exp - iat, second.expires_in);
});

t.test('the session settings apply also if shorter than the life of a refresh token', async (t) => {
  const auth = await startAuth(t, { DEVELOPER_SESSION_DAYS: '2', SDK_SESSION_DAYS: '3' });
  t.equal(await lifetimeOf(auth, await begin(auth, 'developer')), '2 days');
  t.equal(await lifetimeOf(auth, await begin(auth, 'sdk')), '3 days');
});

t.test('a session that is older than a setting that was lowered ends at its next refresh', async (t) => {
  const auth = await startAuth(t, { DEVELOPER_SESSION_DAYS: '2' });
  const tokens = await begin(auth, 'developer');
  await age(auth, tokens, '2 days');
  await auth.database.query("update auth.family set expires_at = now() + interval '5 days'");
  const { refresh_token } = tokens;
  await t.rejects(auth.call('auth.refresh', { refresh_token }), refusal('UNAUTHENTICATED'));
});

t.test('a family is found until it ends, by its id and by its refresh token', async (t) => {
  const { call, database } = shared;
  const { tokens } = await logIn(call);
  const id: string = Object(jwt.decode(tokens.access_token)).family;
  const foundWith = (interval: string) =>
    database.transaction(async (transaction) => {
      await transaction.query('update auth.family set expires_at = now() + $1::interval', [interval]);
      const byToken = await familyOfRefreshToken(transaction, sha256(tokens.refresh_token));
      return [(await familyOfId(transaction, id))?.id, byToken?.id];
    });
  t.same(await foundWith('1 second'), [id, id]);
  t.same(await foundWith('-1 second'), [undefined, undefined]);
});
