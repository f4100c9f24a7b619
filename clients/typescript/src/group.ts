import { Lines } from './lines.ts';
import { Pages } from './pages.ts';
import type { Call, CallOptions, OperationFlags, Transport } from './transport.ts';
import { verify } from './webhooks.ts';

/** A group of operations. Generated classes extend it with a method per operation. */
export class Group {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  protected async json<Body>(...call: CallArguments): Promise<Body> {
    const body: Body = JSON.parse(await this.text(...call));
    return body;
  }

  protected async text(...call: CallArguments): Promise<string> {
    return (await this.response(...call)).text();
  }

  /** A file, whose body is read as it arrives. */
  protected response(...call: CallArguments): Promise<Response> {
    return this.#transport.send(callOf(call));
  }

  protected pages<Page extends object>(line: string, params: object, options?: CallOptions): Pages<Page> {
    return new Pages((query) => this.json<Page>(line, { ...params, ...query }, options), params);
  }

  protected lines<Line>(...call: CallArguments): Lines<Line> {
    return new Lines(() => this.response(...call), call[0].endsWith('/export'));
  }
}

/** The group of webhook endpoints, which also verifies the messages that they receive. */
export class VerifyingGroup extends Group {
  /** Verifies a message and returns its event. */
  readonly verify = verify;
}

type CallArguments = [line: string, params: object, options?: CallOptions, flags?: OperationFlags];

function callOf([line, params, options = {}, flags = {}]: CallArguments): Call {
  return { line, params: { ...params }, options, flags };
}
