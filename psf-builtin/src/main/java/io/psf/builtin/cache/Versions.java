package io.psf.builtin.cache;

import io.psf.api.Checkpointed;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * How many updates each row of a shard has had from caches, its version, from 0. Beside the shard, used on its lane, saved
 * and loaded with it.
 */
final class Versions implements Checkpointed {
    /** The version of a row that a cache does not have. */
    private static final long NONE = -1;

    private final long first;
    private final long[] versions;

    private Versions(Range range) {
        this.first = range.begin();
        this.versions = new long[Math.toIntExact(range.length())];
    }

    static Versions of(Shard shard) {
        return shard.attachment(Versions.class, () -> new Versions(shard.range()));
    }

    @Override
    public void saveRow(long key, DataOutput out) throws IOException {
        long version = versions[(int) (key - first)];
        if (version != 0) {
            out.writeLong(version);
        }
    }

    @Override
    public void loadRow(long key, DataInput in) throws IOException {
        versions[(int) (key - first)] = in.readLong();
    }

    long get(int row) {
        return versions[row];
    }

    /**
     * Checks the counts of a push.
     *
     * @param updates [n] int32, how many updates the gradient of a row stands for
     * @throws PsException with {@code BAD_REQUEST} unless each is at least 0
     */
    static void requireCounts(int keys, IntArray updates) {
        requireLength("updates", updates.length(), keys);
        for (int i = 0; i < keys; i++) {
            require(updates.get(i) >= 0, "updates of a row", updates.get(i), ">= 0");
        }
    }

    /**
     * Checks what a cache says that it has.
     *
     * @param cached [n] int64, the cache's versions, -1 for a row that it does not have
     * @throws PsException with {@code BAD_REQUEST} if the bound is negative, or a version below -1
     */
    static void requireCached(int keys, LongArray cached, long bound) {
        requireLength("versions", cached.length(), keys);
        require(bound >= 0, "bound", bound, ">= 0 updates");
        for (int i = 0; i < keys; i++) {
            require(cached.get(i) >= NONE, "version of a row", cached.get(i), ">= 0, or -1 for one that is not cached");
        }
    }

    /** Counts updates of local rows. */
    void add(int[] rows, IntArray updates) {
        for (int i = 0; i < rows.length; i++) {
            versions[rows[i]] += updates.get(i);
        }
    }

    /**
     * Which of a cache's rows are too old: those that it does not have, and those that are more than {@code bound} updates
     * behind. One that is ahead is as old: the table has been made anew or loaded since.
     *
     * @param rows [n], local rows
     * @param cached [n] int64, the cache's versions, -1 for a row that it does not have
     * @param bound how many updates a row may be behind
     * @return [m], local rows, ascending
     */
    int[] stale(int[] rows, LongArray cached, long bound) {
        int[] stale = new int[rows.length];
        int n = 0;
        for (int i = 0; i < rows.length; i++) {
            long version = cached.get(i);
            long behind = versions[rows[i]] - version;
            if (version == NONE || behind > bound || behind < 0) {
                stale[n++] = rows[i];
            }
        }
        int[] some = Arrays.copyOf(stale, n);
        Arrays.sort(some);
        return some;
    }

    private static void requireLength(String name, int actual, int keys) {
        require(actual == keys, name + " length", actual, keys + ", one for each key");
    }

    private static void require(boolean holds, String name, long actual, String expected) {
        if (!holds) {
            throw new PsException(PsException.Code.BAD_REQUEST, name + ": " + actual + " (expected: " + expected + ")");
        }
    }
}
