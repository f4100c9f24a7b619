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
 * The texts of the connect page in one language. `app` is the operator, `provider` the name of a provider, `providers` a list of
 * names. A text uses each of its parameters.
 */
export interface Texts {
  /** The BCP 47 tag of the language, with the script where the language has several. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly pickTitle: string;
  readonly pickText: (app: string) => string;
  readonly nothingOffered: string;
  /** Why the user is here, and what to do. */
  readonly reasons: Readonly<Record<StaleReason, (providers: string) => string>>;
  /** The state of a provider in two or three words. */
  readonly states: Readonly<Record<'none' | 'connected' | 'expired', string>>;
  /** The buttons of the list, by state. */
  readonly choose: Readonly<Record<'none' | 'connected' | 'expired', string>>;
  readonly consentTitle: (provider: string) => string;
  readonly consentText: (app: string, provider: string) => string;
  readonly shares: Readonly<Record<SharedData, string>>;
  /** Of which time data is shared. */
  readonly consentPeriod: string;
  readonly notShared: (provider: string) => string;
  /** Where permissions are chosen, and how the access ends. */
  readonly consentRights: (app: string, provider: string) => string;
  readonly agree: (provider: string) => string;
  readonly back: string;
  readonly leaving: (provider: string) => string;
  readonly follow: (provider: string) => string;
  readonly codeTitle: (provider: string) => string;
  readonly codeText: (app: string) => string;
  readonly done: (app: string) => string;
  readonly mayClose: string;
  readonly connected: (provider: string) => string;
  readonly failures: Readonly<Record<ConnectReason, (provider: string) => string>>;
  readonly problems: Readonly<Record<Problem, Message>>;
}
