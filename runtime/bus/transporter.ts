import type { KeyObject } from 'node:crypto';
import { Transporters } from 'moleculer';
import type { Msg } from 'nats';
import type { Config } from '../../config.ts';
import { actionsByName } from '../../contracts/all.ts';
import { ServiceError } from '../../domain/errors.ts';
import { natsOptions } from '../nats-options.ts';
import { CallerVerifier, callerKey, callerPublicKey, signPacket } from './caller-signature.ts';
import { fullRole, servicesOf } from './roles.ts';
import { Sealing } from './sealing.ts';
import { actionOfSubject, answerSubject, requestSubject } from './subjects.ts';

type Packet = Parameters<Transporters.NATS['publish']>[0];

/** The field of a node's metadata with its public key. Nodes of releases before 0.3 have none. */
const keyField = 'bus_key';

/**
 * Moleculer's transporter for NATS with three additions: requests and answers have subjects that the bus can permit for each
 * action (subjects.ts), they are sealed (sealing.ts), and privileged requests are signed (caller-signature.ts). Balancing, registry
 * and heartbeats are Moleculer's own. Nodes of an earlier release are called as before, and may call nodes of the role `pulsebus`.
 */
export class BusTransporter extends Transporters.NATS {
  readonly #role: string;
  readonly #sealing = new Sealing();
  readonly #verifier: CallerVerifier;
  readonly #callerKey: KeyObject | null;
  /** The public keys of callers that wait for an answer, by node and request. */
  readonly #callers = new Map<string, string>();

  constructor(config: Config, role: string) {
    super(natsOptions(config));
    const [first] = config.CALLER_KEY ?? [];
    this.#role = role;
    this.#callerKey = first === undefined ? null : callerKey(first);
    this.#verifier = new CallerVerifier(
      config.CALLER_PUBLIC_KEY ?? (config.CALLER_KEY ?? []).map(callerPublicKey),
    );
  }

  /** What other nodes must have to call this one. */
  get metadata(): Readonly<Record<string, string>> {
    return { [keyField]: this.#sealing.publicKey };
  }

  /** How many callers wait for an answer. */
  get callers(): number {
    return this.#callers.size;
  }

  override async makeSubscriptions(topics: Record<string, string>[]): Promise<void> {
    // The product sends no events: no role may.
    const used = topics.filter(({ cmd }) => cmd !== 'EVENT');
    await Promise.all(used.map(({ cmd = '', nodeID }) => this.subscribe(cmd, nodeID)));
  }

  override async subscribe(cmd: string, nodeID?: string): Promise<void> {
    const isCall = cmd === 'REQ' || cmd === 'RES';
    if (isCall) this.#subscribeSealed(cmd);
    if (!isCall || this.#role === fullRole)
      this.#listen(this.getTopicName(cmd, nodeID), ({ data }) => {
        const packet = this.deserialize(cmd, Buffer.from(data));
        return cmd === 'REQ' ? this.#accept(packet, false) : this.transit.messageHandler(cmd, packet);
      });
  }

  override async publish(packet: Packet): Promise<void> {
    if (packet.type === 'REQ' && packet.target !== undefined) {
      const receiver: unknown = this.broker.registry.nodes.get(packet.target)?.metadata?.[keyField];
      if (typeof receiver === 'string') return this.#request(packet, packet.target, receiver);
    }
    if (packet.type === 'RES' && packet.target !== undefined) {
      const caller = callerId(packet.target, packet.payload);
      const receiver = this.#callers.get(caller);
      this.#callers.delete(caller);
      if (receiver !== undefined) {
        const sealed = this.#sealing.seal(this.serialize(packet), receiver);
        return this.send(answerSubject(this.prefix, packet.target), sealed);
      }
    }
    return super.publish(packet);
  }

  #request(packet: Packet, target: string, receiver: string): Promise<void> {
    const action = String(Reflect.get(packet.payload, 'action'));
    const content = this.serialize(packet);
    const isSigned = this.#callerKey !== null && isPrivileged(action);
    const signed = isSigned ? signPacket(content, receiver, this.#callerKey, Date.now()) : content;
    return this.send(requestSubject(this.prefix, target, action), this.#sealing.seal(signed, receiver));
  }

  #subscribeSealed(cmd: 'REQ' | 'RES'): void {
    if (cmd === 'RES') {
      this.#listen(answerSubject(this.prefix, this.nodeID), ({ data }) => {
        const { content } = this.#sealing.open(Buffer.from(data));
        return this.transit.messageHandler(cmd, this.deserialize(cmd, content));
      });
      return;
    }
    const actions = servicesOf(this.#role)?.map((service) => `${service}.*`) ?? ['>'];
    for (const action of actions)
      this.#listen(requestSubject(this.prefix, this.nodeID, action), (message) => this.#opened(message));
  }

  #opened({ data, subject }: Msg): unknown {
    const { content, sender } = this.#sealing.open(Buffer.from(data));
    const { packet: json, isVerified } = this.#verifier.read(content, this.#sealing.publicKey, Date.now());
    const packet = this.deserialize('REQ', json);
    // The bus permitted the action of the subject, so no other one may run.
    if (Reflect.get(packet.payload, 'action') !== actionOfSubject(subject))
      throw new Error('the action is not that of the subject');
    this.#callers.set(callerId(packet.payload.sender, packet.payload), sender);
    return this.#accept(packet, isVerified);
  }

  #accept(packet: Packet, isVerified: boolean): unknown {
    const { sender, id, action } = fieldsOf(packet.payload);
    // Calls within a process do not cross the bus, so such a packet is forged.
    if (sender === this.nodeID) throw new Error('the sender is this node');
    if (isVerified || !this.#verifier.isRequired || !isPrivileged(action))
      return this.transit.messageHandler('REQ', packet);
    this.logger.warn('caller.refused', { action, sender });
    return this.transit.sendResponse(sender, id, {}, {}, {}, new ServiceError('CALLER_REFUSED'));
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

function isPrivileged(action: string): boolean {
  return actionsByName.get(action)?.privileged === true;
}

function callerId(nodeID: string | null, payload: object): string {
  return `${nodeID} ${Reflect.get(payload, 'id')}`;
}

function fieldsOf(payload: object) {
  const read = (name: string) => String(Reflect.get(payload, name));
  return { sender: read('sender'), id: read('id'), action: read('action') };
}
