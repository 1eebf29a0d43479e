package io.psf.examples.demo;

import java.util.Arrays;

/**
 * The Bank Marketing data, shuffled and split 80 to 20. The split is the same in every process.
 *
 * @param train the training part
 * @param test the test part
 * @param keys the number of keys of all categorical fields
 */
record BankData(Examples train, Examples test, long keys) {
    private static final long SEED = 17;

    /**
     * Loads the data from the class path.
     *
     * @param realistic true to omit the duration of the call, which is known only after the call
     */
    static BankData load(boolean realistic) {
        return split(BankTable.load(), realistic);
    }

    static BankData split(BankTable table, boolean realistic) {
        int n = table.rows().size();
        int[] order = Shuffle.order(n, SEED);
        int cut = (int) (n * 0.8);
        BankTable train = table.select(Arrays.copyOfRange(order, 0, cut));
        BankTable test = table.select(Arrays.copyOfRange(order, cut, n));
        Features features = Features.of(train, realistic);
        return new BankData(features.examples(train), features.examples(test), features.keys());
    }
}
