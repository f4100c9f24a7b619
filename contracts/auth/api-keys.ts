import { z } from 'zod';
import { keyScopes } from '../../domain/access.ts';
import { action, Nothing } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Flag } from '../../domain/wire.ts';
import { AddressRange, KeyScope, Title } from '../fields.ts';
import { ApiKey, DeletedApiKey, KeyId, NewApiKey } from './schemas.ts';

/** API keys. */
export const apiKeyActions = {
  createKey: action({
    summary: 'Create an API key; only this response contains the key',
    params: z
      .object({
        name: Title.default('Default').meta({
          description: 'A name that describes the use of the key.',
          example: 'My backend',
        }),
        scopes: z
          .array(KeyScope)
          .min(1)
          .max(keyScopes.length)
          .nullable()
          .default(null)
          .describe(
            'What the key may do; several add up. `read`: every read; `write`: everything; `users`: users and connections; `data`: health data. Null: everything.',
          ),
        expires_at: TimeParameter.nullable()
          .default(null)
          .describe('When the key ends by itself. Null: never.'),
        addresses: z
          .array(AddressRange)
          .min(1)
          .max(50)
          .nullable()
          .default(null)
          .describe('The addresses and ranges that it may be used from, such as `192.0.2.0/24`. Null: any.'),
      })
      .meta({ id: 'CreateApiKeyRequest' }),
    returns: NewApiKey,
    http: {
      method: 'POST',
      path: '/api-keys',
      access: 'credentials',
      status: 201,
      tag: 'API keys',
      bodyOptional: true,
      idempotencyKey: true,
      audit: 'api_key.created',
    },
  }),
  listKeys: action({
    summary: 'List API keys, without their values',
    params: Nothing,
    returns: z.array(ApiKey),
    http: { method: 'GET', path: '/api-keys', access: 'credentials', tag: 'API keys' },
  }),
  renameKey: action({
    summary: 'Rename an API key',
    params: z
      .object({
        key_id: KeyId,
        name: Title.meta({ description: 'The new name.', example: 'My other backend' }),
      })
      .meta({ id: 'RenameApiKeyRequest' }),
    returns: ApiKey,
    http: {
      method: 'PATCH',
      path: '/api-keys/:key_id',
      access: 'credentials',
      tag: 'API keys',
      audit: 'api_key.renamed',
    },
  }),
  rotateKey: action({
    summary: 'Rotate an API key; the old key is invalid when the response arrives',
    params: z.object({ key_id: KeyId }),
    returns: NewApiKey,
    http: {
      method: 'POST',
      path: '/api-keys/:key_id/rotate',
      access: 'credentials',
      status: 201,
      tag: 'API keys',
      bodyOptional: true,
      audit: 'api_key.rotated',
    },
  }),
  removeKey: action({
    summary: 'Delete an API key and disable the webhook endpoints whose address it set',
    description:
      'The key is invalid when the response arrives. Endpoints whose `url` it set, also before a rotation, receive nothing more, unless `keep_endpoints` is true.',
    params: z.object({
      key_id: KeyId,
      keep_endpoints: Flag.describe('Leaves the webhook endpoints of the key as they are.'),
    }),
    returns: DeletedApiKey,
    http: {
      method: 'DELETE',
      path: '/api-keys/:key_id',
      access: 'credentials',
      tag: 'API keys',
      audit: 'api_key.deleted',
    },
  }),
};
