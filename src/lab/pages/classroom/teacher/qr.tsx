/**
 * Shows the QR code that phones scan. The QR code is dark on white in both colour schemes, as
 * scanners expect.
 */
export const Qr = ({ dark, label }: { dark: boolean[][]; label: string }) => (
  <svg
    class="qr"
    viewBox={`0 0 ${dark.length} ${dark.length}`}
    role="img"
    aria-label={label}
    shape-rendering="crispEdges"
  >
    <rect class="qr-light" width="100%" height="100%" />
    <path class="qr-dark" d={pathOf(dark)} />
  </svg>
);

const pathOf = (dark: boolean[][]): string =>
  dark.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
