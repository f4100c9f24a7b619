import type { FieldTable } from '../../../domain/provider/field-table.ts';
import type {
  Normalised,
  PulledType,
  PullPage,
  PullPart,
  PullPass,
  Span,
} from '../../../domain/provider/pulled-provider.ts';
import { unlistedInAll } from '../../../domain/provider/unlisted-fields.ts';
import { providers } from '../../../providers/all.ts';
import { readFiles } from './read-files.ts';
import { type Account, type Sending, type Sent, sendRequest } from './send-request.ts';

/** Dependencies of reads. */
export interface PartReading extends Sending {
  /** Passes that the provider refused in this process: their fallback is used. */
  readonly refusedPasses: WeakSet<PullPass>;
}

/** A part of a type: a span, or what is newer than the cursor. */
interface PartChoice {
  readonly type: PulledType;
  readonly span: Span | null;
  readonly cursor: string | null;
  /** Whether the part is read again later if a file is temporarily unavailable. Otherwise its record is stored without the file. */
  readonly canRetry: boolean;
  /** Records that came from these providers are left out: the user is connected to them. */
  readonly leftOut: ReadonlySet<string>;
}

/** A part that was read whole, or why it was not. */
type ReadResult =
  | {
      readonly kind: 'read';
      readonly part: Normalised;
      readonly cursor: string | null;
      readonly unlisted: readonly string[];
    }
  | Exclude<Sent, { kind: 'reply' }>;

/** Reads all pages of all passes of a part. Nothing is stored before all of it is read. */
export async function readPart(
  sending: PartReading,
  account: Account,
  { type, span, cursor, canRetry, leftOut }: PartChoice,
  signal: AbortSignal,
): Promise<ReadResult> {
  const records: Record<string, unknown[]> = {};
  const nowMs = Date.now();
  let moved = cursor;
  for (const [name, pass] of Object.entries(type.passes)) {
    const part = { span, cursor, page: null, nowMs };
    const read = await readPages(sending, account, { pass, part }, signal);
    if (read.kind !== 'pages') return read;
    records[name] = read.records.filter((one) => !leftOut.has(type.origin?.(one) ?? ''));
    moved = read.cursor ?? moved;
  }
  const all = Object.values(records).flat();
  const unlisted = unlistedInAll(all, Object.values<FieldTable>(providers[account.provider].fields));
  const { file } = type;
  if (file === undefined) {
    const part = type.normalise({ records, span, nowMs });
    return { kind: 'read', part: withLost(part, all.length), cursor: moved, unlisted };
  }
  const files = await readFiles(sending.config, { file, records: all, nowMs, canRetry }, signal);
  if (files === null) return { kind: 'later', reason: 'FILE_UNAVAILABLE' };
  const part = type.normalise({ records, span, nowMs, files });
  return { kind: 'read', part: withLost(part, all.length), cursor: moved, unlisted };
}

/** The reason that counts the records of a part of which none could be read: its form may have changed. */
export const nothingRead = 'NOTHING_READ';

function withLost(part: Normalised, records: number): Normalised {
  const skipped = Object.values(part.skipped).reduce((sum, count) => sum + count, 0);
  const normalised = part.items.length + (part.intervals?.intervals.length ?? 0);
  if (records === 0 || normalised > 0 || skipped < records) return part;
  return { ...part, skipped: { ...part.skipped, [nothingRead]: records } };
}

interface PassChoice {
  readonly pass: PullPass;
  readonly part: PullPart;
}

type PassResult =
  | { readonly kind: 'pages'; readonly records: unknown[]; readonly cursor: string | null }
  | Exclude<Sent, { kind: 'reply' }>;

async function readPages(
  sending: PartReading,
  account: Account,
  { pass, part }: PassChoice,
  signal: AbortSignal,
): Promise<PassResult> {
  const { fallback } = pass;
  if (fallback !== undefined && sending.refusedPasses.has(pass))
    return readPages(sending, account, { pass: fallback.pass, part }, signal);
  const records: unknown[] = [];
  let cursor: string | null = null;
  let next: string | null = null;
  let former = '';
  for (let count = 0; count < sending.pace.mostPages; count++) {
    if (signal.aborted) return { kind: 'wait', waitMs: 0 };
    const asked: PullPart = { ...part, page: next };
    const sent = await sendRequest(sending, account, pass.request(sending.config, asked), signal);
    // The rest of a part that is missing behind a page is not read as empty: what it contained would be deleted.
    if (sent.kind === 'missing' && next === null) return { kind: 'pages', records, cursor };
    const passedOver: PullPage | null = sent.kind === 'missing' ? (pass.missing?.(asked) ?? null) : null;
    if (sent.kind === 'refused' && sent.reason === fallback?.on) {
      sending.refusedPasses.add(pass);
      return readPages(sending, account, { pass, part }, signal);
    }
    if (sent.kind !== 'reply' && passedOver === null) return sent;
    const page = sent.kind === 'reply' ? pass.read(sent.reply, asked) : passedOver;
    if (page === null) return { kind: 'later', reason: 'UNREADABLE' };
    const isCompared = page.records.length > 0 && page.isDetail !== true;
    const content = isCompared ? JSON.stringify(page.records) : '';
    // The list ignores the page: the rest of it cannot be read, and what it contained would be deleted.
    if (content !== '' && content === former) return { kind: 'refused', reason: 'PAGES_REPEAT' };
    former = content;
    for (const record of page.records) records.push(record);
    cursor = page.cursor ?? cursor;
    if (page.next === null || page.next === next) return { kind: 'pages', records, cursor };
    next = page.next;
  }
  return { kind: 'later', reason: 'TOO_MANY_PAGES' };
}
