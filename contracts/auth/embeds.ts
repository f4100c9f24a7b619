import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { EmbedOrigin, mostEmbedOrigins } from '../../domain/embed-origin.ts';
import { Timestamp, UserId } from '../../domain/wire.ts';

/** Pages of the console that developers show within their own pages. */
export const embedActions = {
  createEmbed: action({
    summary: "Create an address that shows one user's days within your own page",
    description:
      'Give `url` to the browser of whoever may see the data of this user, as the `src` of an `<iframe>` in a page of one of `origins`. The address contains a token that reads the health data of this user, but not the profile and the connections, changes nothing, and ends at `expires_at`, when the user, the project, or the account or API key that made it is deleted, or with `POST /auth/revoke`. A rotation of the key ends it too. Make a new address each time that your page is opened.',
    params: z
      .object({
        user_id: UserId.meta({
          description: 'The user whose days are shown.',
          example: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
        }),
        origins: z
          .array(EmbedOrigin)
          .min(1)
          .max(mostEmbedOrigins)
          .meta({
            description:
              'The origins of the pages that may show it: `https://` and a host, without a path and without wildcards. `http://localhost` and `http://127.0.0.1` are accepted for development.',
            example: ['https://app.example'],
          }),
        expires_in_seconds: z
          .int()
          .min(60)
          .max(86_400)
          .default(3600)
          .describe('For how long the page can be read.'),
      })
      .meta({ id: 'CreateEmbedRequest' }),
    returns: z
      .object({ url: z.string(), expires_at: Timestamp })
      .meta({ id: 'Embed', description: 'The address of a page to show within other pages.' }),
    http: {
      method: 'POST',
      path: '/console/embeds',
      access: 'embeds.create',
      status: 201,
      tag: 'Tokens',
      audit: 'embed.created',
    },
  }),
  /** `origins` is null for any other text than the token of an embedded page that has not ended. */
  findEmbed: action({
    summary: 'Find out which pages may show an embedded page',
    params: z.object({ token: z.string().max(4096) }),
    returns: z.object({ origins: z.array(z.string()).nullable() }),
    idempotent: true,
  }),
};
