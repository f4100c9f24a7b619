import type { Permission } from '../../../../domain/access.ts';
import { duration } from '../../duration.ts';
import { incidentReasons } from '../../freshness-texts.ts';
import { titleOf } from '../../titles.ts';
import { destinationProblems } from './destination-problems.ts';
import { endpointProblems } from './endpoint-problems.ts';
import type { Figures } from './figures.ts';

/** Something that is not well. `bad`: data is lost or missing, or a part does not work. `warn`: it may become so. */
export interface Problem {
  readonly severity: 'bad' | 'warn';
  readonly what: string;
  /** What it means, and what is to be done. */
  readonly means: string;
  readonly since: string | null;
  readonly action: Step | null;
}

/** A link to the page where something is done, for who may see it. */
export interface Step {
  readonly text: string;
  readonly to: string;
  readonly needs: Permission;
}

type Rule = (figures: Figures, nowMs: number) => readonly Problem[];

/** What is not well, the worst first. */
export function problemsOf(figures: Figures, nowMs: number): readonly Problem[] {
  const found = rules.flatMap((rule) => rule(figures, nowMs));
  return [...found.filter(({ severity }) => severity === 'bad'), ...found.filter(isWarning)];
}

const isWarning = ({ severity }: Problem) => severity === 'warn';

/** `1 user`, `1,200 users`. */
export const counted = (count: number, noun: string, isMore = false, nouns = `${noun}s`) =>
  `${count.toLocaleString()}${isMore ? ' or more' : ''} ${count === 1 && !isMore ? noun : nouns}`;

const partsAway: Readonly<Record<string, string>> = {
  users: 'Users and connections can be neither read nor changed.',
  webhooks: 'No changes are sent to webhook endpoints.',
  destinations: 'Copies in destinations get no new data.',
};

const away: Rule = ({ overview }) =>
  overview.away.map((name) => ({
    severity: 'bad',
    what: `The ${name} service does not answer`,
    means: `${partsAway[name] ?? 'Its part of the API is refused.'} Look at its log, and start it again.`,
    since: null,
    action: null,
  }));

const fullPercent = 5;
const nearlyFullPercent = 15;

const disk: Rule = ({ overview: { disk_free_percent: percent } }) =>
  percent === null || percent >= nearlyFullPercent
    ? []
    : [
        {
          severity: percent < fullPercent ? 'bad' : 'warn',
          what: `${percent} % of the disk is free`,
          means:
            'New data is refused once the disk is full. Give it more space, or delete what is not needed.',
          since: null,
          action: { text: 'See what is stored', to: '/providers', needs: 'status.read' },
        },
      ];

