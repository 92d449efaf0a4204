import { expect, test } from 'vitest';
import { findStrategy } from '../../../../src/lab/chapters/index.ts';
import { drawOrders } from '../../../../src/lab/pages/map/draw-orders.ts';
import { treeOf } from '../../../../src/lab/pages/map/orders.ts';
import { makeApp, makeLab } from '../../../support/app.ts';
import { newsOf } from '../../../support/events.ts';
import { askExploration } from '../../../support/explorations.ts';

// After a change of a strategy or of the drawing, `npx vitest run test/slow/lab/explorations -u` draws the
// pictures again.
test.each(['transaction', 'row-lock'])(
  'the picture of all orders of %s in the README is up to date',
  async (name) => {
    const made = await makeApp();
    made.app.route('/lab', makeLab(made));
    const following = await askExploration(made.app, `strategy=claims/${name}&orders=listed`);
    await following.ended;
    const found = findStrategy(`claims/${name}`);
    if (typeof found === 'string') throw new Error(found);
    const { orders } = newsOf(following, 'done')[0];
    const svg = drawOrders(treeOf(orders), { faults: found.chapter.faults });
    await expect(`${svg}\n`).toMatchFileSnapshot(`../../../../docs/orders-${name}.svg`);
  },
);
