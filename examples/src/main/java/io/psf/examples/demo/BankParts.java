package io.psf.examples.demo;

import java.util.Arrays;

/**
 * The Bank Marketing table, shuffled and split 80 to 20. The split is the same in every process.
 *
 * @param train the training part
 * @param test the test part
 */
public record BankParts(BankTable train, BankTable test) {
    private static final long SEED = 17;

    /** Loads the table from the class path. */
    public static BankParts load() {
        return of(BankTable.load());
    }

    static BankParts of(BankTable table) {
        int[] order = Shuffle.order(table.rows().size(), SEED);
        int cut = (int) (order.length * 0.8);
        return new BankParts(
                table.select(Arrays.copyOfRange(order, 0, cut)),
                table.select(Arrays.copyOfRange(order, cut, order.length)));
    }
}
