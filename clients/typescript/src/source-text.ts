/** A source as answers of the API have it. */
interface Source {
  readonly provider: string;
  readonly device?: string | null;
}

/** Health stores of phones, by what names of devices and of apps contain. */
const stores = [
  [/apple|iphone|ipad/i, 'Apple Health'],
  [/samsung|\.sec\./i, 'Samsung Health'],
  [/healthdata|health ?connect/i, 'Health Connect'],
] as const;
/** An app without a device has its id in the place of the device. */
const appId = /^com\.[\w.-]+$/;

/** A source as people read it: the name of the provider, and the device if one is known. */
export function sourceText(titleOf: (provider: string) => string, { provider, device }: Source): string {
  if (device === undefined || device === null || device === 'unknown') return titleOf(provider);
  const store = provider === 'phone' ? stores.find(([pattern]) => pattern.test(device))?.[1] : undefined;
  return store !== undefined && appId.test(device) ? store : `${store ?? titleOf(provider)}, ${device}`;
}
