/**
 * How many files this process may have open at once, sockets among them: `ulimit -n`, which Node
 * raises as far as it may. Infinity where nothing limits them, as on Windows.
 *
 * Node has no other way to tell on every system. The report takes 4 ms.
 */
export function fileLimit(): number {
  const { soft } = readReport().userLimits?.open_files ?? {};
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

interface Report {
  excludeNetwork?: boolean;
  getReport(): object;
}

interface Limits {
  userLimits?: { open_files?: { soft: number | 'unlimited' } };
}

function readReport(): Limits {
  // The typings do not know `excludeNetwork`. Without it, the report asks the name server about the
  // other end of each connection, and everybody waits for the answer.
  const report: Report = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const made = report.getReport();
  report.excludeNetwork = excludeNetwork;
  return made;
}
