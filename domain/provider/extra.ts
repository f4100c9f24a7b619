import { z } from 'zod';

/** Fields of an item that no other field of its record takes, by the provider's own names. Null if there are none. */
export const Extra = z.record(z.string(), z.unknown()).nullable();
export type Extra = z.infer<typeof Extra>;

/** The most bytes of the extra fields of a record, as JSON. */
export const mostExtraBytes = 4000;
