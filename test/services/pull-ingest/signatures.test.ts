import { createHmac } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import type { HmacAuthentication, SignatureAuthentication } from '../../../domain/provider/notifications.ts';
import type { ProviderAnswer } from '../../../mixins/provider-api/provider-api.ts';
import { bodySecrets, hmacSignatures, signaturesOf } from '../../../services/pull-ingest/work/signatures.ts';

const minuteMs = 60_000;
const body = Buffer.from('a body');

/** A provider whose signatures are `key:valid` or `key:invalid`, with keys in a list of names. */
const authentication: SignatureAuthentication = {
  by: 'signature',
  headers: ['a-signature', 'an-older-name'],
  keyset: {
    url: () => new URL('http://127.0.0.1:9/keys'),
    read: (text) => (text === '' ? null : new Map(text.split(',').map((name) => [name, { name }]))),
    freshMs: 60 * minuteMs,
    floorMs: minuteMs,
  },
  keyId: (signature) => (signature.includes(':') ? (signature.split(':')[0] ?? null) : null),
  verify: (signature, _body, key) => signature === `${key.name}:valid`,
};

function played(published: string | null) {
  let nowMs = 0;
  const state = { published, fetches: 0 };
  const api = {
    async request(): Promise<ProviderAnswer> {
      state.fetches += 1;
      const isUp = state.published !== null;
      return { status: isUp ? 200 : 0, headers: new Headers(), text: state.published ?? '', tries: 1 };
    },
  };
  const signatures = signaturesOf(authentication, { config: loadConfig({}), api }, () => nowMs);
  return {
    state,
    pass: (ms: number) => {
      nowMs += ms;
    },
    problem: (signature?: string, header = 'a-signature') =>
      signatures.problemOf({ headers: signature === undefined ? {} : { [header]: signature }, body }),
  };
}

t.test('accepts a signature under each name of the header, and refuses all others', async (t) => {
  const { problem, state } = played('k1');
  t.same(
    [
      await problem('k1:valid'),
      await problem('k1:valid', 'an-older-name'),
      await problem(),
      await problem('nothing'),
      await problem('k1:invalid'),
      await problem('k2:valid'),
    ],
    [
      ...[null, null, 'SIGNATURE_MISSING', 'SIGNATURE_MALFORMED', 'SIGNATURE_INVALID'],
      'SIGNATURE_KEY_UNKNOWN',
    ],
  );
  t.equal(state.fetches, 1, 'within the floor the keys are not fetched again');
});

t.test('fetches the keys for an unknown key, at most once per floor', async (t) => {
  const { problem, state, pass } = played('k1');
  await problem('k1:valid');
  state.published = 'k2,k1';
  for (let count = 0; count < 20; count++) t.equal(await problem('k2:valid'), 'SIGNATURE_KEY_UNKNOWN');
  t.equal(state.fetches, 1);
  pass(minuteMs);
  t.equal(await problem('k2:valid'), null);
  t.equal(await problem('k1:valid'), null);
  for (let count = 0; count < 20; count++) t.equal(await problem(`x${count}:valid`), 'SIGNATURE_KEY_UNKNOWN');
  t.equal(state.fetches, 2);
});

t.test('accepts nothing while no keys can be fetched, and keeps known keys for a time', async (t) => {
  const { problem, state, pass } = played(null);
  t.equal(await problem('k1:valid'), 'KEYS_UNAVAILABLE');
  state.published = 'k1';
  pass(minuteMs);
  t.equal(await problem('k1:valid'), null);
  state.published = '';
  pass(2 * 60 * minuteMs);
  t.equal(await problem('k1:valid'), null, 'the keys that are known are still used');
  pass(7 * 60 * minuteMs);
  t.equal(await problem('k1:valid'), 'KEYS_UNAVAILABLE');
});

t.test('a key that is no longer published is refused after the next fetch', async (t) => {
  const { problem, state, pass } = played('k1');
  await problem('k1:valid');
  state.published = 'k2';
  pass(61 * minuteMs);
  t.equal(await problem('k1:valid'), 'SIGNATURE_KEY_UNKNOWN');
});

t.test('reads the noted result of a secret in the body, and accepts no delivery without it', async (t) => {
  const problem = (headers: Readonly<Record<string, string>>) => bodySecrets.problemOf({ headers, body });
  t.same(
    [
      await problem({ 'pulsebus-body-secret': 'right' }),
      await problem({ 'pulsebus-body-secret': 'wrong' }),
      await problem({ 'pulsebus-body-secret': 'missing' }),
      await problem({ 'pulsebus-body-secret': 'unset' }),
      await problem({}),
    ],
    [null, 'SECRET_WRONG', 'SECRET_MISSING', 'SECRET_UNSET', 'SECRET_MISSING'],
  );
});

t.test('without a secret no signature is accepted, and the notification is tried again', async (t) => {
  const hmac = {
    by: 'hmac',
    header: 'a-signature',
    encoding: 'hex',
    secret: 'stored',
  } as const satisfies HmacAuthentication;
  const of = (key: string | null) => hmacSignatures(hmac, loadConfig({}), async () => key);
  const signed = (key: string) => createHmac('sha256', key).update(body).digest('hex');
  for (const signature of [signed(''), signed('null'), signed('a secret'), ''])
    t.equal(await of(null).problemOf({ headers: { 'a-signature': signature }, body }), 'KEYS_UNAVAILABLE');
  t.equal(await of('a secret').problemOf({ headers: { 'a-signature': signed('a secret') }, body }), null);
  t.equal(
    await of('a secret').problemOf({ headers: { 'a-signature': signed('') }, body }),
    'SIGNATURE_INVALID',
  );
});
