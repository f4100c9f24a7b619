import { deviceTypes } from '../../domain/records/interval-records.ts';
import type { Compared, Comparison } from './comparison.ts';
import { type Counts, type Ledger, leftOf } from './ledger.ts';
import type { Proposals } from './leftovers.ts';
import { providerOf } from './rules/sources.ts';

// The page of a run, in Markdown: counts by table, what was left and why, the comparison, proposals and what remains to be done.

/** What a run did. */
export interface MoveInResult {
  readonly title: string;
  readonly isDryRun: boolean;
  readonly options: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly ledger: Ledger;
  readonly proposals: Proposals;
  /** Null after a dry run. */
  readonly comparison: Comparison | null;
  /** The file of the page. */
  readonly page: string;
}

/** The page of a run. It has ids, counts and reasons, no value of a user. */
export function reportPage(result: MoveInResult): string {
  const { title, isDryRun, options, startedAt, endedAt, ledger, comparison } = result;
  return [
    `# ${isDryRun ? 'Dry run of a move' : 'Move'} from Open Wearables`,
    `Source: ${cell(title)}, ${cell(options)}. From ${startedAt} to ${endedAt}.${isDryRun ? ' Nothing was written.' : ''}`,
    '## Rows by table',
    table(['table', 'read', isDryRun ? 'would be moved' : 'moved', 'left'], tableRows(ledger.counts)),
    '## Left out, by reason',
    reasonsOf(ledger.counts),
    `${isDryRun ? 'dry-run.ndjson' : 'left-out.ndjson'} has a line for each record that was left out, and for each group of samples: \`outcome\` is \`left\`, or \`changed\` for what was moved without a part of it.`,
    ...(comparison === null
      ? []
      : [
          '## Comparison of both sides',
          'The samples of 500 users at most are counted, by user and type. Random samples of 20 random users, and their records, are read as an application reads them.',
          table(
            ['what', 'compared', 'equal', 'different'],
            Object.entries(comparison).map(([what, { compared, equal }]) => [
              what,
              compared,
              equal,
              compared - equal,
            ]),
          ),
          ...Object.values(comparison).flatMap(differencesOf),
        ]),
    '## Settings that keep the priorities',
    proposalsOf(result),
    '## What remains to be done',
    remaining.map((line, index) => `${index + 1}. ${line}`).join('\n'),
    '',
  ].join('\n\n');
}

const remaining = [
  'docs/moving-in.md has the switch step by step.',
  'Invite the developers in the console: their passwords are not moved.',
  'Make the endpoints for events anew, with `POST /api/v1/webhook-endpoints` or in the console: they are not in the database of the source, and their secrets are new.',
  'Stop the workers of the source before the OAuth clients of its providers are set here: of two installations that refresh a token, one loses the connection.',
  'Run the same command once more then: it brings what arrived meanwhile. Repeated runs move nothing twice.',
  'Register our webhook addresses at the providers in place of those of the source: `npm run -s webhook-addresses` prints them.',
];

function tableRows(counts: Counts): Cell[][] {
  return Object.entries(counts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, of]) => [name, of.read, of.moved, leftOf(of)]);
}

function reasonsOf(counts: Counts): string {
  const rows = Object.entries(counts).flatMap(([name, { left }]) =>
    Object.entries(left).map(([reason, count]): Cell[] => [name, reason, count]),
  );
  if (rows.length === 0) return 'Nothing.';
  return table(
    ['table', 'reason', 'rows'],
    rows.toSorted(([, , a], [, , b]) => Number(b) - Number(a)),
  );
}

const mostListed = 50;

function differencesOf({ differences }: Compared): string[] {
  if (differences.length === 0) return [];
  const rows = differences
    .slice(0, mostListed)
    .map(({ user_id, what, id, reason }): Cell[] => [user_id, what, id ?? '', reason]);
  const more = differences.length - rows.length;
  return [table(['user', 'what', 'id', 'difference'], rows), ...(more > 0 ? [`And ${more} more.`] : [])];
}

const knownDevices: ReadonlySet<string> = new Set(deviceTypes);

function proposalsOf({ proposals: { providers, devices } }: MoveInResult): string {
  const ours = providers.flatMap((provider) => providerOf({ provider, source: null })?.provider ?? []);
  const lines = [
    ...(ours.length === 0 ? [] : [`SOURCE_PRIORITY=${[...new Set(ours)].join(',')}`]),
    ...(devices.length === 0
      ? []
      : [`DEVICE_PRIORITY=${devices.filter((one) => knownDevices.has(one)).join(',')}`]),
  ];
  return lines.length === 0 ? 'The source has none.' : ['```', ...lines, '```'].join('\n');
}

type Cell = string | number;

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]) =>
    `| ${cells.map((one) => (typeof one === 'number' ? one.toLocaleString('en-US') : cell(one))).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

// Names of the source may contain anything: nothing of it is markup in the page.
const cell = (text: string) => text.replaceAll(/[^\p{L}\p{N} .,:;()=/_@+-]/gu, ' ').slice(0, 200);
