import sequelize from 'sequelize-6.7.0';
import { findOrCreateWith } from './find-create-find.mjs';

export default findOrCreateWith(sequelize);
