import { z } from 'zod';
import { parseJson } from '../../../domain/json/json-bounds.ts';

/**
 * The third argument of a JSON.parse reviver: `source` is the original text of a number. TypeScript's library types
 * lack it.
 */
interface Written {
  readonly source?: string;
}

/**
 * Parses JSON. Whole numbers under the given names become strings of their original digits, because ids may exceed the
 * precision of a double. @throws SyntaxError if the text is not JSON, JsonBoundsError.
 */
export function parseExact(text: string, names: ReadonlySet<string>): unknown {
  const revive = (key: string, value: unknown, written?: Written): unknown =>
    typeof value === 'number' && names.has(key) ? (written?.source ?? String(value)) : value;
  return parseJson(text, revive);
}

/**
 * An event of the provider. Ids are strings of digits: they exceed 32 bits, and may exceed the precision of a double.
 */
export interface ProviderEvent {
  readonly object_type: 'activity' | 'athlete';
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly owner_id: string;
  readonly subscription_id: string | null;
  /** Seconds of the provider's clock. */
  readonly event_time: number;
  /** The changed fields by name. All values are strings. */
  readonly updates: Readonly<Record<string, string>>;
}

/** A whole number that fits a signed 64-bit column, as its original digits. */
const Id = z.string().regex(/^\d{1,18}$/);

// Field values such as titles may be of any length: only short names and the first 500 characters of values are kept.
const Updates = z.record(z.string().max(100), z.unknown()).transform((fields) =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, 20)
      .map(([name, value]) => [name, String(value).replaceAll('\0', '').slice(0, 500).toWellFormed()]),
  ),
);

const Event = z.object({
  object_type: z.enum(['activity', 'athlete']),
  object_id: Id,
  aspect_type: z.enum(['create', 'update', 'delete']),
  owner_id: Id,
  subscription_id: Id.nullable().default(null),
  event_time: z
    .string()
    .regex(/^\d{1,11}$/)
    .transform(Number),
  updates: Updates.nullish().transform((updates) => updates ?? {}),
});

const exact = new Set(['object_id', 'owner_id', 'subscription_id', 'event_time']);

/** The event in a body. Null if the body is not JSON, not UTF-8, or lacks a field of the right type. */
export function readEvent(body: Buffer): ProviderEvent | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return Event.safeParse(parseExact(text, exact)).data ?? null;
  } catch {
    return null;
  }
}
