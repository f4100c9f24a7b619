import { isKept } from '../../domain/provider/field-table.ts';
import type { Collection } from '../../domain/recipe/collection.ts';
import { fieldOf } from '../../domain/recipe/list-pass.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import { type HttpRequest, ok, type Reply } from '../server/http.ts';
import { endAccess } from './access.ts';
import type { Described } from './described.ts';
import { fileAddressOf } from './files.ts';
import type { ListedAccount, ListedRecord, ListedRoute, ListedWorld } from './listed.ts';
import { failure, recordsIn, spanOf } from './records.ts';
import { withValue } from './write-fields.ts';

const dayMs = 86_400_000;
/** A list that takes no span, and a detail, show so many days and two more, unless the description says how many. */
const shownDays = 400;
const mostOfPage = 100;

/** The API of a twin: its lists and records, and the requests of the OAuth dialect that need a token. */
export function routesOf(twin: Described, world: ListedWorld, settings: object): ListedRoute[] {
  const { apiPath, oauth } = twin;
  const guarded = guardOf(twin, world, settings);
  const lists = Object.entries(twin.collections).map(
    ([kind, collection]): ListedRoute => ({
      method: 'GET',
      path: apiPath + collection.read.path,
      scope: world.spec.kinds[kind]?.scope || null,
      handle: guarded((account, request) => listOf(twin, world, { account, kind, collection }, request)),
    }),
  );
  const { grant, registration, revocation } = oauth;
  if (grant.from === 'requests')
    lists.push({
      method: 'GET',
      path: apiPath + grant.accountPath,
      scope: null,
      handle: guarded(({ id }) => ok(twin.account(id))),
    });
  if (registration !== undefined)
    lists.push({
      method: 'POST',
      path: apiPath + registration.path,
      scope: null,
      handle(account) {
        if (account.registered) return failure(registration.knownStatus, 'registered already');
        account.registered = true;
        world.store.save();
        return ok(twin.account(account.id));
      },
    });
  if (revocation !== null && 'url' in revocation && revocation.sendsClientInForm !== true)
    lists.push({
      method: revocation.method,
      path: decodeURIComponent(revocation.url(twin.defaults, ':account').pathname),
      scope: null,
      handle(account, { params, query, form }) {
        const { tokenQuery, sendsTokenInForm, tokenField = 'access_token' } = revocation;
        const token = tokenQuery === undefined ? form.get(tokenField) : query.get(tokenQuery);
        const isNamed = tokenQuery !== undefined || sendsTokenInForm;
        if (params.account !== undefined && params.account !== account.id)
          return failure(403, 'another account');
        if (isNamed && !account.grants.some((one) => one.access_token === token))
          return failure(400, 'another token');
        account.registered = false;
        endAccess(world, account);
        return { status: 204 };
      },
    });
  if (Object.values(twin.collections).some(({ read }) => read.detail !== undefined))
    lists.push({
      method: 'GET',
      path: `${apiPath}/*`,
      scope: null,
      handle: guarded((account, request, scope) => detailOf(twin, world, { account, scope }, request)),
    });
  return lists;
}

type Handle = ListedRoute['handle'];

/** What every read needs: the headers of the API, a registration where there is one, and a request that is left of each limit. */
function guardOf({ provider, oauth, pull }: Described, world: ListedWorld, settings: object) {
  const headers = Object.entries(provider.apiHeaders?.(settings) ?? {});
  const served = pull.limits.map((limit) => ({ ...limit, times: new Map<string, number[]>() }));
  const isOverLimit = (account: string): boolean => {
    const nowMs = Date.now();
    const windows = served.map(({ of, requests, windowMs, times }) => {
      const most = Math.max(requests(settings), (world.limits.requestsPerMinute * windowMs) / 60_000);
      const key = of === 'account' ? account : '';
      const recent = times.get(key) ?? [];
      times.set(key, recent);
      while ((recent[0] ?? nowMs) <= nowMs - windowMs) recent.shift();
      return { recent, isFull: recent.length >= most };
    });
    if (windows.some(({ isFull }) => isFull)) return true;
    for (const { recent } of windows) recent.push(nowMs);
    return false;
  };
  return (handle: Handle): Handle =>
    (account, request, scope) => {
      const missing = headers.find(([name, value]) => request.headers[name.toLowerCase()] !== value);
      if (missing !== undefined) return failure(401, `Access denied: no ${missing[0].replaceAll('-', ' ')}`);
      if (oauth.registration !== undefined && !account.registered) return failure(403, 'not registered');
      if (isOverLimit(account.id)) return overLimit(world);
      return handle(account, request, scope);
    };
}

/** The answer to a request over a limit. */
const overLimit = ({ limits }: Pick<ListedWorld, 'limits'>): Reply => ({
  ...failure(429, 'Too many requests.'),
  headers: { 'Retry-After': String(limits.retryAfterSeconds) },
});

interface Listing {
  readonly account: ListedAccount;
  readonly kind: string;
  readonly collection: Collection;
}

