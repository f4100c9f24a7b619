import { connect } from '../../contracts/connect.ts';
import { isoTimeOrNull } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobHandler, jobs, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import { providerApi, providerPace } from '../../mixins/provider-api/provider-api.ts';
import type { FreshTokens } from '../../mixins/provider-api/token-endpoint.ts';
import { callAs, type Starting } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { inRegion, titleOf } from '../../runtime/provider-settings.ts';
import { authorize, callbackOf } from './actions/authorize.ts';
import { finish } from './actions/callback.ts';
import { forgetConsents, readConsents } from './actions/consents.ts';
import { createSession, openSession, showSession, startAttempt } from './actions/sessions.ts';
import { statusOf } from './actions/status.ts';
import { openedClient } from './rules/clients.ts';
import { resultPage } from './rules/outcome.ts';
import { deleteExpired } from './tables/attempts.ts';
import { backfillKind, startPendingBackfill } from './work/pending-backfills.ts';
import { revokeAccess } from './work/revoke-access.ts';

/** The user's browser waits for the callback, so requests are sent without a pause between them. */
const pace = { ...providerPace, spacingMs: 0, atOnce: 20 };

// The actor in the audit trail for a callback: it is authenticated by its single-use state only.
const consentOf = (provider: string) => `consent:${provider}`;

/** Deletes the states of attempts to connect that have expired. */
const expiry = { name: 'connect.expiry', everyMs: 600_000, firstAfterMs: 30_000 };

/** Connects users to their accounts at providers, and revokes the access. */
export default implement(connect, {
  uses: {
    database: database(),
    reads: reads(),
    jobs: jobs(),
    cipher: ({ config }: Starting) => cipherOf(config),
    api: providerApi(pace),
  },
  actions: {
    authorize: (ctx) =>
      authorize(ctx, ctx.params, callbackOf(ctx.config, ctx.params.provider, ctx.meta.gateway_url)),
    callback: (ctx) =>
      finish(
        { ...ctx, call: callAs(ctx.call, consentOf(ctx.params.provider)) },
        ctx.params,
        ctx.meta.browsers,
      ),
    createSession: (ctx) => createSession(ctx, ctx.params),
    openSession: (ctx) => openSession(ctx, ctx.params.token_hash),
    showSession: (ctx) => showSession(ctx, ctx.params),
    startAttempt: (ctx) =>
      startAttempt(ctx, ctx.params, callbackOf(ctx.config, ctx.params.provider, ctx.meta.gateway_url)),
    result({ config, params: { provider, status, reason } }) {
      return resultPage(titleOf(config, provider), status, reason);
    },
    async consents({ call, reads, params }) {
      await call('users.get', { user_id: params.user_id });
      return readConsents(reads, params, Date.now());
    },
    forgetUser: ({ database, params }) => forgetConsents(database, params.user_id),
    status: ({ call, params }) => statusOf(call, params.user_id, params.provider),
    async revokeAccess({ config, cipher, params }) {
      const { connection_id, provider, provider_user_id, region, access_token, refresh_token, expires_at } =
        params;
      // Throws if the provider is not configured; the revocation is then tried later.
      const client = openedClient({ config, cipher }, { provider, region }, params.client) ?? 'removed';
      const open = (sealed: string) => cipher.decrypt(sealed, connection_id);
      const seal = (tokens: FreshTokens) => ({
        access_token: cipher.encrypt(tokens.access_token, connection_id),
        refresh_token:
          tokens.refresh_token === null ? null : cipher.encrypt(tokens.refresh_token, connection_id),
        expires_at: isoTimeOrNull(tokens.expires_at_ms),
      });
      const openedTokens = {
        access_token: open(access_token),
        refresh_token: refresh_token === null ? null : open(refresh_token),
        expires_at_ms: expires_at === null ? null : Date.parse(expires_at),
      };
      const { done, tokens } = await revokeAccess(
        { config: inRegion(config, provider, region), client },
        { provider, account: provider_user_id },
        openedTokens,
        Date.now(),
      );
      return { done, tokens: tokens === null ? null : seal(tokens) };
    },
  },
  started({ database, call, logger, jobs }) {
    const deps = { call: callAs(call, 'system:connect'), logger };
    return jobs.start([
      jobHandler(backfillKind, (job) => startPendingBackfill(deps, job), { needs: ['backfill.start'] }),
      recurringHandler(expiry, async ({ signal }) => void (await deleteExpired(database, signal))),
    ]);
  },
});
