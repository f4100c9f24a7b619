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
  const bytes = bytesOf(signature);
  return bytes === null ? null : String(bytes.readUInt32BE(1));
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

const PublishedKeyset = z.object({
  key: z
    .array(
      z.object({
        keyId: z.int().nonnegative(),
        status: z.string(),
        keyData: z.object({ typeUrl: z.string(), value: z.string().max(1000) }),
      }),
    )
    .min(1)
    .max(100),
});

/** The enabled keys of a published Tink keyset, by id. Null: it cannot be read. */
export function readKeyset(text: string): ReadonlyMap<string, PublicKey> | null {
  const read = PublishedKeyset.safeParse(jsonOrNull(text));
  if (!read.success) return null;
  const keys = new Map<string, PublicKey>();
  for (const { keyId: id, status, keyData } of read.data.key) {
    if (status !== 'ENABLED' || !keyData.typeUrl.endsWith('EcdsaPublicKey')) continue;
    const point = pointOf(Buffer.from(keyData.value, 'base64'));
    if (point !== null) keys.set(String(id), { kty: 'EC', crv: 'P-256', ...point });
  }
  return keys.size === 0 ? null : keys;
}

const coordinateBytes = 32;
const fieldX = 3;
const fieldY = 4;
const lengthDelimited = 2;

// EcdsaPublicKey in protobuf: version (1), params (2), x (3), y (4). A number may have leading zero bytes.
function pointOf(bytes: Buffer): { readonly x: string; readonly y: string } | null {
  const fields = fieldsOf(bytes);
  const x = coordinate(fields?.get(fieldX));
  const y = coordinate(fields?.get(fieldY));
  return x === null || y === null ? null : { x, y };
}

function coordinate(bytes: Buffer | undefined): string | null {
  if (bytes === undefined) return null;
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
  if (digits.length > coordinateBytes) return null;
  return Buffer.concat([Buffer.alloc(coordinateBytes - digits.length), digits]).toString('base64url');
}

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

function varint(bytes: Buffer, from: number): { readonly value: number; readonly end: number } | null {
  let value = 0;
  for (let count = 0; count < longestVarint; count++) {
    const byte = bytes[from + count];
    if (byte === undefined) return null;
    value += (byte % 128) * 128 ** count;
    if (byte < 128) return { value, end: from + count + 1 };
  }
  return null;
}
