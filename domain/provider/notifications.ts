import type { Range } from '../time/time.ts';
import type { OfSettings } from './of-settings.ts';

/** The notifications of a provider, at /webhooks/{provider}/{kind}. */
export interface Notifications {
  readonly kind: string;
  /** A body for the documentation. */
  readonly example: Readonly<Record<string, unknown>>;
  readonly bodyLimitBytes: number;
  /** The media type of the bodies. */
  readonly form: 'json' | 'form';
  /** The status of the answer to a stored notification. 204 has no body. */
  readonly acceptedStatus: 200 | 204;
  /** HEAD and GET of the address return 200, because the provider checks it so when it subscribes. */
  readonly answersProbe: boolean;
  readonly authentication:
    | AddressAuthentication
    | SignatureAuthentication
    | HmacAuthentication
    | BodySecretAuthentication;
  /** GET of the address with our token answers the provider's challenge. */
  readonly challenge?: Challenge;
  /**
   * Whether a body is a check of the address at which the provider wants a status: 200 with the right Authorization header
   * (`authorization`), otherwise 401. Null without such a check.
   */
  readonly isHandshake: ((body: Buffer) => boolean) | null;
  /** The value that the Authorization header must have if it is present. Null: the header is not used. */
  readonly authorization: OfSettings<[], string | undefined> | null;
  /** What a body names. Null: it cannot be read. At most 1,000 hints of a body are used. */
  readonly read: (body: Buffer) => readonly Hint[] | null;
}

/** Notifications are not signed: the address alone authenticates them. */
interface AddressAuthentication {
  readonly by: 'address';
}

/** A signature over the raw body. A body without a valid one is refused at every address. */
export interface SignatureAuthentication {
  readonly by: 'signature';
  /** Alternative names of the header, in lower case; list them in `webhooks.keptHeaders` too. */
  readonly headers: readonly string[];
  readonly keyset: Keyset;
  /** The id of the key of a signature. Null: the signature is malformed. */
  readonly keyId: (signature: string) => string | null;
  readonly verify: (signature: string, body: Buffer, key: PublicKey) => boolean;
}

/**
 * An HMAC-SHA256 over the raw body, with a secret that the provider shares with the application. A body without a valid one
 * is refused at every address.
 */
export interface HmacAuthentication {
  readonly by: 'hmac';
  /** In lower case; list it, and the header of the time, in `webhooks.keptHeaders` too. */
  readonly header: string;
  /** The header whose text stands before the body in what is signed. */
  readonly timeHeader?: string;
  readonly encoding: 'hex' | 'base64';
  /** `stored`: the provider gave it when the subscription was made. */
  readonly secret: OfSettings<[], string | undefined> | 'stored';
}

/**
 * A secret that the provider shares with the application, as a member of each body. It is compared when a body arrives, and is
 * removed before the body is stored. A body without the right one is refused at every address.
 */
export interface BodySecretAuthentication {
  readonly by: 'body-secret';
  /** The name of the member at the top level of the JSON object. */
  readonly member: string;
  /** Undefined: it is not set, so that every body is refused. */
  readonly secret: OfSettings<[], string | undefined>;
}

/** The names of the query fields of a check, and our token. */
interface Challenge {
  readonly token: string;
  readonly challenge: string;
  readonly expected: OfSettings<[], string | undefined>;
}

/** Keys that rotate, published at an address. */
export interface Keyset {
  readonly url: OfSettings<[], URL>;
  /** The usable keys of the published text, by id. Null: it cannot be read. */
  readonly read: (text: string) => ReadonlyMap<string, PublicKey> | null;
  /** A keyset is fetched again after this time. */
  readonly freshMs: number;
  /** Least time between two fetches. */
  readonly floorMs: number;
}

/** A public key as a JSON Web Key. */
export type PublicKey = Readonly<Record<string, string>>;

/** What a notification names. A hint changes nothing by itself. */
export type Hint = ChangeHint | RecordHint | AccessHint;

/** Data of an account changed. */
interface ChangeHint {
  readonly kind: 'changed';
  readonly account: string;
  /** The names of types; unknown ones are ignored. */
  readonly types: readonly string[];
  /** The changed span; null if the types are read from a cursor, or if the notification names none. */
  readonly span: Range | null;
  /** The provider's id of the record. Where it is stored, the span that it has there is read as well. */
  readonly id?: string;
}

/**
 * A record of an account that the notification does not name changed. It is looked for in what is stored of all connections of the
 * provider, and its span is read again where it is found. What is not stored is left to the sweep. At most 100 of a body are used.
 */
interface RecordHint {
  readonly kind: 'record';
  /** The names of types; unknown ones are ignored. */
  readonly types: readonly string[];
  /** The provider's id of the record. */
  readonly id: string;
}

/** Our access to an account may have ended: the probe is sent, and only a refused token ends the connection. */
interface AccessHint {
  readonly kind: 'access';
  readonly account: string;
}
