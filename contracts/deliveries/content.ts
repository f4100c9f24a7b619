import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { Delivery } from './schemas.ts';

const DeliveryId = z.uuid('must be a UUID').describe('The `id` of a delivery, from `GET /deliveries`.');

/** The largest part of a body in one answer. */
const mostBytes = 65_536;
const Count = z.int().nonnegative();

/** A delivery with what is wrong with its items. */
export const DeliveryDetails = Delivery.extend({
  item_errors: z
    .array(z.string())
    .describe(
      'A sentence per item that was not stored: the item, the field and the reason, never a value. At most 1,000.',
    ),
}).meta({ id: 'DeliveryDetails', description: 'A delivery with what is wrong with its items.' });

/** A part of the body of a delivery, as it was received. */
export const DeliveryBody = z
  .object({
    delivery_id: z.string(),
    content_type: z.string().nullable(),
    body_bytes: Count,
    offset: Count.describe('The position of `content` in the body, in bytes.'),
    next_offset: Count.nullable().describe('The position of the next part; null after the last one.'),
    encoding: z.enum(['utf-8', 'base64']).describe('`base64` where the part is not valid UTF-8.'),
    content: z.string(),
  })
  .meta({ id: 'DeliveryBody', description: 'A part of the body of a delivery, as it was received.' });

/** What a delivery contained, and what became of it. */
export const contentActions = {
  get: action({
    summary: 'Get a delivery with the errors of its items',
    params: z.object({ delivery_id: DeliveryId }),
    returns: DeliveryDetails,
    http: { method: 'GET', path: '/deliveries/:delivery_id', access: 'deliveries.read', tag: 'Operations' },
  }),
  // Not idempotent: each read leaves an audit entry.
  body: action({
    summary: 'Read the body of a delivery, as it was received',
    description:
      'The body contains personal data. Every read leaves an audit entry (`delivery.read`). Returns 409 if the content was erased, and while the data of deleted users is being erased from deliveries of its time.',
    params: z.object({
      delivery_id: DeliveryId,
      offset: z.coerce
        .number()
        .pipe(z.int().min(0).max(2_147_483_647))
        .default(0)
        .describe('The position of the first byte: 0, or `next_offset` of the previous part.'),
      limit: z.coerce
        .number()
        .pipe(z.int().min(16).max(mostBytes))
        .default(mostBytes)
        .describe('The most bytes to return. A character is never cut apart.'),
    }),
    returns: DeliveryBody,
    http: {
      method: 'GET',
      path: '/deliveries/:delivery_id/body',
      access: 'deliveries.bodies',
      tag: 'Operations',
      audit: 'delivery.read',
    },
    idempotent: false,
  }),
};

export type DeliveryDetails = z.infer<typeof DeliveryDetails>;
export type DeliveryBody = z.infer<typeof DeliveryBody>;
