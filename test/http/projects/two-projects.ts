import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Ask, push, type TestApi } from '../../support/api.ts';
import { memberToken } from '../../support/members.ts';

const Id = z.object({ id: z.string() });

/** What a project has: a user with a connection and data, a key, an application and a webhook endpoint. */
export interface Filled {
  readonly project: string;
  readonly key: string;
  readonly keyId: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly endpointId: string;
  readonly userId: string;
  readonly workoutId: string;
  readonly adminToken: string;
}

/** The account at the device maker that the users of both projects have. */
const sharedAccount = 'shared-account';

/** Makes a project and fills it. */
export async function makeProject(api: TestApi, project: string): Promise<void> {
  const body = { id: project, name: `Project ${project}` };
  await as(api, { token: api.developerToken }, 201, '/projects', { body });
}

/** Fills a project with one of each; its user has the shared account. */
export async function fillProject(api: TestApi, project: string): Promise<Filled> {
  const adminToken = await memberToken(api, 'admin', project);
  const admin = { token: adminToken };
  const made = z.object({ id: z.string(), key: z.string() });
  const { id: keyId, key } = made.parse(await as(api, admin, 201, '/api-keys', { body: { name: project } }));
  const application = z.object({ app_id: z.string(), app_secret: z.string() });
  const app = application.parse(await as(api, admin, 201, '/applications', { body: { name: project } }));
  const endpoint = { url: `https://${project}.example.com/hook` };
  const { id: endpointId } = Id.parse(await as(api, admin, 201, '/webhook-endpoints', { body: endpoint }));
  const user = {
    external_user_id: 'the same in both',
    first_name: `Ada of ${project}`,
    email: 'ada@example.com',
  };
  const { id: userId } = Id.parse(await as(api, { key }, 201, '/users', { body: user }));
  const link = { provider: 'devicemaker', provider_user_id: sharedAccount };
  await as(api, { key }, 201, `/users/${userId}/connections`, { body: link });
  const phone = { provider: 'phone', provider_user_id: userId };
  await as(api, { key }, 201, `/users/${userId}/connections`, { body: phone });
  const common = { project, key, keyId, endpointId, userId, adminToken };
  return { ...common, appId: app.app_id, appSecret: app.app_secret, workoutId: '' };
}

/** Sends a workout of the shared account. */
export async function pushWorkout(api: TestApi): Promise<void> {
  const activity = {
    ...{ userId: sharedAccount, summaryId: randomUUID(), activityType: 'RUNNING', deviceName: 'Watch' },
    ...{ startTimeInSeconds: 1_767_261_600, startTimeOffsetInSeconds: 3600, durationInSeconds: 1800 },
  };
  const { status, text } = await push(api, { activities: [activity] });
  if (status !== 200) throw new Error(`push: ${status} ${text}`);
}

/** The filled project with the id of its only workout. */
export async function withWorkout(api: TestApi, filled: Filled): Promise<Filled> {
  const path = `/users/${filled.userId}/events/workouts?start_date=2026-01-01&end_date=2026-01-02`;
  const page = z.object({ data: z.array(Id).length(1) });
  const { data } = page.parse(await as(api, { key: filled.key }, 200, path));
  return { ...filled, workoutId: data[0]?.id ?? '' };
}

/** Asks with a credential. @throws Error for another status */
export function as(
  api: TestApi,
  credential: Ask,
  status: number,
  path: string,
  given: Ask = {},
): Promise<unknown> {
  return send(api, credential, path, given).then((answer) => {
    if (answer.status === status) return answer.body;
    throw new Error(
      `${given.method ?? 'GET'} ${path}: ${answer.status}, not ${status}: ${answer.text.slice(0, 300)}`,
    );
  });
}

/** Asks a path of the API with a credential. */
export const send = (api: TestApi, credential: Ask, path: string, given: Ask = {}) =>
  api.ask(`/api/v1${path}`, {
    ...given,
    ...credential,
    headers: { ...given.headers, ...credential.headers },
  });
