/**
 * The address range that a network address is counted with: the /24 of an IPv4 address, the /48 of an IPv6 address, which
 * is given as its first four groups (/64).
 */
export function rangeOf(address: string): string {
  if (address.includes('.')) return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
  return address === '' ? '' : `${address.split(':').slice(0, 3).join(':')}::/48`;
}
