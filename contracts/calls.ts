import type { Lifecycle } from '../domain/contract.ts';
import { providers } from '../providers/all.ts';
import { type Actions, actionsByName, actionsOn, type contracts } from './all.ts';

type ServiceName = (typeof contracts)[number]['name'];
type ActionName = keyof Actions;

const tokens = [
  ...(['users.confirmTokens', 'users.expire', 'users.leaseRefresh', 'users.releaseRefresh'] as const),
  ...(['users.storeTokens', 'users.tokens', 'deliveries.noteAnswers'] as const),
] as const;

/** The actions that the code of a service names. The gateway also calls every action that has a route. */
const declared: Readonly<Record<ServiceName, readonly ActionName[]>> = {
  'api-gateway': [
    'auth.admit',
    'auth.audit',
    'auth.beginOidc',
    'auth.endSession',
    'auth.me',
    'auth.startSession',
    'auth.startSessionByLink',
    'auth.startSessionByOidc',
    'connect.openSession',
    'connect.showSession',
    'connect.startAttempt',
    'deliveries.noteReceived',
    'timeseries.chart',
    'timeseries.exportRecords',
    'timeseries.exportSamples',
    'timeseries.exportSeries',
    'timeseries.exportTracks',
    'timeseries.readSeries',
    'timeseries.routePrivacy',
    'timeseries.seriesInRange',
    'timeseries.trackChunks',
    'timeseries.workoutTrack',
  ],
  auth: ['users.figures', 'users.get', 'webhooks.endKeys', 'webhooks.forgetProject'],
  users: [
    'connect.revokeAccess',
    'deliveries.eraseAccounts',
    'deliveries.eraseFromDelivery',
    'deliveries.noteAnswers',
    'deliveries.replay',
    'timeseries.reopen',
  ],
  timeseries: ['deliveries.noteReceived', 'users.get'],
  summaries: [
    'timeseries.activityDays',
    'timeseries.bodyFacts',
    'timeseries.dayValues',
    'timeseries.nights',
    'users.get',
  ],
  'devicemaker-ingest': [
    'backfill.received',
    'timeseries.reprocess',
    'timeseries.routeRules',
    'timeseries.store',
    'users.changeScopes',
    'users.endByEvent',
    'users.resolve',
    'users.synced',
  ],
  'activitynet-ingest': [
    ...tokens,
    'timeseries.deleteWorkout',
    'timeseries.hideWorkout',
    'timeseries.restoreWorkout',
    'timeseries.routeRules',
    'timeseries.store',
    'users.changePrivacy',
    'users.endByEvent',
    'users.resolve',
    'users.synced',
  ],
  'phone-ingest': [
    'auth.issueForCode',
    'auth.refresh',
    'timeseries.deleteIntervals',
    'timeseries.deleteItems',
    'timeseries.deleteWorkout',
    'timeseries.reprocess',
    'timeseries.reprocessIntervals',
    'timeseries.store',
    'timeseries.storeIntervals',
    'users.connect',
    'users.connection',
    'users.get',
    'users.resolve',
    'users.synced',
    'users.update',
  ],
  'pull-ingest': [
    ...tokens,
    'timeseries.replace',
    'timeseries.replaceIntervals',
    'timeseries.store',
    'timeseries.storeIntervals',
    'users.activeConnections',
    'users.connection',
    'users.resolve',
    'users.synced',
  ],
  connect: [
    ...tokens,
    'backfill.start',
    'backfill.status',
    'users.connection',
    'users.connections',
    'users.get',
    'users.link',
    'users.list',
    'users.resolve',
  ],
  deliveries: ['timeseries.sampleBytes', 'users.figures', 'webhooks.listEndpoints'],
  backfill: [...tokens, 'users.connections'],
  webhooks: [
    'summaries.activity',
    'summaries.body',
    'summaries.day',
    'timeseries.sleep',
    'timeseries.workout',
  ],
};

/** The actions of services that are found through the registry of providers, or by an event. */
const dispatched: Readonly<Partial<Record<ServiceName, () => string[]>>> = {
  'api-gateway': routed,
  users: () => [
    ...lifecycle(),
    ...ofProviders(({ accessCheck }) => accessCheck?.service ?? null, ['checkAccess']),
  ],
  connect: () => ofUploads(['createCode']),
  deliveries: () => ofProviders(({ ingest }) => ingest.service, ['figures', 'reprocess']),
  backfill: () => [
    ...ofProviders(
      ({ backfill }) => (backfill.from === 'pages' ? backfill.service : null),
      ['startBackfill', 'backfillStatus', 'cancelBackfill'],
    ),
    ...ofUploads(['backfillStatus']),
  ],
};

/**
 * The actions that a service calls, and the one by which it checks that the user whom a request names belongs to the project
 * of the caller: its permissions on the bus, and all that its `ctx.call` accepts. Null for a
 * service without a contract.
 */
export function callsOf(service: string): ReadonlySet<string> | null {
  return allCalls.get(service) ?? null;
}

const allCalls: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({ ...declared }).map(([service, names]) => {
    const found = Object.entries(dispatched).find(([name]) => name === service)?.[1]();
    return [service, new Set([...names, ...(found ?? []), 'users.projectOf'])] as const;
  }),
);

/** What the code of a service names itself, for the test that compares both. */
export function declaredCalls(service: ServiceName): readonly string[] {
  return declared[service];
}

function routed(): string[] {
  return [...actionsByName].flatMap(([name, { http }]) => [
    ...(http === undefined ? [] : [name]),
    ...(http?.delivery?.uploadedFor === undefined ? [] : [http.delivery.uploadedFor]),
  ]);
}

function lifecycle(): string[] {
  const byEvent: Readonly<Record<keyof Lifecycle, string[]>> = {
    userErased: actionsOn('userErased'),
    connectionEnded: actionsOn('connectionEnded'),
    connectionRestored: actionsOn('connectionRestored'),
    connectionPurged: actionsOn('connectionPurged'),
  };
  return Object.values(byEvent).flat();
}

type Facts = (typeof providers)[keyof typeof providers];

function ofProviders(serviceOf: (facts: Facts) => string | null, names: readonly string[]): string[] {
  return Object.values(providers)
    .flatMap((facts) => names.map((name) => `${serviceOf(facts)}.${name}`))
    .filter((name) => actionsByName.has(name));
}

function ofUploads(names: readonly string[]): string[] {
  return ofProviders(({ backfill }) => (backfill.from === 'uploads' ? backfill.service : null), names);
}
