package io.psf.examples.spark;

import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Rows in the memory of the driver. Not thread-safe.
 *
 * @param keys of all rows
 * @param ends [rows], the end of each row among the keys
 * @param labels [rows]
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
record PlainRows(int[] keys, int[] ends, double[] labels) {
    static PlainRows of(Dataset<Row> rows) {
        int[] keys = new int[1 << 20];
        int[] ends = new int[1 << 16];
        double[] labels = new double[1 << 16];
        int n = 0;
        int end = 0;
        for (Iterator<Row> each = rows.toLocalIterator(); each.hasNext(); n++) {
            Row row = each.next();
            if (n == ends.length) {
                ends = Arrays.copyOf(ends, 2 * n);
                labels = Arrays.copyOf(labels, 2 * n);
            }
            for (Object key : row.getList(0)) {
                if (end == keys.length) {
                    keys = Arrays.copyOf(keys, end + end / 2);
                }
                keys[end++] = ((Long) key).intValue();
            }
            ends[n] = end;
            labels[n] = row.getDouble(1);
        }
        return new PlainRows(keys, Arrays.copyOf(ends, n), Arrays.copyOf(labels, n));
    }
}
