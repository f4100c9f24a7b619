import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { Pulsebus, WebhookVerificationError, webhooks } from '../../clients/typescript/src/index.ts';

const secretOf = () => `whsec_${randomBytes(24).toString('base64')}`;
const secret = secretOf();
const body = JSON.stringify({
  type: 'user.created',
  timestamp: '2026-01-01T00:00:00Z',
  data: { name: 'Zoë' },
});

function signed(secrets: readonly string[], at = new Date()) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((one) => new Webhook(one).sign('msg_1', at, body)).join(' '),
  };
}

t.test('a signed message is returned as its event, from a text, bytes, an object and Headers', async (t) => {
  const headers = signed([secret]);
  const bytes = new TextEncoder().encode(body);
  t.match(await webhooks.verify(headers, body, secret), { type: 'user.created', data: { name: 'Zoë' } });
  t.match(await webhooks.verify(new Headers(headers), bytes, secret), { type: 'user.created' });
  t.match(await webhooks.verify(headers, bytes.buffer, secret), { type: 'user.created' });
  const pulsebus = new Pulsebus({ baseUrl: 'http://pulsebus.test' });
  t.match(await pulsebus.webhooks.verify(headers, body, secret), { type: 'user.created' });
});

t.test('one of several signatures and one of several secrets suffice', async (t) => {
  const other = secretOf();
  t.ok(await webhooks.verify(signed([other, secret]), body, secret));
  t.ok(await webhooks.verify(signed([secret]), body, [other, secret]));
  await t.rejects(webhooks.verify(signed([secret]), body, [other, secretOf()]), {
    code: 'SIGNATURE_INVALID',
  });
});

t.test('a changed message is refused', async (t) => {
  const headers = signed([secret]);
  const signature = headers['webhook-signature'];
  const changes = [
    [headers, `${body} `],
    [{ ...headers, 'webhook-id': 'msg_2' }, body],
    [{ ...headers, 'webhook-signature': 'v1,' }, body],
    [{ ...headers, 'webhook-signature': 'v1,%%%' }, body],
    [{ ...headers, 'webhook-signature': signature.replace('v1,', 'v1a,') }, body],
    [{ ...headers, 'webhook-signature': signature.slice(0, -8) }, body],
  ] as const;
  for (const [changed, text] of changes)
    await t.rejects(webhooks.verify(changed, text, secret), { code: 'SIGNATURE_INVALID' });
});

t.test('a timestamp may be off by five minutes', async (t) => {
  const off = (seconds: number) => signed([secret], new Date(Date.now() + seconds * 1000));
  for (const seconds of [-280, 280]) t.ok(await webhooks.verify(off(seconds), body, secret));
  for (const seconds of [-310, 310])
    await t.rejects(webhooks.verify(off(seconds), body, secret), { code: 'TIMESTAMP_REFUSED' });
  const unreadable = { ...signed([secret]), 'webhook-timestamp': 'soon' };
  await t.rejects(webhooks.verify(unreadable, body, secret), { code: 'TIMESTAMP_REFUSED' });
});

t.test('missing headers are refused, and an unusable secret is named', async (t) => {
  await t.rejects(webhooks.verify({}, body, secret), WebhookVerificationError);
  await t.rejects(webhooks.verify({}, body, secret), { code: 'HEADERS_MISSING' });
  for (const unusable of ['', 'whsec_', 'whsec_%%'])
    await t.rejects(webhooks.verify(signed([secret]), body, unusable), TypeError);
  await t.rejects(webhooks.verify(signed([secret]), body, []), { code: 'SIGNATURE_INVALID' });
});
