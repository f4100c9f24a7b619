import { createPublicKey, verify as verifyBytes } from 'node:crypto';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { PublicKey } from '../../domain/provider/notifications.ts';

/** A signature is base64 of 0x01, the key's id (32 bits, big-endian), and a DER signature (ECDSA P-256, SHA-256). */
const version = 1;
const headerBytes = 5;
const longestSignature = 200;

function bytesOf(signature: string): Buffer | null {
  if (signature.length > longestSignature || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(signature)) return null;
  const bytes = Buffer.from(signature, 'base64');
  return bytes.length > headerBytes && bytes[0] === version ? bytes : null;
}

/** The id of the key of a signature. Null: it is malformed. */
export function keyId(signature: string): string | null {
  return bytesOf(signature)?.readUInt32BE(1).toString() ?? null;
}

/** Whether a signature over the body is that of the key. */
export function verify(signature: string, body: Buffer, key: PublicKey): boolean {
  const bytes = bytesOf(signature);
  if (bytes === null) return false;
  try {
    const publicKey = createPublicKey({ key: { ...key }, format: 'jwk' });
    return verifyBytes('sha256', body, { key: publicKey, dsaEncoding: 'der' }, bytes.subarray(headerBytes));
  } catch {
    return false;
  }
}

const KeyData = z.object({ typeUrl: z.string(), value: z.string().max(1000) });
const Key = z.object({ keyId: z.int().nonnegative(), status: z.string(), keyData: KeyData });
const PublishedKeyset = z.object({ key: z.array(Key).min(1).max(100) });

/** The enabled keys of a published Tink keyset, by id. Null: it cannot be read. */
export function readKeyset(text: string): ReadonlyMap<string, PublicKey> | null {
  const keys = new Map<string, PublicKey>();
  for (const { keyId: id, status, keyData } of PublishedKeyset.safeParse(jsonOrNull(text)).data?.key ?? []) {
    if (status !== 'ENABLED' || !keyData.typeUrl.endsWith('EcdsaPublicKey')) continue;
    const fields = fieldsOf(Buffer.from(keyData.value, 'base64'));
    const [x, y] = [coordinate(fields?.get(fieldX)), coordinate(fields?.get(fieldY))];
    if (x !== null && y !== null) keys.set(String(id), { kty: 'EC', crv: 'P-256', x, y });
  }
  return keys.size === 0 ? null : keys;
}

// EcdsaPublicKey in protobuf: version (1), params (2), x (3), y (4). A number may have leading zero bytes.
const fieldX = 3;
const fieldY = 4;
const coordinateBytes = 32;

function coordinate(bytes: Buffer | undefined): string | null {
  const digits = bytes?.toString('hex').replace(/^(00)+/, '');
  return digits === undefined || digits.length > 2 * coordinateBytes
    ? null
    : Buffer.from(digits.padStart(2 * coordinateBytes, '0'), 'hex').toString('base64url');
}

const lengthDelimited = 2;

function fieldsOf(bytes: Buffer): ReadonlyMap<number, Buffer> | null {
  const fields = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; ) {
    const tag = varint(bytes, at);
    const value = tag === null ? null : varint(bytes, tag.end);
    if (tag === null || value === null) return null;
    at = value.end;
    if (tag.value % 8 !== lengthDelimited) continue;
    at = value.end + value.value;
    if (at > bytes.length) return null;
    fields.set(Math.floor(tag.value / 8), bytes.subarray(value.end, at));
  }
  return fields;
}

const longestVarint = 5;

// Seven bits a byte, the lowest first. The last byte is below 128.
function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  const length = bytes.subarray(from, from + longestVarint).findIndex((byte) => byte < 128) + 1;
  const own = bytes.subarray(from, from + length);
  const value = own.reduceRight((high, byte) => high * 128 + (byte % 128), 0);
  return length === 0 ? null : { value, end: from + length };
}
