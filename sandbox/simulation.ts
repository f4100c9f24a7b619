import { z } from 'zod';
import type { Reply, Route } from './http.ts';
import type { Sender } from './outbox.ts';
import type { Contents } from './store.ts';
import type { Granter } from './tokens.ts';
import type { Traits } from './traits.ts';
import type { SampleSink } from './truth/series.ts';
import type { World } from './world.ts';

/** Where a running sandbox is, and the settings that lead the services to it, as an environment has them. */
export const SandboxAccess = z.object({ url: z.string(), settings: z.record(z.string(), z.string()) });
export type SandboxAccess = z.infer<typeof SandboxAccess>;

/** Where the notifications of a provider are to go. */
export interface WebhookTarget {
  readonly access: SandboxAccess;
  /** The address of all webhooks, without the provider's part of the path. */
  readonly webhooks: string;
  /** The last segment of the webhooks' paths, where they are secret. */
  readonly secret: string | null;
  /** Sends a request. @throws Error for any status but 2xx. */
  request(url: string, init: RequestInit): Promise<Response>;
}

/** One simulated provider: all that the shared part of the sandbox uses of it. */
export interface Simulation {
  readonly name: string;
  /** The provider's own settings of PUT /application, and their values in a new file. */
  readonly application: { readonly shape: z.ZodRawShape; readonly initial: object };
  /** Whether a person of these traits has an account from the start. */
  hasAccount(traits: Traits): boolean;
  /** Sets over HTTP where a running sandbox sends the notifications. */
  pointAt(target: WebhookTarget): Promise<void>;
  /** Whether contents are a notification of this provider. */
  sends(contents: Contents): boolean;
  /** Starts the simulation; its own part of the store is private to it. */
  open(world: World): Provider;
}

/** A simulation in a running sandbox. */
export interface Provider extends Sender {
  readonly name: string;
  readonly title: string;
  /** Its own API, and the sandbox's routes by which a test steers or inspects it. */
  readonly routes: readonly Route[];
  readonly settings: SandboxAccess['settings'];
  /** The headers of a 429. */
  readonly retryAfter: NonNullable<Reply['headers']>;
  /** Sends what is new; called each quarter of an hour. */
  sendNews(): void;
  granters(): readonly Granter[];
  /** The account of a person, by the person's index; null where there is none. */
  account(person: number): Account | null;
}

/** An account, as the sandbox's own routes show it. */
export interface Account {
  readonly shown: { readonly connected: boolean };
  /** What an application should have stored of it. */
  truth(): object;
  addSamples(sink: SampleSink): void;
}
