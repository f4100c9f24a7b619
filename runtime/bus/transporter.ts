import { Transporters } from 'moleculer';
import type { Msg } from 'nats';
import { type BusSettings, natsOptions } from '../nats-options.ts';
import { actionOfSubject, answerSubject, requestSubject, servicesOf } from './permissions.ts';

type Packet = Parameters<Transporters.NATS['publish']>[0];

/** The largest messages are pages of days and days of samples. */
const mostMessageBytes = 8 * 1024 * 1024;

/**
 * Moleculer's transporter for NATS with subjects that the bus can permit for each action (subjects.ts). Balancing, registry and
 * heartbeats are Moleculer's own.
 */
export class BusTransporter extends Transporters.NATS {
  readonly #role: string;

  constructor(settings: BusSettings, role: string) {
    super(natsOptions(settings));
    this.#role = role;
  }

  /** @throws for a server that refuses large messages: Moleculer logs the error and connects again */
  override async onConnected(wasReconnect?: boolean): Promise<void> {
    const bytes = this.client.info?.max_payload ?? 0;
    if (bytes < mostMessageBytes) {
      await this.client.close();
      this.client = null;
      throw new Error(
        `NATS takes messages of ${bytes} bytes at most: set max_payload to 8MB in its configuration.`,
      );
    }
    return super.onConnected(wasReconnect);
  }

  override async makeSubscriptions(topics: Record<string, string>[]): Promise<void> {
    // The product sends no events: no role may.
    const used = topics.filter(({ cmd }) => cmd !== 'EVENT');
    await Promise.all(used.map(({ cmd = '', nodeID }) => this.subscribe(cmd, nodeID)));
  }

  override async subscribe(cmd: string, nodeID?: string): Promise<void> {
    if (cmd === 'REQ' || cmd === 'RES') this.#subscribeCalls(cmd);
    else
      this.#listen(this.getTopicName(cmd, nodeID), ({ data }) => this.#take(cmd, this.#packetOf(cmd, data)));
  }

  override async publish(packet: Packet): Promise<void> {
    const { type, target, payload } = packet;
    if (target === undefined || (type !== 'REQ' && type !== 'RES')) return super.publish(packet);
    const subject =
      type === 'REQ'
        ? requestSubject(this.prefix, target, String(Reflect.get(payload, 'action')))
        : answerSubject(this.prefix, target);
    return this.send(subject, this.serialize(packet));
  }

  #subscribeCalls(cmd: 'REQ' | 'RES'): void {
    if (cmd === 'RES') {
      const subject = answerSubject(this.prefix, this.nodeID);
      this.#listen(subject, ({ data }) => this.#take(cmd, this.#packetOf(cmd, data)));
      return;
    }
    const actions = servicesOf(this.#role)?.map((service) => `${service}.*`) ?? ['>'];
    for (const action of actions)
      this.#listen(requestSubject(this.prefix, this.nodeID, action), ({ data, subject }) => {
        const packet = this.#packetOf(cmd, data);
        // The bus permitted the action of the subject, so no other one may run.
        if (Reflect.get(packet.payload, 'action') !== actionOfSubject(subject))
          throw new Error('the action is not that of the subject');
        return this.#take(cmd, packet);
      });
  }

  #packetOf(cmd: string, data: Uint8Array): Packet {
    return this.deserialize(cmd, Buffer.from(data));
  }

  #take(cmd: string, packet: Packet): unknown {
    // Calls within a process do not cross the bus, so such a packet is forged.
    if (cmd === 'REQ' && Reflect.get(packet.payload, 'sender') === this.nodeID)
      throw new Error('the sender is this node');
    return this.transit.messageHandler(cmd, packet);
  }

  #listen(subject: string, handle: (message: Msg) => unknown): void {
    const callback = async (error: Error | null, message: Msg) => {
      try {
        if (error !== null) throw error;
        await handle(message);
      } catch (failure) {
        const reason = failure instanceof Error ? failure.message : String(failure);
        this.logger.warn('bus.refused', { subject, reason });
      }
    };
    this.client.subscribe(subject, { callback });
  }
}
