import { z } from 'zod';
import { parseExact } from './exact-json.ts';

/** What an event tells. Ids are texts of digits: they exceed what a 32-bit number holds, and in time a double. */
export interface ProviderEvent {
  readonly object_type: 'activity' | 'athlete';
  readonly object_id: string;
  readonly aspect_type: 'create' | 'update' | 'delete';
  readonly owner_id: string;
  readonly subscription_id: string | null;
  /** Seconds of the provider's clock. */
  readonly event_time: number;
  /** What changed, by name; all values are texts. */
  readonly updates: Readonly<Record<string, string>>;
}

/** A whole number that a signed 64-bit column holds, as it was written. */
const Id = z.string().regex(/^\d{1,18}$/);

// A title may be anything: of what changed only short names and values are of interest.
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

/** The event in a body; null where there is none: no JSON, no UTF-8, a field that is missing or of another kind. */
export function readEvent(body: Buffer): ProviderEvent | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    return Event.safeParse(parseExact(text, exact)).data ?? null;
  } catch {
    return null;
  }
}
