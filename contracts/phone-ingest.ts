import { z } from 'zod';
import { action, auditOfDelivery, contract } from '../domain/contract.ts';
import { Text, Timestamp, UserId } from '../domain/wire.ts';
import { RefreshRequest, Tokens } from './auth/schemas.ts';
import { Backfill } from './backfill.ts';
import { TimeZone } from './fields.ts';
import { onConnectionEnded, onConnectionPurged, onUserErased } from './lifecycle.ts';
import { logsExample, pendingUpload, UploadAnswer, uploadExample } from './phone-ingest/answers.ts';
import { reprocessAction } from './reprocess.ts';

const worked = z.object({ done: z.boolean() });
const ofUser = z.object({ user_id: UserId });
const delivered = ofUser.extend({ delivery_id: z.uuid() });

/** A code's id, its user and its creation: the names of Open Wearables. */
const codeFields = { id: z.uuid(), user_id: UserId, created_at: Timestamp };

/** A token pair with the user whom it belongs to. */
const RedeemedCode = Tokens.extend(codeFields).meta({
  id: 'RedeemedCode',
  description: 'Tokens of the user who was given the code.',
});

const InvitationCode = z.object({ ...codeFields, code: z.string(), expires_at: Timestamp }).meta({
  id: 'InvitationCode',
  description: 'A code that is valid once. No later response contains it.',
});

/** Uploads of the apps on users' phones, and the codes that connect an app to a user. */
export const phoneIngest = contract('phone-ingest', {
  sync: action({
    summary: 'Upload health data from a phone',
    description:
      'The protocol of the Open Wearables SDKs. The body is stored before the answer. Items are processed independently: an invalid item is set aside and named in `problems`, and items of types that are neither series nor events are kept with the body and counted in `unmapped`. The id of an item is its key, so a body may be sent again. `data.deleted` lists items that were deleted on the phone. The local day of an item follows the first of: its `zoneOffset`, `HKTimeZone` of its `metadata`, the header `Time-Zone`, the `time_zone` of the user, the latest known offset of any provider, UTC. The first upload connects the user to the provider `phone`; after a disconnect the answer is 401. Apart from 401 and 403 there is no refusal that an app would take as final: pressure is 503 with Retry-After. The credential may also be sent without `Bearer`, and an API key as `X-Open-Wearables-API-Key`.',
    params: delivered,
    returns: worked,
    http: {
      method: 'POST',
      path: '/sdk/users/:user_id/sync',
      access: 'data.upload',
      status: 202,
      tag: 'Uploads',
      bodyLimitBytes: 64 * 1024 * 1024,
      delivery: {
        provider: 'phone',
        kind: 'sync',
        example: uploadExample,
        headers: {
          'Time-Zone': {
            description:
              "The IANA name of the phone's time zone. Another text is ignored, because apps drop what is refused.",
            example: 'America/New_York',
          },
        },
        answer: UploadAnswer,
        pending: pendingUpload,
        anyBody: true,
        uploadedFor: 'phone-ingest.open',
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 15_000,
  }),
  logs: action({
    summary: 'Report the progress of the first upload of a phone',
    description:
      'Takes 1 to 100 events: `historical_data_sync_start` with the number of items per type, `historical_data_type_sync_end` per type, and `device_state`, which is ignored. The progress is the backfill of the connection.',
    params: delivered,
    returns: worked,
    http: {
      method: 'POST',
      path: '/sdk/users/:user_id/logs',
      access: 'data.upload',
      status: 202,
      tag: 'Uploads',
      delivery: {
        provider: 'phone',
        kind: 'logs',
        example: logsExample,
        answer: UploadAnswer,
        pending: pendingUpload,
        anyBody: true,
        uploadedFor: 'phone-ingest.open',
      },
      audit: auditOfDelivery,
    },
    timeoutMs: 15_000,
  }),
  /**
   * Connects the user of an upload, unless the connection was ended. @throws UNAUTHENTICATED (401) after a disconnect: the
   * app keeps its data and asks the user to connect again. FORBIDDEN (403) for a user who does not exist
   */
  open: action({
    summary: 'Admit the upload of a user',
    params: ofUser,
    returns: z.object({ connection_id: z.string() }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** Processes the items of a kept upload again. */
  reprocess: reprocessAction,
  createCode: action({
    summary: 'Create an invitation code for the app on the phone of a user',
    description:
      'The user types the code into the app within 15 minutes, which exchanges it for tokens. Each code is valid once. A redeemed code also connects a user again who was disconnected.',
    params: ofUser,
    returns: InvitationCode,
    http: {
      method: 'POST',
      path: '/users/:user_id/invitation-code',
      access: 'tokens.issue',
      status: 201,
      tag: 'Uploads',
      bodyOptional: true,
      audit: 'token.code_created',
    },
    timeoutMs: 10_000,
  }),
  redeemCode: action({
    summary: 'Exchange an invitation code for tokens',
    description:
      'Public. Failed attempts are limited per address. Spaces, hyphens and case of the code do not matter.',
    params: z
      .object({
        code: Text.min(1)
          .max(40)
          .meta({ description: 'The code that the user typed in.', example: 'K7QM2XVD' }),
        time_zone: TimeZone.optional().meta({
          description: "The IANA name of the phone's time zone. It becomes the `time_zone` of the user.",
          example: 'America/New_York',
        }),
      })
      .meta({ id: 'RedeemCodeRequest' }),
    returns: RedeemedCode,
    http: {
      method: 'POST',
      path: '/invitation-code/redeem',
      access: 'public',
      tag: 'Uploads',
      countFailures: true,
      audit: 'token.issued',
    },
    timeoutMs: 10_000,
  }),
  refreshToken: action({
    summary: 'Exchange a refresh token for new tokens (as POST /auth/refresh)',
    description: 'The path that the Open Wearables SDKs use.',
    params: RefreshRequest,
    returns: Tokens,
    http: {
      method: 'POST',
      path: '/token/refresh',
      access: 'public',
      tag: 'Uploads',
      countFailures: true,
      audit: { none: 'The tokens belong to a family that has an entry of its start.' },
    },
    timeoutMs: 10_000,
  }),
  /** The first upload of all past data as a backfill. @throws BACKFILL_NOT_FOUND (404) before the app reports it */
  backfillStatus: action({
    summary: 'Get the progress of the first upload of a phone',
    params: ofUser,
    returns: Backfill,
    idempotent: true,
  }),
  stopConnection: onConnectionEnded('End the first upload of a connection that ended', ['phone']),
  purge: onConnectionPurged('Erase what is kept of a user whose connection is purged', ['phone']),
  forgetUser: onUserErased('Erase what is kept of a deleted user'),
});
