import { z } from 'zod';
import { expectEnd, JsonError, jsonScan, readObject, readValue } from '../json/json-scan.ts';

/** What a body says of the secret that it has to contain. `unset`: there is none to compare it with. */
export const BodySecretResult = z.enum(['right', 'wrong', 'missing', 'unset']);

export type BodySecretResult = z.infer<typeof BodySecretResult>;

/** A body without its secret. */
interface WithoutSecret {
  readonly body: Buffer;
  /** The values of the member, in their order. */
  readonly secrets: readonly unknown[];
}

const emptyObject = Buffer.from('{}');
const removed = Buffer.from('null');

/**
 * Replaces the values of a member of a JSON object by null; the other bytes stay as they are. A body that is no JSON object becomes an
 * empty one, because a secret could be anywhere in it.
 */
export function withoutSecret(body: Buffer, member: string): WithoutSecret {
  const secrets: unknown[] = [];
  const parts: Buffer[] = [];
  let from = 0;
  try {
    const scan = jsonScan(body);
    readObject(scan, (name) => {
      const start = scan.at;
      const value = readValue(scan);
      if (name !== member) return;
      secrets.push(value);
      parts.push(body.subarray(from, start), removed);
      from = scan.at;
    });
    expectEnd(scan);
  } catch (error) {
    if (error instanceof JsonError) return { body: emptyObject, secrets: [] };
    throw error;
  }
  return { body: Buffer.concat([...parts, body.subarray(from)]), secrets };
}
