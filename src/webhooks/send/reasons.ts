/** The codes of Node for a connection that cannot be made. */
const NOT_CONNECTED =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|ETIMEDOUT|E(ADDRNOTAVAIL|ACCES|PERM|INVAL))$/;

/** The codes of OpenSSL and Node for a certificate that is not valid. */
const BAD_CERTIFICATE = /CERT|SIGNATURE|CRL|CHAIN|INVALID_CA|PATH_LENGTH|HOSTNAME_MISMATCH/;

/**
 * The reason why no answer came, for the owner of the endpoint. The reason contains no address, no
 * port and no text of the receiver.
 */
export function noAnswerBecause(error: unknown, isLate: boolean): string {
  if (isLate) return 'No complete answer came within 15 seconds.';
  const { code = '' } = error as NodeJS.ErrnoException;
  if (BAD_CERTIFICATE.test(code)) return `The certificate is not valid (${code}).`;
  if (code.startsWith('HPE_')) return 'The answer is not valid HTTP.';
  if (NOT_CONNECTED.test(code)) return 'The host cannot be reached.';
  if (code === 'EPROTO' || code.startsWith('ERR_SSL')) return 'The host does not speak TLS.';
  return 'The connection broke before the answer was complete.';
}
