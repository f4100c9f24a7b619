import { z } from 'zod';
import type { Reply, Route } from '../server/http.ts';
import type { Sender } from '../server/outbox.ts';
import type { TokenHolder } from '../server/tokens.ts';
import type { SampleSink } from './expected-series.ts';
import type { Traits } from './traits.ts';
import type { World } from './world.ts';

/** The URL of a running sandbox, and the settings that point the services at it, as environment variables. */
export const SandboxAccess = z.object({ url: z.string(), settings: z.record(z.string(), z.string()) });
export type SandboxAccess = z.infer<typeof SandboxAccess>;

/** The target of a provider's notifications. */
export interface WebhookTarget {
  readonly access: SandboxAccess;
  /** The URL of all webhooks, without the provider's part of the path. */
  readonly webhooks: string;
  /** The last segment of the webhooks' paths if they are secret. */
  readonly secret: string | null;
  /** Sends a request. @throws Error for any status but 2xx */
  request(url: string, init: RequestInit): Promise<Response>;
}

/** One simulated provider, as the shared part of the sandbox uses it. */
export interface Simulation {
  readonly name: string;
  /** The provider's own settings of PUT /application, and their initial values. */
  readonly application: { readonly shape: z.ZodRawShape; readonly initial: object };
  /** Whether a user of these traits has an account from the start. */
  hasAccount(traits: Traits): boolean;
  /** Sets the target of the notifications of a running sandbox, over HTTP. */
  pointAt(target: WebhookTarget): Promise<void>;
  /** Starts the simulation. Its part of the store is private to it. */
  open(world: World): Provider;
}

/** A simulation in a running sandbox. */
export interface Provider extends Sender {
  readonly name: string;
  readonly title: string;
  /** Its API, and control routes with which tests change or inspect it. */
  readonly routes: readonly Route[];
  readonly settings: SandboxAccess['settings'];
  /** The headers of a 429. */
  readonly retryAfter: NonNullable<Reply['headers']>;
  /** The answer to a request over the limit, if it is not always a 429. */
  readonly overLimit?: () => Reply;
  /** Sends new data; called each quarter of an hour. */
  sendNewData(): void;
  tokenHolders(): readonly TokenHolder[];
  /** The account of a user, by the user's index; null if there is none. */
  account(user: number): Account | null;
}

/** An account, as the control routes return it. */
export interface Account {
  readonly shown: { readonly connected: boolean };
  /** The data that an application should have stored of it. */
  expectedData(): object;
  addSamples(sink: SampleSink): void;
}
