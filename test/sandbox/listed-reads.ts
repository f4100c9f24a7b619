import type { Test } from 'tap';
import { z } from 'zod';
import type { OAuth, Provider } from '../../domain/provider/provider.ts';
import type { PullPage, PullReply, PullRequest } from '../../domain/provider/pulled-provider.ts';
import { isItem } from '../../domain/recipe/read-fields.ts';
import { oauthOf, type PulledName, providers, pullOf } from '../../providers/all.ts';
import type { Sandbox } from '../../sandbox/server/server.ts';
import { readFiles } from '../../services/pull-ingest/work/read-files.ts';
import { connectListed, control, startApplication, startMs } from './application.ts';

const dayMs = 86_400_000;
/** The past days that are compared. */
export const days = 6;
/** The first one, in Kathmandu. */
export const person = 1;
const offsetMs = 345 * 60_000;

/** A connected account of a simulation. */
export interface Access {
  readonly sandbox: Sandbox;
  readonly name: PulledName;
  readonly accessToken: string;
}

/** The answer to a token request. */
export const Tokens = z.object({ access_token: z.string() });

/** Connects the person to a simulation. */
export async function connect(sandbox: Sandbox, name: Access['name']): Promise<Access> {
  const { body } = await connectListed(sandbox, { name, scope: oauthOf(name).scope ?? '', person });
  const access = { sandbox, name, accessToken: Tokens.parse(body).access_token };
  const { registration }: OAuth = oauthOf(name);
  if (registration !== undefined) await ask(access, { path: registration.path, method: 'POST' });
  return access;
}

const apiUrl = ({ sandbox, name }: Pick<Access, 'sandbox' | 'name'>) =>
  sandbox.access.settings[providers[name].names.apiUrl] ?? '';

/** The headers that every request of the API needs. */
function headersOf({ sandbox, name }: Access): Readonly<Record<string, string>> {
  const { apiHeaders }: Provider = providers[name];
  return apiHeaders?.(sandbox.access.settings) ?? {};
}

/** A request of the description with a user's token. */
export async function ask(
  access: Access,
  { path, query, method }: PullRequest,
  without = false,
): Promise<PullReply> {
  const url = new URL(`${apiUrl(access)}${path}`);
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value);
  const headers = { authorization: `Bearer ${access.accessToken}`, ...(without ? {} : headersOf(access)) };
  const answer = await fetch(url, { method: method ?? 'GET', headers });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}

/** The records of a type in a span, as the description reads them. */
async function recordsOf(access: Access, type: string, span: { startMs: number; endMs: number }) {
  const { list } = pullOf(access.name).types[type]?.passes ?? {};
  if (list === undefined) throw new Error(`no type ${type}`);
  const records: unknown[] = [];
  for (let page: string | null | undefined; page !== null; ) {
    const part = { span, cursor: null, page: page ?? null, nowMs: startMs };
    const reply = await ask(access, list.request({}, part));
    const failure = pullOf(access.name).failure(reply, startMs);
    const read: PullPage | null =
      failure?.kind === 'missing' ? (list.missing?.(part) ?? null) : list.read(reply, part);
    if (read === null) throw new Error(`${type}: ${reply.status} ${reply.text.slice(0, 100)}`);
    records.push(...read.records);
    page = read.next;
  }
  return records;
}

const Kinds = z.object({
  kinds: z.array(
    z.object({
      type: z.string(),
      kind: z.string(),
      records: z.int(),
      samples: z.record(z.string(), z.int()),
    }),
  ),
});

/** The paths of a record, as tables have them. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((one: unknown) => pathsOf(one, `${path}[]`))];
  if (!isItem(value)) return [path];
  const below = Object.entries(value).flatMap(([name, one]) =>
    pathsOf(one, path === '' ? name : `${path}.${name}`),
  );
  return [path, ...below];
}

/** Compares what a simulation lists with its tables, and with the ledger of what an application should have. */
export async function readsWhatIsListed(
  t: Test,
  {
    name,
    unlisted,
  }: { readonly name: PulledName; readonly unlisted: Readonly<Record<string, readonly string[]>> },
): Promise<void> {
  const { sandbox } = await startApplication(t);
  const access = await connect(sandbox, name);
  const span = { startMs: startMs - days * dayMs, endMs: startMs + 1 };
  const answer = await control(
    sandbox,
    'GET',
    `/${name}/control/ledger?person=${person}&from_ms=${span.startMs}`,
  );
  const { kinds } = Kinds.parse(answer.body);
  t.same(
    kinds.map(({ type }) => type),
    Object.keys(pullOf(name).types),
  );
  const tables: Readonly<Record<string, object>> = providers[name].fields;
  for (const { type, kind, samples, records } of kinds) {
    const listed = await recordsOf(access, type, span);
    t.ok(listed.length > 0, `${type} has records`);
    const known = new Set(listed.flatMap((one) => pathsOf(one)));
    const missing = Object.keys(tables[type] ?? {}).filter((path) => !known.has(path));
    t.same(missing, unlisted[type] ?? [], `${type} has each field of its table`);
    const { file, normalise } = pullOf(name).types[type] ?? {};
    const given = { records: listed, nowMs: startMs, canRetry: false };
    const files =
      file === undefined
        ? null
        : await readFiles(sandbox.access.settings, { ...given, file }, AbortSignal.timeout(60_000));
    const made = normalise?.({
      records: { list: listed },
      span,
      nowMs: startMs,
      ...(files === null ? {} : { files }),
    });
    const inSpan = (ms: number) => ms >= span.startMs && ms < span.endMs;
    const counts: Record<string, number> = {};
    for (const { is_local, samples: blocks } of made?.items ?? [])
      for (const { type: series, base_ms, at } of blocks)
        for (const ms of at)
          if (inSpan(base_ms + ms - (is_local ? offsetMs : 0))) counts[series] = (counts[series] ?? 0) + 1;
    t.same(counts, samples, `${type} has the samples of the ledger`);
    const items = made?.items ?? [];
    t.equal(new Set(items.map(({ key }) => key)).size, items.length, `${type} has a key for each record`);
    const starts =
      kind === 'workouts'
        ? items.flatMap(({ workout }) => workout?.start_ms ?? [])
        : items.flatMap(({ sleeps }) => sleeps.map(({ start_ms }) => start_ms));
    if (kind !== 'other') t.equal(starts.filter(inSpan).length, records, type);
  }
}
