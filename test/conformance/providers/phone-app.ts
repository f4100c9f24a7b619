import { type AppAccess, type AppFaults, noFaults, upload } from '../../../sandbox/phone/app.ts';
import { phoneDays } from '../../../sandbox/phone/days.ts';
import { randomOf } from '../../../sandbox/simulation/random.ts';
import { newUser, type Product, settled } from '../product.ts';
import type { Account } from '../scenarios.ts';
import { issueTokens, renewTokens, type UserTokens } from './user-tokens.ts';

const dayMs = 86_400_000;
/** The dialect of the uploads. */
export const dialect = 'apple';
/** Items of an upload. */
export const chunk = 100;
/** The data of days long ago, so that no part of it lies ahead. */
const daysAgo = 40;

/** An app with its tokens and the days that it uploaded. */
export interface App {
  tokens: UserTokens;
  days: number;
  readonly startMs: number;
  /** Records of these days that the user deleted or did not share. */
  readonly left: Set<string>;
}

const apps = new WeakMap<Account, App>();

/** The app of an account. @throws Error without one */
export function appOf(account: Account): App {
  const app = apps.get(account);
  if (app === undefined) throw new Error('the app is not installed');
  return app;
}

/** A new user installs the app, which uploads a day. */
export async function connect(product: Product): Promise<Account> {
  const userId = await newUser(product);
  const tokens = await issueTokens(product, userId);
  const account = { userId, person: 0, fromMs: 0, without: [] };
  const startMs = (Math.floor(Date.now() / dayMs) - daysAgo) * dayMs;
  apps.set(account, { tokens, days: 0, startMs, left: new Set() });
  await newData(product, account);
  return account;
}

/** How the app of an account uploads. */
export function accessOf(product: Product, account: Account): AppAccess {
  const app = appOf(account);
  const random = randomOf(`${account.userId} ${app.days}`);
  return {
    ...{ origins: [product.api.url], userId: account.userId, fetch },
    headers: () => ({ authorization: app.tokens.access_token }),
    renew: () => renew(product, app),
    random: () => random.between(0, 1),
    signal: AbortSignal.timeout(300_000),
  };
}

async function renew(product: Product, app: App): Promise<boolean> {
  const renewed = await renewTokens(product, app.tokens);
  app.tokens = renewed ?? app.tokens;
  return renewed !== null;
}

/** The data of some days of an app. */
export function dataOf({ startMs }: Pick<App, 'startMs'>, fromDay: number, days: number) {
  return phoneDays({ seed: `day ${fromDay}`, startMs: startMs + fromDay * dayMs, days });
}

/** The app uploads the following day. */
export async function uploadDay(product: Product, account: Account, faults: AppFaults) {
  const app = appOf(account);
  const { data } = dataOf(app, app.days, 1);
  app.days += 1;
  const report = await upload(accessOf(product, account), dialect, data, { chunk, faults });
  if (report.skipped > 0 || report.setAside > 0) throw new Error(JSON.stringify(report));
  await settled(product);
  return report;
}

/** The following day, without faults. */
export async function newData(product: Product, account: Account): Promise<void> {
  await uploadDay(product, account, noFaults);
}

/** A genuine upload of an account, of a day that no scenario uploads. */
export function genuine({ api }: Product, account: Account) {
  const { tokens, startMs } = appOf(account);
  const { data } = dataOf({ startMs }, daysAgo - 5, 1);
  return {
    url: new URL(`${api.url}/api/v1/sdk/users/${account.userId}/sync`),
    headers: { 'Content-Type': 'application/json', Authorization: tokens.access_token },
    body: JSON.stringify({ provider: dialect, sdkVersion: '0.11.1', data }),
  };
}
