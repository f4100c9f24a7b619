import type { NotificationAnswer } from '../../../contracts/pull-ingest.ts';
import type { Hint } from '../../../domain/provider/notifications.ts';
import type { Pull, PulledType, Span } from '../../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { type Database, database } from '../../../mixins/database/database.ts';
import { authorizationHeader } from '../../../mixins/inbox/delivery.ts';
import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import { type InboxWorker, inboxWorker } from '../../../mixins/inbox/inbox-worker.ts';
import { arrivalOf, findLinkedUsers, type LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import { openProviderApi, providerPace } from '../../../mixins/provider-api/provider-api.ts';
import {
  type NotifyingName,
  notificationsOf,
  notifyingNames,
  type PulledName,
  pullOf,
} from '../../../providers/all.ts';
import type { Call, Environment, Mixin } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { accessType, typeNamed } from '../rules/pulled.ts';
import { countSkipped } from '../tables/figures.ts';
import { type Demand, demandReads } from '../tables/readings.ts';
import { readSecret } from '../tables/subscriptions.ts';
import { addLinked } from './add-connections.ts';
import type { PullServicePace } from './pace.ts';
import { bodySecrets, hmacSignatures, type Signatures, signaturesOf } from './signatures.ts';
import { type StoredRecords, storedRecords } from './stored-records.ts';

/** The inbox workers of all providers. */
export interface Notifications {
  /** Processes a delivery that was just received. Returns false if it is not done, or if another worker holds it. */
  workOn(provider: NotifyingName, id: string): Promise<boolean>;
}

/** The notifications of all providers as a mixin. `notify` is called when reads are demanded. */
export function notifications(pace: PullServicePace): Mixin<Notifications> {
  return async (starting) => {
    const pool = await database()(starting);
    const api = openProviderApi({ ...providerPace, spacingMs: 0 });
    starting.onStop(() => api.close());
    const workers = new Map<NotifyingName, InboxWorker>();
    for (const provider of notifyingNames) {
      const signatures = signaturesFor(provider, starting, { api, pool });
      const stored = storedRecords(pool, provider);
      const worker = inboxWorker({
        provider,
        kind: notificationsOf(provider).kind,
        needs: ['users.resolve'],
        work: (job, within) => workNotification(job, { ...within, provider, signatures, stored, pace }),
      });
      workers.set(provider, await worker(starting));
    }
    return { workOn: async (provider, id) => (await workers.get(provider)?.workOn(id)) ?? false };
  };
}

function signaturesFor(
  provider: NotifyingName,
  { config }: Environment,
  { api, pool }: { readonly api: ReturnType<typeof openProviderApi>; readonly pool: Database },
): Signatures | null {
  const { authentication } = notificationsOf(provider);
  if (authentication.by === 'address') return null;
  if (authentication.by === 'body-secret') return bodySecrets;
  if (authentication.by === 'signature') return signaturesOf(authentication, { config, api });
  return hmacSignatures(authentication, config, () => readSecret(config, pool, provider));
}

/** Dependencies of the work on a notification. */
interface NotificationDeps extends Environment {
  readonly database: Database;
  readonly provider: NotifyingName;
  /** Null: the provider does not sign. */
  readonly signatures: Signatures | null;
  readonly stored: StoredRecords;
  readonly pace: PullServicePace;
}

/** The most hints of one body that are used. */
const mostHints = 1000;
/** A span ends at most so long after now. */
const aheadMs = dayMs;

/**
 * Processes a notification: checks that it is the provider's, and demands reads of what it names. It changes nothing else, so
 * a body that is sent again costs at most one read.
 */
async function workNotification(job: Job, deps: NotificationDeps): Promise<Outcome> {
  const { pace } = pullOf(deps.provider);
  const notifications = notificationsOf(deps.provider);
  const authorization = job.headers[authorizationHeader];
  if (notifications.isHandshake?.(job.body) === true) {
    const isRight = notifications.authorization === null || authorization === 'right';
    return answer(isRight ? 'verified' : 'refused', 'HANDSHAKE');
  }
  if (authorization === 'wrong') return refuse(deps, 'AUTHORIZATION_WRONG');
  try {
    const problem = (await deps.signatures?.problemOf(job)) ?? null;
    if (problem === 'KEYS_UNAVAILABLE') return { kind: 'later', reason: problem, answer: undefined };
    if (problem !== null) return await refuse(deps, problem);
    const hints = notifications.read(job.body)?.slice(0, mostHints) ?? null;
    if (hints === null) return await ignore(deps, 'UNREADABLE');
    return await demand(job, deps, pace, hints);
  } catch (error) {
    return { kind: 'later', reason: codeOf(error), answer: undefined };
  }
}

function answer(status: NotificationAnswer['status'], reason?: string): Outcome {
  const value: NotificationAnswer = reason === undefined ? { status } : { status, reason };
  return { kind: 'done', answer: value };
}

async function refuse({ database, provider, logger }: NotificationDeps, reason: string): Promise<Outcome> {
  logger.info('notification.refused', { provider, reason });
  await countSkipped(database, provider, { [reason]: 1 });
  return answer('refused', reason);
}

async function ignore({ database, provider }: NotificationDeps, reason: string): Promise<Outcome> {
  await countSkipped(database, provider, { [reason]: 1 });
  return answer('ignored', reason);
}

async function demand(
  job: Job,
  deps: NotificationDeps,
  stated: Pull['pace'],
  hints: readonly Hint[],
): Promise<Outcome> {
  const { database, provider, pace, call, stored } = deps;
  const accounts = hints.flatMap((hint) => (hint.kind === 'record' ? [] : [hint.account]));
  const linked = await findLinkedUsers(call, provider, accounts, arrivalOf(job));
  const clippedHints = hints.map(clipped);
  const demands = [
    ...demandsOf(provider, clippedHints, linked),
    ...(await storedDemands(call, provider, clippedHints, linked)),
    ...(await recordDemands(call, provider, hints, stored)),
  ];
  // The answer does not say whether an account is connected.
  if (demands.length === 0) await countSkipped(database, provider, { NOTHING_TO_READ: 1 });
  await database.transaction(async (transaction) => {
    await addLinked(transaction, provider, linked);
    await demandReads(transaction, demands, {
      settleMs: pace.settleMs ?? stated.settleMs,
      floorMs: pace.floorMs ?? stated.floorMs,
    });
  });
  return answer('accepted');
}

/** A hint without the part of its span that is not read. Nothing is left of a span outside these bounds. */
function clipped(hint: Hint): Hint {
  if (hint.kind !== 'changed' || hint.span === null) return hint;
  const { startMs } = hint.span;
  const endMs = Math.min(hint.span.endMs, Date.now() + aheadMs);
  return { ...hint, span: startMs < endMs ? { startMs, endMs } : null };
}

function demandsOf(provider: PulledName, hints: readonly Hint[], linked: LinkedUsers): Demand[] {
  const pull = pullOf(provider);
  return hints.flatMap((hint): Demand[] => {
    if (hint.kind === 'record') return [];
    return (linked.get(hint.account) ?? []).flatMap(({ connection_id }) =>
      hint.kind === 'access'
        ? [{ connection_id, type: accessType, span: null }]
        : hint.types.flatMap((name): Demand[] => {
            const type = typeNamed(pull, name);
            if (type?.follows === 'cursor') return [{ connection_id, type: name, span: null }];
            const span = hint.span ?? recentSpan(type);
            return type === undefined || span === null ? [] : [{ connection_id, type: name, span }];
          }),
    );
  });
}

/** The reads of records whose account no hint names. */
async function recordDemands(
  call: Call,
  provider: PulledName,
  hints: readonly Hint[],
  stored: StoredRecords,
): Promise<readonly Demand[]> {
  const pull = pullOf(provider);
  const records = hints.flatMap((hint) =>
    hint.kind === 'record'
      ? hint.types.flatMap((type) =>
          typeNamed(pull, type) === undefined ? [] : [{ type, key: hint.id.slice(0, 200) }],
        )
      : [],
  );
  return records.length === 0 ? [] : stored.find(call, records);
}

function recentSpan(type: PulledType | undefined): Span | null {
  const nowMs = Date.now();
  return type?.recentMs === undefined ? null : { startMs: nowMs - type.recentMs, endMs: nowMs };
}

// A changed record is read again where it is stored: a change of an old record, or its deletion, is found there.
async function storedDemands(
  call: Call,
  provider: PulledName,
  hints: readonly Hint[],
  linked: LinkedUsers,
): Promise<Demand[]> {
  const changedRecords = hints.flatMap((hint) =>
    hint.kind === 'changed' && hint.id !== undefined
      ? (linked.get(hint.account) ?? []).flatMap((user) =>
          hint.types.map((type) => ({ ...user, type, key: hint.id ?? '' })),
        )
      : [],
  );
  const demands: Demand[] = [];
  for (const [connection_id, ofConnection] of Map.groupBy(
    changedRecords,
    ({ connection_id }) => connection_id,
  ))
    for (const [type, records] of Map.groupBy(ofConnection, ({ type }) => type)) {
      const items = records.map(({ key }) => ({ data_type: type, key: key.slice(0, 200) }));
      const user_id = records[0]?.user_id ?? '';
      const spans = await call('timeseries.itemSpans', { user_id, provider, items });
      for (const { start_ms, end_ms } of spans)
        demands.push({ connection_id, type, span: { startMs: start_ms, endMs: end_ms } });
    }
  return demands;
}
