import { generateKeyPairSync, sign } from 'node:crypto';
import t from 'tap';
import { keyId, readKeyset, verify } from '../../../providers/googlehealth/provider.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
const body = Buffer.from('{"data":{}}');
const id = 0xfe_dc_ba_98;

function signature(of = body): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(1);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, sign('sha256', of, { key: privateKey, dsaEncoding: 'der' })]);
}

const field = (number: number, value: Buffer) =>
  Buffer.concat([Buffer.from([number * 8 + 2, value.length]), value]);
const published = (coordinates: readonly [Buffer, Buffer], status = 'ENABLED') =>
  JSON.stringify({
    primaryKeyId: id,
    key: [
      {
        ...{ keyId: id, status, outputPrefixType: 'TINK' },
        keyData: {
          typeUrl: 'type.googleapis.com/google.crypto.tink.EcdsaPublicKey',
          value: Buffer.concat([
            Buffer.from([0x08, 0x00]),
            field(2, Buffer.from([0x08, 0x03, 0x10, 0x02, 0x18, 0x02])),
            field(3, coordinates[0]),
            field(4, coordinates[1]),
          ]).toString('base64'),
        },
      },
    ],
  });
const numbers = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')] as const;

t.test('reads the keys of a keyset, with leading zero bytes or without', async (t) => {
  const zero = Buffer.alloc(1);
  for (const text of [
    published(numbers),
    published([Buffer.concat([zero, numbers[0]]), Buffer.concat([zero, numbers[1]])]),
  ])
    t.same([...(readKeyset(text) ?? [])], [[String(id), { kty: 'EC', crv: 'P-256', x, y }]]);
});

t.test('reads no key that is disabled, of another form, or cut off', async (t) => {
  const texts = [
    '',
    '{}',
    '{"key":[]}',
    published(numbers, 'DISABLED'),
    published(numbers).replace('Ecdsa', 'Rsa'),
  ];
  t.same(texts.map(readKeyset), [null, null, null, null, null]);
  const whole = published(numbers);
  const [, value = ''] = /"value":"([^"]+)"/.exec(whole) ?? [];
  for (let bytes = 1; bytes < 40; bytes += 3) {
    const part = Buffer.from(value, 'base64').subarray(0, bytes).toString('base64');
    t.equal(readKeyset(whole.replace(value, part)), null, `${bytes} bytes`);
  }
});

t.test('a signature is valid for its body and key only', async (t) => {
  const key = readKeyset(published(numbers))?.get(String(id)) ?? {};
  const valid = signature();
  t.equal(keyId(valid.toString('base64')), String(id));
  t.ok(verify(valid.toString('base64'), body, key));
  t.notOk(verify(valid.toString('base64'), Buffer.from('{"data": {}}'), key));
  t.notOk(verify(signature(Buffer.from('another')).toString('base64'), body, key));
  for (let bytes = 0; bytes < valid.length; bytes++)
    t.notOk(verify(valid.subarray(0, bytes).toString('base64'), body, key), `cut after ${bytes} bytes`);
  for (const text of ['', '%%%', 'AQ==', valid.toString('base64').repeat(10)]) t.equal(keyId(text), null);
  t.notOk(verify(valid.toString('base64'), body, {}), 'a key that is none');
});
