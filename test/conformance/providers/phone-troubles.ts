import { setTimeout as sleep } from 'node:timers/promises';
import { noFaults, upload } from '../../../sandbox/phone/app.ts';
import type { PhoneItem } from '../../../sandbox/phone/days.ts';
import { type Product, send, settled } from '../product.ts';
import type { Account } from '../scenarios.ts';
import { interrupt } from './interrupt.ts';
import { accessOf, appOf, chunk, dataOf, dialect, genuine, newData, uploadDay } from './phone-app.ts';
import { issueTokens, revokeTokens } from './user-tokens.ts';

/** A body that is cut on its way is sent again, and an item without a value does not cost the others. */
export async function damaged(product: Product, account: Account): Promise<number> {
  const app = appOf(account);
  const post = genuine(product, account);
  const status = await send({ ...post, body: post.body.slice(0, post.body.length / 2) });
  if (status !== 503) throw new Error(`a cut body is answered with ${status}`);
  const { data } = dataOf(app, app.days, 1);
  const [first] = data.records;
  const records = [{ ...first, id: 'without a value', value: null }, ...data.records];
  app.days += 1;
  const report = await upload(accessOf(product, account), dialect, { ...data, records }, { chunk });
  await settled(product);
  return report.setAside;
}

/** Three uploads at once, of which two are the same day. */
export async function inParallel(product: Product, account: Account): Promise<number> {
  const app = appOf(account);
  const days = [app.days, app.days + 1, app.days];
  await Promise.all(
    days.map((day) => upload(accessOf(product, account), dialect, dataOf(app, day, 1).data, { chunk })),
  );
  app.days += 2;
  await settled(product);
  return days.length;
}

/** The connections to the database end while the app uploads. */
export async function interrupted(product: Product, account: Account): Promise<number> {
  const uploading = uploadDay(product, account, noFaults);
  let ended = 0;
  for (let time = 0; time < interruptions; time++) {
    await sleep(50);
    ended += await interrupt(product);
  }
  await uploading;
  return ended;
}

const interruptions = 3;

/** An app whose session was ended keeps its data, and uploads it with new tokens. */
export async function revoked(product: Product, account: Account): Promise<number> {
  const app = appOf(account);
  await revokeTokens(product, app.tokens);
  const { data } = dataOf(app, app.days, 1);
  const report = await upload(accessOf(product, account), dialect, data, { chunk });
  app.tokens = await issueTokens(product, account.userId);
  await newData(product, account);
  return report.isLoggedOut ? report.sent : 0;
}

const deletedRecords = 5;

/** The user deletes records on the phone. The upload that brought them comes once more. */
export async function deleted(product: Product, account: Account): Promise<number> {
  const app = appOf(account);
  const { data } = dataOf(app, app.days, 1);
  await newData(product, account);
  const gone = data.records.slice(0, deletedRecords).map(({ id, type }) => ({ id, type }));
  for (const { id } of gone) app.left.add(id);
  await upload(accessOf(product, account), dialect, { deleted: gone }, { chunk });
  await upload(accessOf(product, account), dialect, data, { chunk });
  await settled(product);
  return gone.length;
}

/** The user shares heart rates and steps only of the records. */
export async function selection(product: Product, account: Account): Promise<number> {
  const app = appOf(account);
  const { data } = dataOf(app, app.days, 1);
  const isShared = ({ type }: PhoneItem) => /HeartRate$|StepCount$/.test(String(type));
  const withheld = data.records.filter((one) => !isShared(one));
  for (const { id } of withheld) app.left.add(id);
  app.days += 1;
  const shared = { ...data, records: data.records.filter(isShared) };
  await upload(accessOf(product, account), dialect, shared, { chunk });
  await settled(product);
  return withheld.length;
}
