import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { pulseOx } from '../../fixtures/devicemaker/wellness.ts';
import { keepAlive, type RawAnswer, type RawRequest, send } from './http.ts';

/** A user whose data is read and for whom webhooks are sent. */
export interface Wearer {
  readonly userId: string;
  readonly account: string;
}

/** Whom to ask, as whom, and how hard. */
export interface LoadChoice {
  readonly origins: readonly string[];
  readonly key: string;
  readonly wearers: readonly Wearer[];
  readonly readers: number;
  readonly writers: number;
  readonly pauseMs: number;
  /** Polls the /ready of each gateway at this interval, as a balancer does, and sends no new requests to one that is not ready. */
  readonly probeMs?: number;
}

/** A failed request. `status` 0: the connection broke or was refused. */
export interface Lost {
  readonly kind: 'read' | 'webhook';
  readonly status: number;
  readonly atMs: number;
  readonly text: string;
}

/** What the load saw. */
export interface LoadReport {
  readonly reads: number;
  readonly webhooks: number;
  readonly lost: readonly Lost[];
  /** Reads whose connection died and that another gateway answered. */
  readonly again: number;
  readonly worst_ms: number;
  readonly p99_ms: number;
  /** Webhooks by number: whether they were answered 200. */
  readonly answered: ReadonlyMap<number, boolean>;
}

/** The unique start of the workout and sample of webhook n. */
export const webhookStart = (n: number) => Date.UTC(2025, 0, 1) / 1000 + n * 300;

/** The push of the device maker with the number n. */
export function webhookBody(n: number, account: string): string {
  const startTimeInSeconds = webhookStart(n);
  const head = { summaryId: `w${n}`, startTimeInSeconds, startTimeOffsetInSeconds: 0 };
  const run = activity(account, { ...head, activityId: n + 1, durationInSeconds: 120 });
  const oxygen = pulseOx(account, {
    ...head,
    durationInSeconds: 60,
    timeOffsetSpo2Values: { 0: 90 + (n % 9) },
  });
  return JSON.stringify({ activities: [run], pulseOx: [oxygen] });
}

/**
 * A steady load behind a load balancer of the plainest kind: one gateway after the other; who does not listen is
 * left out for a moment, and a read (never a webhook) whose connection dies is asked once more elsewhere.
 */
export class Load {
  readonly #choice: LoadChoice;
  readonly #agent: Agent;
  readonly #awayUntil = new Map<string, number>();
  readonly #unready = new Set<string>();
  readonly #lost: Lost[] = [];
  readonly #took: number[] = [];
  readonly #answered = new Map<number, boolean>();
  readonly #lanes: Promise<void>[];
  #reads = 0;
  #again = 0;
  #turn = 0;
  #stopped = false;

