import { render } from 'hono/jsx/dom';

function Lab() {
  return <h1>The lab</h1>;
}

const island = document.getElementById('island');
if (island) render(<Lab />, island);
