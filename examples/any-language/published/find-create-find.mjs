/** Finds or creates an account in a transaction, with this version of Sequelize. */
export const findOrCreateWith = ({ Sequelize, DataTypes }) => {
  const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
  const columns = { email: { type: DataTypes.STRING, unique: true } };
  const Account = sequelize.define('account', columns, { timestamps: false });
  const where = { email: 'ada@example.org' };
  return () =>
    sequelize.transaction(async (transaction) => {
      const [, isNew] = await Account.findCreateFind({ where, transaction });
      return isNew ? 'created' : 'found';
    });
};