  constructor(choice: LoadChoice) {
    this.#choice = choice;
    this.#agent = keepAlive(choice.readers + choice.writers);
    this.#lanes = [
      ...Array.from({ length: choice.readers }, () => this.#lane(() => this.#read())),
      ...Array.from({ length: choice.writers }, () => this.#lane(() => this.#push())),
      ...(choice.probeMs === undefined ? [] : choice.origins.map((origin) => this.#probe(origin))),
    ];
  }

  /** How many requests were sent so far. */
  get sent(): number {
    return this.#reads + this.#answered.size;
  }

  /** Resets the figures but keeps the list of webhooks. */
  reset(): LoadReport {
    const report = this.#report();
    this.#lost.length = 0;
    this.#took.length = 0;
    this.#reads = 0;
    this.#again = 0;
    return report;
  }

  async stop(): Promise<LoadReport> {
    this.#stopped = true;
    await Promise.all(this.#lanes);
    this.#agent.destroy();
    return this.#report();
  }

  #report(): LoadReport {
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
    return {
      reads: this.#reads,
      webhooks: sorted.length - this.#reads,
      lost: [...this.#lost],
      again: this.#again,
      worst_ms: at(1),
      p99_ms: at(0.99),
      answered: this.#answered,
    };
  }

  async #lane(one: () => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await one();
      await sleep(this.#choice.pauseMs);
    }
  }

  async #probe(origin: string): Promise<void> {
    const agent = new Agent({ keepAlive: false });
    while (!this.#stopped) {
      const answer = await send(agent, { origin, method: 'GET', path: '/api/v1/ready' }).catch(() => null);
      if (answer?.status === 200) this.#unready.delete(origin);
      else this.#unready.add(origin);
      await sleep(this.#choice.probeMs ?? 0);
    }
  }

  async #read(): Promise<void> {
    const { userId } = this.#wearer(this.#reads);
    const paths = [
      `/users/${userId}`,
      `/users/${userId}/timeseries?start_time=2025-01-01&end_time=2025-01-31&types=oxygen_saturation`,
      `/users/${userId}/summaries/activity?start_date=2025-01-01&end_date=2025-01-07`,
      `/users/${userId}/events/workouts?start_date=2025-01-01&end_date=2025-01-31&limit=20`,
    ];
    const path = `/api/v1${paths[this.#reads % paths.length]}`;
    this.#reads += 1;
    await this.#measured('read', { method: 'GET', path, headers: { 'X-API-Key': this.#choice.key } });
  }

  async #push(): Promise<void> {
    const n = this.#answered.size;
    this.#answered.set(n, false);
    const body = webhookBody(n, this.#wearer(n).account);
    const headers = { 'Content-Type': 'application/json', 'devicemaker-client-id': 'faults' };
    const path = '/api/v1/webhooks/devicemaker/push';
    const answered = await this.#measured('webhook', { method: 'POST', path, headers, body });
    this.#answered.set(n, answered);
  }

  #wearer(n: number): Wearer {
    const { wearers } = this.#choice;
    const wearer = wearers[n % wearers.length];
    if (wearer === undefined) throw new Error('nobody to ask about');
    return wearer;
  }

  async #measured(kind: Lost['kind'], request: Omit<RawRequest, 'origin'>): Promise<boolean> {
    const began = performance.now();
    const answer = await this.#ask(kind, request);
    this.#took.push(performance.now() - began);
    if (answer.status < 300 && answer.status > 0) return true;
    this.#lost.push({ kind, status: answer.status, atMs: Date.now(), text: answer.text.slice(0, 200) });
    return false;
  }

  async #ask(
    kind: Lost['kind'],
    request: Omit<RawRequest, 'origin'>,
  ): Promise<Pick<RawAnswer, 'status' | 'text'>> {
    let said = 'nobody listens';
    let mayAskAgain = kind === 'read';
    let died: string | undefined;
    for (let tries = 0; tries < this.#choice.origins.length * 2; tries++) {
      const origin = this.#next(died);
      if (origin === null) {
        await sleep(100);
        continue;
      }
      try {
        return await send(this.#agent, { ...request, origin });
      } catch (error) {
        said = String(error);
        // Refused, or reset as its listener died: nothing was sent.
        if (Reflect.get(Object(error), 'syscall') === 'connect')
          this.#awayUntil.set(origin, Date.now() + 300);
        else if (!mayAskAgain) break;
        else {
          mayAskAgain = false;
          died = origin; // elsewhere: its other connections die one after the other
          this.#again += 1;
        }
      }
    }
    return { status: 0, text: said };
  }

  #next(except?: string): string | null {
    const now = Date.now();
    const listening = this.#choice.origins.filter((origin) => (this.#awayUntil.get(origin) ?? 0) <= now);
    const ready = listening.filter((origin) => !this.#unready.has(origin));
    const there = (ready.length > 0 ? ready : listening).filter((origin) => origin !== except);
    this.#turn += 1;
    return there[this.#turn % there.length] ?? null;
  }
}
