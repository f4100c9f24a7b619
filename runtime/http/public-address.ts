import { BlockList, isIP } from 'node:net';

/**
 * Addresses that a URL of an untrusted sender may lead to. Everything except hosts of the public internet is rejected:
 * this machine, its networks, a cloud's metadata service, and IPv6 forms that contain an IPv4 address.
 */
const specialV4 = blockOf('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]);
// Only 2000::/3 of IPv6 is allocated. Mapped, translated (64:ff9b::), local and multicast addresses are outside.
const globalV6 = blockOf('ipv6', ['2000::/3']);
const specialV6 = blockOf('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const loopback = blockOf('ipv4', ['127.0.0.0/8']);

/** Whether an address is public. False for anything that is not an address, and for an address with a zone. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !specialV4.check(address, 'ipv4');
  return family === 6 && globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6');
}

/** Whether an address is a loopback address of this machine, in its plain form. */
export function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && loopback.check(address, 'ipv4'));
}

function blockOf(family: 'ipv4' | 'ipv6', networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}