const unset: Rule = ({ providers, overview: { connections } }) =>
  providers.flatMap(({ provider, title, configured, missing_settings: names }) => {
    const active = connections?.find((one) => one.provider === provider && one.status === 'active');
    if (configured || active === undefined || active.count === 0) return [];
    const [verb, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
    return [
      {
        severity: 'bad',
        what: `${title} has ${counted(active.count, 'connection')} and no complete settings`,
        means: `Its data does not arrive, because ${names.join(', ')} ${verb} not set. Set ${them}, and restart.`,
        since: null,
        action: { text: 'See its settings', to: `/providers#${provider}`, needs: 'status.read' },
      },
    ];
  });

const incidents: Rule = ({ incidents: all }) =>
  (all ?? [])
    .filter(({ ended_at }) => ended_at === null)
    .map(({ provider, reason, started_at }) => ({
      severity: 'bad',
      what: `${titleOf(provider)} has an incident`,
      means: `At ${titleOf(provider)}, ${incidentReasons[reason]}. What is missing is read again automatically once it ends.`,
      since: started_at,
      action: {
        text: 'See whose data is late',
        to: `/freshness?state=late&provider=${provider}`,
        needs: 'users.list',
      },
    }));

const deadDeliveries: Rule = ({ overview: { dead_deliveries: count, approximate } }) =>
  count === 0
    ? []
    : [
        {
          severity: 'bad',
          what: `${counted(count, 'delivery', approximate.includes('dead_deliveries'), 'deliveries')} could not be processed`,
          means:
            'What providers sent in them is kept, but not shown. Mend the cause of the error, and replay them.',
          since: null,
          action: { text: 'See the errors', to: '/deliveries?status=dead', needs: 'deliveries.read' },
        },
      ];

const deadJobs: Rule = ({ overview: { dead_jobs: count, approximate } }) =>
  count === 0
    ? []
    : [
        {
          severity: 'bad',
          what: `${counted(count, 'job', approximate.includes('dead_jobs'))} failed for good`,
          means:
            'Jobs load past data, refresh access and erase users. A failed one is not tried again by itself.',
          since: null,
          action: { text: 'See and retry', to: '/jobs?state=dead', needs: 'deliveries.read' },
        },
      ];

/** Work that waits for longer is behind. */
const boundSeconds = { delivery: 300, job: 900 } as const;

const waiting: Rule = ({ overview }, nowMs) => {
  const { oldest_waiting_delivery_seconds: delivery, oldest_waiting_job_seconds: job } = overview;
  const kinds = [
    ['delivery', delivery, 'Data that providers sent is shown late.', '/deliveries?status=ready'],
    ['job', job, 'Past data is loaded late, and access is refreshed late.', '/jobs?state=waiting'],
  ] as const;
  return kinds.flatMap(([kind, seconds, means, to]) =>
    seconds === null || seconds <= boundSeconds[kind]
      ? []
      : [
          {
            severity: 'warn' as const,
            what: `The oldest ${kind} has waited for ${duration(seconds)}`,
            means: `${means} More arrives than is worked on, or a part does not run.`,
            since: new Date(nowMs - seconds * 1000).toISOString(),
            action: { text: 'See what waits', to, needs: 'deliveries.read' as const },
          },
        ],
  );
};

const stale: Rule = ({ stale: found }) =>
  found === null || found.connections === 0
    ? []
    : [
        {
          severity: 'warn',
          what: `Data of ${counted(found.connections, 'connection', found.isMore)} is missing`,
          means:
            'None arrived for twice the expected time, and reading it again found none. Often the user has to connect again or open an app.',
          since: found.since,
          action: { text: 'See whose', to: '/freshness?state=stale', needs: 'users.list' },
        },
      ];

const lowShare = 0.1;

const quotas: Rule = ({ providers }) =>
  providers.flatMap(({ provider, title, quota }) => {
    if (quota === null) return [];
    const isLow = (left: number, limit: number) => limit > 0 && left < limit * lowShare;
    const window = isLow(quota.day_left, quota.day_limit)
      ? `${quota.day_left.toLocaleString()} of ${quota.day_limit.toLocaleString()} reads left today`
      : isLow(quota.quarter_left, quota.quarter_limit)
        ? `${quota.quarter_left.toLocaleString()} of ${quota.quarter_limit.toLocaleString()} reads left in this quarter of an hour`
        : null;
    if (window === null && !quota.paused) return [];
    return [
      {
        severity: 'warn',
        what: quota.paused ? `${title} accepts no reads at present` : `${title} has ${window}`,
        means: quota.paused
          ? 'The provider has refused further reads for a while. They continue by themselves.'
          : 'Once none is left, reads wait for the next period, and data arrives later.',
        since: null,
        action: { text: 'See its quota', to: `/providers#${provider}`, needs: 'status.read' },
      },
    ];
  });

const unread: Rule = ({ unread: names }) =>
  names.map((name) => ({
    severity: 'warn',
    what: `The ${name} could not be read`,
    means: 'Whether something is wrong there is not known. They are read again in a moment.',
    since: null,
    action: null,
  }));

/** In this order, problems of the same severity are listed. */
const rules: readonly Rule[] = [
  away,
  disk,
  unset,
  incidents,
  ({ endpoints }, nowMs) => endpointProblems(endpoints ?? [], nowMs),
  ({ destinations }, nowMs) => destinationProblems(destinations ?? [], nowMs),
  deadDeliveries,
  deadJobs,
  stale,
  waiting,
  quotas,
  unread,
];
