import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Random } from '../support/random.ts';
import type { Client } from './client.ts';
import { pushOf } from './pushes.ts';

/** A user with an account at the device maker, whose data the test pushes. */
interface Person {
  readonly userId: string;
  account: string;
}

const Found = z.object({ items: z.tuple([z.object({ id: z.string() })]) });
const fewest = 5;

/** What an application and a provider do: users come and go, accounts are connected and disconnected, data arrives. */
export class Application {
  readonly people: Person[] = [];
  /** All users that it ever made. */
  readonly made = new Set<string>();
  readonly deleted = new Set<string>();
  readonly #client: Client;
  readonly #random: Random;
  readonly #clientId: string;
  readonly #leftAccounts: string[] = [];

  constructor(client: Client, random: Random, clientId: string) {
    this.#client = client;
    this.#random = random;
    this.#clientId = clientId;
  }

  /** Does one thing at random. */
  async act(): Promise<void> {
    const random = this.#random;
    const rare = [this.comes, this.#leaves, this.#expires, this.#deregisters, this.#disconnects];
    if (this.people.length < fewest) return this.comes();
    if (random.chance(0.7)) return this.#pushes();
    if (random.chance(0.5)) return this.#isRenamed();
    return random.pick(rare).call(this);
  }

  /** A new user with a connection. */
  async comes(): Promise<void> {
    const external_user_id = randomUUID();
    await this.#client.request('/users', { body: { external_user_id } });
    // A gateway that is killed may have made the user: then the repeated request finds the name taken.
    const { items } = await this.#client.get(`/users?external_user_id=${external_user_id}`, Found);
    const [{ id: userId }] = items;
    this.made.add(userId);
    const person = { userId, account: randomUUID() };
    await this.#connect(person);
    this.people.push(person);
  }

  async #connect({ userId, account }: Person, tokens: object = {}): Promise<void> {
    const body = { provider: 'devicemaker', provider_user_id: account, ...tokens };
    await this.#client.request(`/users/${userId}/connections`, { body });
  }

  async #push(body: object): Promise<void> {
    const headers = { 'devicemaker-client-id': this.#clientId };
    await this.#client.request('/webhooks/devicemaker/push', { body, headers });
  }

  // Data of accounts that left arrives too.
  async #pushes(): Promise<void> {
    const random = this.#random;
    const left = this.#leftAccounts.length > 0 && random.chance(0.05);
    await this.#push(
      pushOf(left ? random.pick(this.#leftAccounts) : random.pick(this.people).account, random),
    );
  }

  async #isRenamed(): Promise<void> {
    const random = this.#random;
    const body = random.chance(0.5) ? { first_name: randomUUID() } : { external_user_id: randomUUID() };
    await this.#client.request(`/users/${random.pick(this.people).userId}`, { method: 'PATCH', body });
  }

  async #leaves(): Promise<void> {
    if (this.people.length <= fewest) return this.comes();
    const [person] = this.people.splice(this.#random.below(this.people.length), 1);
    if (person === undefined) return;
    this.#leftAccounts.push(person.account);
    await this.#client.request(`/users/${person.userId}`, { method: 'DELETE' });
    this.deleted.add(person.userId);
  }

  async #deregisters(): Promise<void> {
    const person = this.#random.pick(this.people);
    await this.#push({ deregistrations: [{ userId: person.account }] });
    if (this.#random.chance(0.7)) await this.#connect(person);
  }

  async #disconnects(): Promise<void> {
    const person = this.#random.pick(this.people);
    const path = `/users/${person.userId}/connections/devicemaker?purge=${this.#random.chance(0.7)}`;
    await this.#client.request(path, { method: 'DELETE' });
    await this.#connect(person);
  }

  // The provider refuses tokens that it did not issue, at the first request of a backfill.
  async #expires(): Promise<void> {
    const person = this.#random.pick(this.people);
    const path = `/users/${person.userId}/connections/devicemaker`;
    await this.#client.request(path, { method: 'DELETE' });
    await this.#connect(person, { access_token: 'unknown', refresh_token: 'unknown' });
    await this.#client.request(`${path}/backfill`, { body: { days: 1 } });
  }
}
