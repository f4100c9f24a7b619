import { randomUUID } from 'node:crypto';
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { pulseOx } from '../../fixtures/devicemaker/wellness.ts';
import { keepAlive, type RawAnswer, send } from './http.ts';

/** The product and the credentials; `callbacks` is the URL of the simulated API of the device maker. */
export interface MixedChoice {
  readonly origin: string;
  readonly key: string;
  readonly token: string;
  readonly wearers: readonly { readonly userId: string; readonly account: string }[];
  readonly callbacks: string;
}

/** What mixed load saw: how many requests of each kind, and answers that were not what they should be. */
export interface MixedReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

interface Ask {
  readonly kind: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly expect: number;
}

const Made = z.object({ id: z.string() });
const webhookHeaders = { 'devicemaker-client-id': 'faults' };
const range = 'start_time=2025-06-01&end_time=2025-06-08';
const dates = 'start_date=2025-06-01&end_date=2025-06-08';
const mostWrong = 20;

/** Everything that callers do, at once and without an end, each at its own pace. */
export class Mixed {
  readonly #choice: MixedChoice;
  readonly #agent: Agent = keepAlive(32);
  readonly #counts: Record<string, number> = {};
  readonly #wrong: string[] = [];
  readonly #lanes: Promise<void>[];
  #stopped = false;
  #turn = 0;

