import { createHmac } from 'node:crypto';
import t from 'tap';
import { signatureProblem } from '../../../services/activitynet-ingest/rules/signature.ts';

const secret = 'the client secret';
const body = Buffer.from('{"object_id":1}');
const receivedMs = 1_776_520_000_000;

function sign(seconds: number | null, text: Buffer | string = body, key = secret): string {
  return createHmac('sha256', key).update(`${seconds}.`).update(text).digest('hex');
}

const check = (header: string | undefined, changes: Record<string, unknown> = {}) =>
  signatureProblem({ header, body, receivedMs, secret, required: false, ...changes });

t.test('believes a signature of the raw body within 300 seconds, either way', (t) => {
  for (const [seconds, problem] of [
    [1_776_520_000, null],
    [1_776_519_700, null],
    [1_776_520_300, null],
    [1_776_519_699, 'SIGNATURE_STALE'],
    [1_776_520_301, 'SIGNATURE_STALE'],
  ] as const)
    t.equal(check(`t=${seconds},v1=${sign(seconds)}`), problem, String(seconds));
  t.equal(check(`v1=${sign(1_776_520_000)}, t=1776520000`), null, 'in any order');
  t.equal(check(`t=1776520000,v1=${'0'.repeat(64)},v1=${sign(1_776_520_000)}`), null, 'one of several');
  t.end();
});

t.test('refuses what is forged or broken', (t) => {
  const now = 1_776_520_000;
  for (const header of [
    `t=${now},v1=${sign(now, body, 'another secret')}`,
    `t=${now},v1=${sign(now, '{"object_id":2}')}`,
    `t=${now + 1},v1=${sign(now)}`,
    `t=${now},v1=${sign(now).slice(0, 62)}`,
    `t=${now},v0=${sign(now)}`,
    `t=${now}`,
    `v1=${sign(now)}`,
    `v1=${sign(null)}`,
    'nonsense',
    '',
  ])
    t.equal(check(header), 'SIGNATURE_INVALID', header);
  t.end();
});

t.test('without a signature an event is believed, unless one is required', (t) => {
  t.equal(check(undefined), null);
  t.equal(check(undefined, { required: true }), 'SIGNATURE_MISSING');
  const header = `t=1776520000,v1=${sign(1_776_520_000)}`;
  t.equal(check(header, { secret: undefined }), null, 'nothing to check it with');
  t.equal(check(header, { secret: undefined, required: true }), 'SIGNATURE_UNCHECKED');
  t.end();
});
