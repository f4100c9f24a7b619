/** The faults that the sandbox can play, and what happens meanwhile. */
export const faultKinds = {
  error: 'the API answers 500, 502 or 503',
  delay: 'the API answers two seconds later',
  lost: 'answers of the API are cut off',
  rate_limit: 'the API answers 429',
  expiry: 'access tokens expire early',
  dropped: 'notifications are never sent',
  duplicate: 'notifications are sent twice',
  disorder: 'notifications are sent late and out of order',
  garbage: 'invalid notifications are sent besides the others',
} as const;
