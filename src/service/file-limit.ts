/**
 * How many files this process may have open at once. Sockets count as files. The limit is `ulimit
 * -n`, which Node raises as far as it may. Infinity if there is no limit, as on Windows.
 *
 * Node's report is the only source that works on every system. The report takes 4 ms.
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
  // The typings do not know `excludeNetwork`. Without this option the report asks the name server
  // about the other end of each connection, and every request waits for the answer.
  const report: Report = process.report;
  const { excludeNetwork = false } = report;
  report.excludeNetwork = true;
  const made = report.getReport();
  report.excludeNetwork = excludeNetwork;
  return made;
}
