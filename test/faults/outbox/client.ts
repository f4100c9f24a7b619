import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { type Ask, ask } from '../../support/api.ts';

/** An answer that is neither a failure of the server nor a lost connection. */
interface Reply {
  readonly status: number;
  readonly body: unknown;
}

/** A client of the API that repeats a request while services are killed. */
export interface Client {
  /** @throws Error after two minutes without an answer, and for a request that is wrong in itself */
  request(path: string, given?: Ask): Promise<Reply>;
  /** @throws Error for a status of 300 or above */
  get<T>(path: string, schema: z.ZodType<T>): Promise<T>;
}

const patienceMs = 120_000;
const pauseMs = 250;
const isAnswer = (status: number) => (status < 500 && status !== 429) || status === 501;
const isWrong = (status: number) => [400, 401, 403, 405, 413, 415, 422].includes(status);

/** A client of one gateway with an API key. */
export function clientOf(origin: string, key: string): Client {
  const request = async (path: string, given: Ask = {}): Promise<Reply> => {
    const deadline = Date.now() + patienceMs;
    for (let last = 'no answer'; Date.now() < deadline; await sleep(pauseMs)) {
      const answer = await ask(origin, `/api/v1${path}`, { key, ...given }).catch(() => null);
      if (answer !== null) last = `${answer.status} ${answer.text.slice(0, 200)}`;
      if (answer !== null && isAnswer(answer.status) && !isWrong(answer.status)) return answer;
      const isLast = Date.now() + pauseMs >= deadline;
      if (isLast || (answer !== null && isWrong(answer.status)))
        throw new Error(`${given.method ?? 'GET'} ${path}: ${last}`);
    }
    throw new Error(`${path}: no answer`);
  };
  return {
    request,
    async get(path, schema) {
      const { status, body } = await request(path);
      if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
      return schema.parse(body);
    },
  };
}
