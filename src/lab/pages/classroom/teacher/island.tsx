import { render } from 'hono/jsx/dom';
import { TeacherPage } from './teacher-page.tsx';

const island = document.getElementById('island');
if (island) render(<TeacherPage />, island);
