package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import io.psf.spark.rows.InternalRows;
import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataTypes;

/**
 * Ratings by users, or by items: those of an owner, which is a user or an item, follow each other. An owner with many
 * ratings goes on in the next page.
 *
 * @param owners [rows] int64, ascending over all pages of a partition
 * @param ratings a row for each owner, with the keys of the other side and the ratings; a rating of 0 is left out
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody
@DefaultSerializer(JavaSerializer.class)
record RatingPage(long[] owners, Batch ratings) implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    /**
     * Returns the ratings of a frame of {@link Ratings#withKeys}. They are sorted, and so the same each time.
     *
     * @param rating the column of the ratings
     * @param ofItems true if owners are items
     * @param most the most ratings of a page
     */
    static JavaRDD<RatingPage> of(Dataset<Row> rows, String rating, boolean ofItems, int partitions, int most) {
        Column keys = Input.quoted(Ratings.KEYS);
        Dataset<Row> sorted = rows.select(
                        keys.getItem(ofItems ? 1 : 0).as("owner"),
                        keys.getItem(ofItems ? 0 : 1).as("other"),
                        Input.quoted(rating).cast(DataTypes.FloatType).as("rating"))
                .repartition(partitions, Input.quoted("owner"))
                .sortWithinPartitions("owner", "other", "rating");
        return InternalRows.of(sorted).mapPartitions(each -> new Pages(each, rating, most));
    }

    private static final class Pages implements Iterator<RatingPage> {
        private final Iterator<InternalRow> rows;
        private final String column;
        private final int most;
        private final BatchBuilder builder = new BatchBuilder();
        private final Rows page = new Rows();
        /** The rating that was read last, and is in no page yet. */
        private boolean isRead;

        private long owner;
        private long other;
        private float rating;

        Pages(Iterator<InternalRow> rows, String column, int most) {
            this.rows = rows;
            this.column = column;
            this.most = most;
        }

        @Override
        public boolean hasNext() {
            return isRead || rows.hasNext();
        }

        @Override
        public RatingPage next() {
            long[] owners = new long[64];
            int n = 0;
            page.clear();
            read();
            while (isRead && page.entries() < most) {
                if (n == owners.length) {
                    owners = Arrays.copyOf(owners, 2 * n);
                }
                long first = owner;
                owners[n++] = first;
                while (isRead && owner == first && page.entries() < most) {
                    if (rating != 0) {
                        page.add(other, rating);
                    }
                    isRead = false;
                    read();
                }
                page.endRow(0, 1);
            }
            return new RatingPage(Arrays.copyOf(owners, n), builder.build(page));
        }

        private void read() {
            if (isRead || !rows.hasNext()) {
                return;
            }
            InternalRow row = rows.next();
            if (row.isNullAt(0) || row.isNullAt(1)) {
                throw new IllegalArgumentException("user or item: null (expected: a number in each row)");
            }
            owner = row.getLong(0);
            other = row.getLong(1);
            rating = row.isNullAt(2) ? Float.NaN : row.getFloat(2);
            if (!Float.isFinite(rating)) {
                throw new IllegalArgumentException("rating column \"" + column + "\": "
                        + (row.isNullAt(2) ? "null" : "" + rating) + " (expected: a finite number)");
            }
            isRead = true;
        }
    }
}
