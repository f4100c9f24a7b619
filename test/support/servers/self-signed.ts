import { generateKeyPairSync, sign } from 'node:crypto';

/** Makes a certificate that no authority signed, for TLS servers of tests. It ends at the end of a year (two digits). */
export function selfSigned(name: string, year = '49'): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(Buffer.from('06082a8648ce3d040302', 'hex')); // ecdsa-with-SHA256
  const commonName = sequence(
    der(0x31, sequence(Buffer.from('0603550403', 'hex'), der(0x0c, Buffer.from(name)))),
  );
  const valid = sequence(utcTime('200101000000Z'), utcTime(`${year}1231235959Z`));
  const body = sequence(
    der(0x02, Buffer.from([1])),
    algorithm,
    commonName,
    valid,
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = sequence(body, algorithm, der(0x03, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`,
  };
}

const utcTime = (text: string) => der(0x17, Buffer.from(text));
const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content)]), content]);
}

// The shortest form, as DER demands.
function lengthOf({ length }: Buffer): number[] {
  if (length < 128) return [length];
  return length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}
