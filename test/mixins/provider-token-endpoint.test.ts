import t from 'tap';
import { readTokens } from '../../mixins/provider-api/token-endpoint.ts';

const nowMs = Date.UTC(2026, 0, 1);
const read = (status: number, body: unknown) =>
  readTokens({ status, text: typeof body === 'string' ? body : JSON.stringify(body) }, nowMs);

t.test('reads tokens of either provider', async (t) => {
  const tokens = { access_token: 'a', refresh_token: 'r' };
  t.same(read(200, { ...tokens, expires_in: 86_400, scope: 'X' }), {
    kind: 'fresh',
    tokens: { ...tokens, expires_at_ms: nowMs + 86_400_000 },
  });
  t.same(read(200, { ...tokens, expires_at: nowMs / 1000 + 21_600, expires_in: 1 }), {
    kind: 'fresh',
    tokens: { ...tokens, expires_at_ms: nowMs + 21_600_000 },
  });
  t.same(read(200, { access_token: 'a' }), {
    kind: 'fresh',
    tokens: { access_token: 'a', refresh_token: null, expires_at_ms: null },
  });
  t.match(read(200, { access_token: 'a', expires_in: 1e18 }), {
    tokens: { expires_at_ms: nowMs + 365 * 86_400_000 },
  });
});

const cases: [what: string, status: number, body: unknown, kind: string][] = [
  ['a grant that is no longer valid', 400, { error: 'invalid_grant' }, 'refused'],
  ['the same with 401', 401, { error: 'invalid_grant' }, 'refused'],
  ['a refusal without a word', 401, '', 'refused'],
  ['a bad request without a word', 400, '', 'later'],
  ['a bad request that is a page', 400, '<html>', 'later'],
  ['a bad request without a code', 400, { error: 'Bad Request', status: 400 }, 'later'],
  ['a bad request whose code is no text', 400, { error: { code: 'invalid_grant' } }, 'later'],
  ['a bad request with an empty list', 400, { errors: [] }, 'later'],
  ['a bad request with errors without a subject', 400, { errors: [{ code: 'invalid' }] }, 'later'],
  ['a token that has expired, by a code of the provider', 400, { error: 'expired_token' }, 'refused'],
  ['a server that is busy', 400, { error: 'temporarily_unavailable' }, 'later'],
  [
    "the activity platform's refusal",
    400,
    { errors: [{ resource: 'RefreshToken', code: 'invalid' }] },
    'refused',
  ],
  ["the activity platform's refusal of our client", 400, { errors: [{ resource: 'Application' }] }, 'later'],
  ['a refusal of our client', 401, { error: 'invalid_client' }, 'later'],
  ['a request of ours that is wrong', 400, { error: 'invalid_request' }, 'later'],
  ['a failure', 500, { error: 'invalid_grant' }, 'later'],
  ['no answer', 0, '', 'later'],
  ['too many requests', 429, '', 'later'],
  ['success without a token', 200, { token: 'a' }, 'later'],
  ['success with an empty token', 200, { access_token: '' }, 'later'],
  ['success that is no JSON', 200, '<html>', 'later'],
];

for (const [what, status, body, kind] of cases)
  t.test(`${what} is ${kind}`, async (t) => t.equal(read(status, body).kind, kind));
