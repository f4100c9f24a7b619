import t from 'tap';
import {
  isTotpCode,
  newRecoveryCodes,
  newTotpSecret,
  otpauthUrlOf,
  plainCode,
  stepOf,
} from '../../../services/auth/rules/totp-codes.ts';

// RFC 6238, appendix B, for SHA-1: the last six of its eight digits. The secret is `12345678901234567890`.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors = [
  [59, '287082', 1],
  [1_111_111_109, '081804', 37_037_036],
  [1_111_111_111, '050471', 37_037_037],
  [1_234_567_890, '005924', 41_152_263],
  [2_000_000_000, '279037', 66_666_666],
  [20_000_000_000, '353130', 666_666_666],
] as const;

t.test('the codes are those of RFC 6238', async (t) => {
  for (const [seconds, code, step] of vectors) t.equal(stepOf(secret, code, seconds * 1000), step, code);
});

t.test('a clock may differ by one step, and no more', async (t) => {
  const [, code, step] = vectors[3];
  const middleMs = step * 30_000 + 15_000;
  const steps = [-2, -1, 0, 1, 2].map((skew) => stepOf(secret, code, middleMs + skew * 30_000));
  t.strictSame(steps, [null, step, step, step, null]);
  for (const bad of ['', '00592', '0059244', '000000', 'abcdef'])
    t.equal(stepOf(secret, bad, middleMs), null);
});

t.test('a secret has 160 bits, and its URL names the account', async (t) => {
  t.match(newTotpSecret(), /^[A-Z2-7]{32}$/);
  t.not(newTotpSecret(), newTotpSecret());
  const url = new URL(otpauthUrlOf(secret, 'ada@example.com'));
  t.equal(
    `${url.protocol}//${url.host}${decodeURIComponent(url.pathname)}`,
    'otpauth://totp/Pulsebus:ada@example.com',
  );
  t.match(Object.fromEntries(url.searchParams), { secret, issuer: 'Pulsebus', digits: '6', period: '30' });
});

t.test('ten recovery codes differ, and are read with or without hyphens', async (t) => {
  const codes = newRecoveryCodes();
  t.equal(new Set(codes).size, 10);
  for (const code of codes) {
    t.match(code, /^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
    t.equal(plainCode(` ${code.toUpperCase()} `), code.replaceAll('-', ''));
    t.notOk(isTotpCode(plainCode(code)));
  }
  t.ok(isTotpCode(plainCode('123 456')));
});
