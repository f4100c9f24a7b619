import t from 'tap';
import { readTokens } from '../../../mixins/provider-api/token-endpoint.ts';
import { plainReply } from '../../../providers/withings/plain-reply.ts';

const replyTo = (envelope: unknown) => plainReply({ status: 200, text: JSON.stringify(envelope) });

t.test('the body of a success is the answer', async (t) => {
  t.same(replyTo({ status: 0, body: { userid: 7 } }), { status: 200, text: '{"userid":7}' });
  t.same(replyTo({ status: 0 }), { status: 200, text: '{}' });
});

const meanings: [what: string, envelope: unknown, status: number, error?: string][] = [
  ['a bad signature of the user', { status: 100 }, 401, 'invalid_grant'],
  ['a token that is not valid', { status: 401, error: 'XRequestID: invalid_token' }, 401, 'invalid_grant'],
  ['an expired code', { status: 503, error: 'Invalid Params: invalid code' }, 400, 'invalid_grant'],
  [
    'a used refresh token',
    { status: 503, error: 'Invalid Params: invalid refresh_token' },
    400,
    'invalid_grant',
  ],
  ['a wrong client secret', { status: 401, error: 'Invalid client_secret' }, 401, 'invalid_client'],
  ['a wrong parameter', { status: 503, error: 'Invalid Params: startdate' }, 400, 'invalid_request'],
  ['a callback address that is not accepted', { status: 293 }, 400, 'invalid_request'],
  ['an unknown subscription', { status: 2554 }, 400, 'invalid_request'],
  ['too many requests', { status: 601 }, 429],
  ['a time-out', { status: 522 }, 503],
  ['an internal error', { status: 9000 }, 503],
];

for (const [what, envelope, status, error] of meanings)
  t.test(`${what} is HTTP ${status}`, async (t) => {
    const reply = replyTo(envelope);
    t.equal(reply.status, status);
    if (error !== undefined) t.match(JSON.parse(reply.text), { error });
  });

t.test('an answer without an envelope is no success, and an HTTP error stays one', async (t) => {
  for (const text of ['', '<html>', '[]', '{"userid":7}', '{"status":"0"}'])
    t.equal(plainReply({ status: 200, text }).status, 502, text);
  t.same(plainReply({ status: 429, text: 'slow down' }), { status: 429, text: 'slow down' });
});

t.test('only a refused refresh token ends a connection', async (t) => {
  const kindOf = (envelope: unknown) => readTokens(replyTo(envelope), 0).kind;
  t.equal(kindOf({ status: 503, error: 'Invalid Params: invalid refresh_token' }), 'refused');
  t.equal(kindOf({ status: 401, error: 'invalid_token' }), 'refused');
  for (const envelope of [
    { status: 401, error: 'Invalid client_secret' },
    { status: 503, error: 'Invalid Params: missing grant_type' },
    { status: 601, error: 'Too Many Requests' },
    { status: 522 },
  ])
    t.equal(kindOf(envelope), 'later', JSON.stringify(envelope));
  const tokens = { userid: '42', access_token: 'a', refresh_token: 'r', expires_in: 10_800 };
  t.match(readTokens(replyTo({ status: 0, body: tokens }), 1000), {
    kind: 'fresh',
    tokens: { access_token: 'a', refresh_token: 'r', expires_at_ms: 10_801_000 },
  });
});
