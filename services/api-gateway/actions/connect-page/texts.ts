import type { ConnectReason, StaleReason } from '../../../../contracts/connect/schemas.ts';
import type { Refused } from '../../../../contracts/connect/sessions.ts';
import type { SharedData } from '../../../../domain/provider/provider.ts';

/** Why the connect page refuses a request. */
export type Problem = Refused['reason'] | 'form' | 'limited' | 'unavailable';

/** A heading and the sentence below it. */
interface Message {
  readonly title: string;
  readonly text: string;
}

/**
 * The texts of the connect page in one language. `{app}` is the operator, `{provider}` the name of a provider, `{providers}` a list
 * of names.
 */
export interface Texts {
  /** The BCP 47 tag of the language, with the script where the language has several. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly pickTitle: string;
  readonly pickText: string;
  readonly nothingOffered: string;
  /** Why the user is here, and what to do. */
  readonly reasons: Readonly<Record<StaleReason, string>>;
  /** The state of a provider in two or three words. */
  readonly states: Readonly<Record<'none' | 'connected' | 'expired', string>>;
  /** The buttons of the list, by state. */
  readonly choose: Readonly<Record<'none' | 'connected' | 'expired', string>>;
  readonly consentTitle: string;
  readonly consentText: string;
  readonly shares: Readonly<Record<SharedData, string>>;
  /** Of which time data is shared. */
  readonly consentPeriod: string;
  readonly notShared: string;
  /** Where permissions are chosen, and how the access ends. */
  readonly consentRights: string;
  /** Where the account is, at a provider that keeps accounts of its regions apart. */
  readonly region: Readonly<Record<'question' | 'choose' | 'elsewhere', string>>;
  readonly agree: string;
  readonly back: string;
  readonly leaving: string;
  readonly follow: string;
  readonly codeTitle: string;
  readonly codeText: string;
  readonly done: string;
  readonly mayClose: string;
  readonly connected: string;
  readonly failures: Readonly<Record<ConnectReason, string>>;
  readonly problems: Readonly<Record<Problem, Message>>;
}

/** A text with names in their places. */
export const filled = (
  text: string,
  names: Readonly<Partial<Record<'app' | 'provider' | 'providers', string>>>,
): string =>
  text.replace(/\{(app|provider|providers)\}/g, (place, name) => Reflect.get(names, name) ?? place);