  constructor(choice: MixedChoice) {
    this.#choice = choice;
    const lanes: [number, number, () => Promise<void>][] = [
      [6, 2, () => this.#read()],
      [2, 10, () => this.#push()],
      [1, 50, () => this.#ping()],
      [1, 100, () => this.#comeAndGo()],
      [1, 250, () => this.#export()],
      [1, 20, () => this.#intrude()],
    ];
    this.#lanes = lanes.flatMap(([count, pauseMs, one]) =>
      Array.from({ length: count }, () => this.#lane(pauseMs, one)),
    );
  }

  report(): MixedReport {
    return { counts: { ...this.#counts }, wrong: [...this.#wrong] };
  }

  async stop(): Promise<MixedReport> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
    this.#agent.destroy();
    return this.report();
  }

  async #lane(pauseMs: number, one: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await one().catch((error: unknown) => this.#note(String(error)));
      await sleep(pauseMs);
    }
  }

  async #read(): Promise<void> {
    const { userId } = this.#wearer();
    const user = `/users/${userId}`;
    const paths = [
      user,
      `${user}/connections`,
      `${user}/timeseries?${range}&types=heart_rate&limit=100`,
      `${user}/timeseries?${range}&types=heart_rate&types=steps&resolution=1hour`,
      `${user}/events/workouts?${dates}`,
      `${user}/events/sleep?${dates}`,
      `${user}/summaries/activity?${dates}`,
      `${user}/summaries/sleep?${dates}`,
      `${user}/summaries/body`,
      '/users?limit=20&search=example',
      '/deliveries?limit=20',
      '/status',
      '/openapi.json',
    ];
    const path = paths[this.#turn % paths.length] ?? user;
    await this.#ask({ kind: 'read', path, headers: this.#keyed(), expect: 200 });
  }

  async #push(): Promise<void> {
    const { account } = this.#wearer();
    const n = this.#turn;
    const startTimeInSeconds = Date.UTC(2025, 5, 2) / 1000 + (n % 5000) * 60;
    const head = { summaryId: `m${n}`, startTimeInSeconds, startTimeOffsetInSeconds: 0 };
    const body = {
      dailies: [daily(account, 24, { restingHeartRateInBeatsPerMinute: 40 + (n % 20) })],
      activities: [activity(account, { ...head, activityId: n % 500, durationInSeconds: 60 + (n % 60) })],
      pulseOx: [
        pulseOx(account, { ...head, durationInSeconds: 60, timeOffsetSpo2Values: { 0: 90 + (n % 9) } }),
      ],
    };
    const path = '/webhooks/devicemaker/push';
    await this.#ask({ kind: 'push', path, headers: webhookHeaders, body, expect: 200 });
  }

  async #ping(): Promise<void> {
    const { account: userId } = this.#wearer();
    const { callbacks } = this.#choice;
    const callbackURL = `${callbacks}/dailies?uploadStartTimeInSeconds=1&uploadEndTimeInSeconds=2&token=${userId}`;
    const body = { dailies: [{ userId, callbackURL }] };
    const path = '/webhooks/devicemaker/ping';
    await this.#ask({ kind: 'ping', path, headers: webhookHeaders, body, expect: 200 });
  }

  /** Creates a user, connects an account, pushes a day, reads it with a user token, and deletes the user. */
  async #comeAndGo(): Promise<void> {
    const account = randomUUID();
    const headers = this.#keyed();
    const developer = { Authorization: `Bearer ${this.#choice.token}` };
    const made = await this.#ask({
      ...{ kind: 'user', path: '/users', headers, expect: 201 },
      body: { external_user_id: account, email: `${account}@example.com` },
    });
    const { id } = Made.parse(JSON.parse(made.text));
    const link = { provider: 'devicemaker', provider_user_id: account };
    const path = `/users/${id}`;
    await this.#ask({ kind: 'user', path: `${path}/connections`, headers, body: link, expect: 201 });
    const body = { dailies: [daily(account)] };
    await this.#ask({
      ...{ kind: 'user', path: '/webhooks/devicemaker/push', headers: webhookHeaders },
      ...{ body, expect: 200 },
    });
    const issued = await this.#ask({
      ...{ kind: 'user', method: 'POST', path: `${path}/token`, headers: developer },
      expect: 200,
    });
    const { access_token } = z.object({ access_token: z.string() }).parse(JSON.parse(issued.text));
    const own = { Authorization: `Bearer ${access_token}` };
    await this.#ask({
      kind: 'user',
      path: `${path}/timeseries?${range}&types=heart_rate`,
      headers: own,
      expect: 200,
    });
    await this.#ask({ kind: 'user', path: `${path}/export`, headers: own, expect: 200 });
    await this.#ask({ kind: 'user', method: 'DELETE', path, headers, expect: 200 });
  }

  async #export(): Promise<void> {
    const path = `/users/${this.#wearer().userId}/export`;
    await this.#ask({ kind: 'export', path, headers: this.#keyed(), expect: 200 });
  }

  async #intrude(): Promise<void> {
    const path = `/users/${this.#wearer().userId}`;
    const wrong = [
      { 'X-API-Key': `sk-${randomUUID().replaceAll('-', '')}` },
      { Authorization: `Bearer ${this.#choice.token.slice(0, -4)}AAAA` },
      { Authorization: 'Basic eDp5' },
      {},
    ];
    await this.#ask({ kind: 'wrong', path, headers: wrong[this.#turn % wrong.length] ?? {}, expect: 401 });
  }

  #keyed(): Record<string, string> {
    return { 'X-API-Key': this.#choice.key };
  }

  #wearer() {
    const { wearers } = this.#choice;
    this.#turn += 1;
    const wearer = wearers[this.#turn % wearers.length];
    if (wearer === undefined) throw new Error('nobody to ask about');
    return wearer;
  }

  async #ask({ kind, path, body, headers, method, expect }: Ask): Promise<RawAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await send(this.#agent, {
      origin: this.#choice.origin,
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      path: `/api/v1${path}`,
      headers: { ...(text === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: text,
    });
    this.#counts[kind] = (this.#counts[kind] ?? 0) + 1;
    if (answer.status !== expect)
      this.#note(`${kind} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return answer;
  }

  #note(text: string): void {
    this.#counts.wrong_answers = (this.#counts.wrong_answers ?? 0) + 1;
    if (this.#wrong.length < mostWrong) this.#wrong.push(text);
  }
}
