package io.psf.examples.demo;

/**
 * The Bank Marketing data, shuffled and split 80 to 20. The split is the same in every process.
 *
 * @param train the training part
 * @param test the test part
 * @param keys the number of keys of all categorical fields
 */
record BankData(Examples train, Examples test, long keys) {
    /**
     * Loads the data from the class path.
     *
     * @param realistic true to omit the duration of the call, which is known only after the call
     */
    static BankData load(boolean realistic) {
        return split(BankTable.load(), realistic);
    }

    static BankData split(BankTable table, boolean realistic) {
        BankParts parts = BankParts.of(table);
        Features features = Features.of(parts.train(), realistic);
        return new BankData(features.examples(parts.train()), features.examples(parts.test()), features.keys());
    }
}
