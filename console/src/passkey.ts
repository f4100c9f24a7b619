import { startAuthentication, startRegistration } from '@simplewebauthn/browser';
import { api } from './api.ts';
import { startByPasskey } from './session.ts';

/** Signs in with a passkey that the device offers. @throws SignInError, or an Error with the reason of the browser */
export const signInByPasskey = () =>
  startByPasskey((options) => {
    const optionsJSON = { ...options, userVerification: 'required' } as const;
    return using(options.rpId, () => startAuthentication({ optionsJSON }));
  });

/** Makes a passkey and adds it to the account. `proof` is the password, or a code of the authenticator. */
export async function addPasskey(name: string, proof: string): Promise<void> {
  const optionsJSON = await api.auth.beginPasskey(proofOf(proof));
  const made = await using(optionsJSON.rp.id, () => startRegistration({ optionsJSON }));
  await api.auth.confirmPasskey({ name, credential: { ...made, response: { ...made.response } } });
}

/** A password has at least ten characters, so that six digits are a code. */
export const proofOf = (text: string) => (/^\d{3} ?\d{3}$/.test(text) ? { code: text } : { password: text });

async function using<T>(host: string, work: () => Promise<T>): Promise<T> {
  if (host !== window.location.hostname) throw new Error(`Passkeys work at ${host}: open the console there.`);
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === 'NotAllowedError')
      throw new Error('No passkey was used: it was cancelled, took too long, or the device has none.');
    throw error;
  }
}