/** A page of a list, as the description reads it. */
function listOf(twin: Described, world: ListedWorld, listing: Listing, request: HttpRequest): Reply {
  const { records: member, page } = listing.collection.read;
  const found = recordsOfSpan(world, listing, request);
  if (found === null) return failure(400, 'invalid_request');
  const shown = found.map((one) => listedOf(listing.collection, shownOf(twin, world, listing, one)));
  if (page !== undefined && 'day' in page)
    return ok(twin.kinds?.[listing.kind]?.answer?.(shown, request.query.get(page.day) ?? '') ?? shown);
  if (page === undefined) return ok(typeof member === 'string' ? { [member]: shown } : shown);
  const size =
    'size' in page ? page.size : Math.min(mostOfPage, Number(request.query.get('limit') ?? mostOfPage));
  const place = request.query.get(fieldOf(page));
  const from = 'number' in page ? (Number(place ?? 1) - 1) * size : Number(place ?? 0);
  const sorted = 'number' in page && page.newestFirst !== undefined ? shown.toReversed() : shown;
  const items = sorted.slice(from, from + size);
  if (typeof member !== 'string') return ok(items);
  const next = from + size < shown.length ? String(from + size) : null;
  const body = { [member]: items, ...('next' in page ? { [page.next]: next } : {}) };
  if (!('pages' in page)) return ok(body);
  return ok(withValue(body, page.pages.split('.'), Math.ceil(shown.length / size)));
}

/** The records of the span that a request names. Null: it names none, or one that is too long. */
function recordsOfSpan(
  world: ListedWorld,
  { account, kind, collection }: Listing,
  request: HttpRequest,
): ListedRecord[] | null {
  const { read, longestSpanDays, shownDays: days = shownDays } = collection;
  const nowMs = world.clock.nowMs();
  if (read.page !== undefined && 'day' in read.page)
    return recordsOfDay(world, { account, kind }, request.query.get(read.page.day) ?? '');
  const oldest = { startMs: nowMs - (days + 2) * dayMs, endMs: nowMs + 1 };
  if (read.span === null) return recordsIn(world, account, kind, oldest);
  const { end, form, beforeDays = 0, afterDays = 0 } = read.span;
  const span = spanOf(request, read.span, nowMs);
  if (
    span === null ||
    (end !== null && span.endMs - span.startMs > (longestSpanDays + beforeDays + afterDays) * dayMs)
  )
    return null;
  const startMs = Math.max(span.startMs, oldest.startMs);
  if (form !== 'date') return recordsIn(world, account, kind, { startMs, endMs: span.endMs });
  // The end is excluded, as of the strictest lists.
  const around = { startMs: startMs - 2 * dayMs, endMs: span.endMs + 2 * dayMs };
  return recordsIn(world, account, kind, around).filter(({ date = '' }) => {
    const ms = Date.parse(`${date}T00:00:00Z`);
    return ms >= startMs && ms < span.endMs;
  });
}

/** The records of a local day. Null: it is none. */
function recordsOfDay(
  world: ListedWorld,
  { account, kind }: Pick<Listing, 'account' | 'kind'>,
  day: string,
): ListedRecord[] | null {
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(ms)) return null;
  const around = { startMs: ms - 2 * dayMs, endMs: ms + 3 * dayMs };
  return recordsIn(world, account, kind, around).filter(({ date }) => date === day);
}

/** The record of a path that a listed one names. */
function detailOf(
  twin: Described,
  world: ListedWorld,
  { account, scope }: Pick<Listing, 'account'> & { readonly scope: readonly string[] },
  { path }: HttpRequest,
): Reply {
  const own = path.slice(`/${twin.name}${twin.apiPath}`.length);
  const nowMs = world.clock.nowMs();
  for (const [kind, collection] of Object.entries(twin.collections)) {
    const { detail } = collection.read;
    const needed = world.spec.kinds[kind]?.scope ?? '';
    if (detail === undefined || (needed !== '' && !scope.includes(needed))) continue;
    const listing = { account, kind, collection };
    const isNamed = (one: ListedRecord) =>
      detail.path(listedOf(collection, shownOf(twin, world, listing, one))) === own;
    // From now on backwards: most details are of the last days.
    for (let days = 0; days < (collection.shownDays ?? shownDays); days += 20) {
      const endMs = nowMs + 1 - days * dayMs;
      const found = recordsIn(world, account, kind, { startMs: endMs - 20 * dayMs, endMs }).find(isNamed);
      if (found === undefined) continue;
      const whole = shownOf(twin, world, listing, found);
      return ok(detail.record === undefined ? whole : { [detail.record]: whole });
    }
  }
  return failure(404, 'not found');
}

/** A record as its list shows it: without lists, if the record itself has a path. */
function listedOf({ read }: Collection, whole: Item): Item {
  if (read.detail === undefined) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => !Array.isArray(value)));
}

/** The fields of a record, with those of its account that its table names and does not keep, and the address of its file. */
function shownOf(
  { account }: Described,
  world: ListedWorld,
  { collection, ...listing }: Listing,
  record: ListedRecord,
): Item {
  const named = Object.entries(account(listing.account.id)).filter(([name]) => {
    const field = collection.fields[name];
    return field !== undefined && !isKept(field);
  });
  const shown = { ...record.fields, ...Object.fromEntries(named) };
  const { file } = collection;
  if (file === undefined) return shown;
  return withValue(shown, file.address.split('.'), fileAddressOf(world, listing.account, record));
}
