/** The program of the load. It obeys orders of its parent process, and ends with its parent. */
import { makeLoad, type Order, type Report } from './load.ts';

process.on('disconnect', () => process.exit());
process.on('message', async (order: Order) => {
  const report: Report = await makeLoad(order).then(
    (heard) => ({ heard }),
    (error: Error) => ({ failed: error.message }),
  );
  process.send?.(report);
});
