import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import { until } from '../support/until.ts';
import { isChosen, isPart, unknownNames } from './chosen.ts';
import {
  accountIdOf,
  consent,
  countRequests,
  newUser,
  type Product,
  send,
  settled,
  statusOf,
  untilIdle,
} from './product.ts';
import {
  type Account,
  applies,
  type Descriptor,
  type Disturbance,
  type DoesNotApply,
  type EndAtProvider,
  type EndInProduct,
  type Forgeries,
  type Means,
  type PartialScopes,
  type RateLimit,
  type Scenario,
} from './scenarios.ts';

/** A provider in the suite. */
export interface Subject {
  readonly product: Product;
  readonly name: string;
  readonly descriptor: Descriptor;
}

/** A deleted user, and the texts that must not be found any more. */
export interface Erased {
  readonly userId: string;
  readonly texts: readonly string[];
}

const disturbances = [
  'duplicate',
  'lost',
  'outOfOrder',
  'late',
  'rotatedTokens',
  'expiredTokens',
  'serverErrors',
] as const;

/** The name of the comparison of what came without trouble. */
const plain = 'withoutTrouble';

/** Plays the scenarios of a provider. Returns the user who was deleted at the end, none if erasure is not played. */
export async function playAll(t: Test, subject: Subject): Promise<Erased[]> {
  const { product, descriptor } = subject;
  const { scenarios, more = {} } = descriptor;
  t.same(unknownNames([plain, ...playedOf(descriptor)]), [], 'CONFORMANCE_SCENARIOS names scenarios');
  const account = await descriptor.connect(product, 0, []);
  const play = async <S extends Scenario>(scenario: S, run: (t: Test, means: Means[S]) => Promise<void>) => {
    const means: Means[S] | DoesNotApply = scenarios[scenario];
    if (applies<Means[S]>(means) && isChosen(scenario)) await t.test(scenario, limit, (t) => run(t, means));
  };
  await descriptor.newData(product, account);
  if (isChosen(plain)) await t.test('without trouble', (t) => sameData(t, subject, account));
  await play('forged', (t, means) => forged(t, subject, account, means));
  for (const scenario of disturbances)
    await play(scenario, (t, means) => disturbed(t, subject, account, means));
  for (const [name, means] of Object.entries(more))
    if (isChosen(name)) await t.test(name, limit, (t) => disturbed(t, subject, account, means));
  await play('rateLimit', (t, means) => limited(t, subject, account, means));
  await play('partialScopes', (t, means) => partial(t, subject, means));
  await play('endedAtProvider', (t, means) => endedAtProvider(t, subject, means));
  await play('endedInProduct', (t, means) => endedInProduct(t, subject, means));
  return isChosen('erasure') ? [await erase(subject, account)] : [];
}

/** The names of the scenarios that are played with a provider. */
export function playedOf({ scenarios, more = {} }: Descriptor): string[] {
  const common = Object.entries(scenarios).flatMap(([name, means]) => (applies(means) ? [name] : []));
  return [...common, ...Object.keys(more)];
}

// A part is played to find a fault, and then nothing becomes equal: it is given up after 16 s and not after a minute.
const mostLooks = isPart ? 17 : 40;
const limit = { timeout: isPart ? 45_000 : 300_000 };

// The store is asked again until it is equal, because some work has no queue.
async function sameData(t: Test, { product, descriptor }: Subject, account: Account): Promise<void> {
  await settled(product);
  let seen = await descriptor.compare(product, account);
  for (let looks = 1; looks < mostLooks && !isDeepStrictEqual(seen.have, seen.want); looks++) {
    await sleep(Math.min(2000, 100 * looks));
    seen = await descriptor.compare(product, account);
  }
  t.same(seen.have, seen.want, 'the product serves what the provider holds');
}

async function forged(t: Test, subject: Subject, account: Account, forgeries: Forgeries): Promise<void> {
  const { product, descriptor, name } = subject;
  const before = await descriptor.compare(product, account);
  const requests = countRequests(product, name);
  const all = await forgeries(product, account);
  const statuses = [];
  for (const { title, post } of all) statuses.push(`${title}: ${await send(post)}`);
  t.same(
    statuses,
    all.map(({ title, status }) => `${title}: ${status}`),
  );
  await untilIdle(product);
  t.equal(requests.count(), 0, 'no request to the provider');
  t.equal(await statusOf(product, account.userId), 'active');
  t.same(await descriptor.compare(product, account), before, 'nothing is stored');
}

async function disturbed(t: Test, subject: Subject, account: Account, { play }: Disturbance): Promise<void> {
  t.ok((await play(subject.product, account)) > 0, 'it occurred');
  await sameData(t, subject, account);
  t.equal(await statusOf(subject.product, account.userId), 'active');
}

async function limited(t: Test, subject: Subject, account: Account, means: RateLimit): Promise<void> {
  const requests = await means.play(subject.product, account);
  t.ok(requests > 0 && requests <= means.mostRequests, `${requests} requests until the pause is over`);
  await sameData(t, subject, account);
}

async function partial(t: Test, subject: Subject, means: PartialScopes): Promise<void> {
  const { product, descriptor, name } = subject;
  const account = await descriptor.connect(product, 1, means.without);
  await descriptor.newData(product, account);
  await sameData(t, subject, account);
  t.equal(await statusOf(product, account.userId), 'active');
  const userId = await newUser(product);
  const { person } = account;
  const status = await consent(product, { ...{ userId, provider: name, person }, without: means.tooLittle });
  t.equal(status, 'failed', 'without the permission to read anything there is no connection');
  await product.api.expect(200, `/users/${account.userId}`, { method: 'DELETE' });
}

async function endedAtProvider(t: Test, subject: Subject, means: EndAtProvider): Promise<void> {
  const { product, descriptor, name } = subject;
  const account = await descriptor.connect(product, 2, []);
  await descriptor.newData(product, account);
  await sameData(t, subject, account);
  const late = await descriptor.genuine(product, account);
  const { have } = await descriptor.compare(product, account);
  await means.end(product, account);
  await until(async () => (await statusOf(product, account.userId)) === means.status);
  const requests = countRequests(product, name);
  await send(late);
  await settled(product);
  t.equal(requests.count(), 0, 'nothing is requested with the ended access');
  t.same((await descriptor.compare(product, account)).have, have, 'what was stored stays');
  t.equal(await statusOf(product, account.userId), means.status);
}

async function endedInProduct(t: Test, subject: Subject, means: EndInProduct): Promise<void> {
  const { product, descriptor, name } = subject;
  const account = await descriptor.connect(product, 3, []);
  await descriptor.newData(product, account);
  await sameData(t, subject, account);
  const late = await descriptor.genuine(product, account);
  const { have } = await descriptor.compare(product, account);
  const path = `/users/${account.userId}/connections/${name}`;
  await product.api.expect(200, path, { method: 'DELETE' });
  await until(() => means.isEnded(product, account));
  await send(late);
  await settled(product);
  t.same((await descriptor.compare(product, account)).have, have, 'a late notification stores nothing');
  t.equal(await statusOf(product, account.userId), 'revoked');
}

// The traces are searched when all providers are through, because raw deliveries stay for half a minute.
async function erase({ product, descriptor }: Subject, account: Account): Promise<Erased> {
  const { userId } = account;
  const accountId = await accountIdOf(product, userId);
  const means = descriptor.scenarios.erasure;
  if (applies(means)) await means.queue(product, account);
  const late = await descriptor.genuine(product, account);
  await product.api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await send(late);
  return { userId, texts: accountId === userId ? [] : [accountId] };
}
